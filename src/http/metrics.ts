import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry as MetricsRegistry } from 'prom-client';
import type { Handler, RequestWatch } from '../lib/resource.js';
import type { Registry } from '../store/registry.js';
import type { SourceStatus } from './node-report.js';

export interface Metrics {
  /** Where other parts of the node add their own figures. */
  readonly registry: MetricsRegistry;
  /** To be given to every resource. */
  readonly watch: RequestWatch;
}

/** What is looked up when somebody asks for the metrics. */
export interface MetricSources {
  /** `undefined` while the node is loading. */
  readonly registry: () => Registry | undefined;
  readonly status: () => readonly SourceStatus[];
}

/** The figures of a node, apart from those of every other node in the process. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new MetricsRegistry();
  collectDefaultMetrics({ register: registry });
  addCatalogFigures(registry, sources.registry);
  addSourceFigures(registry, sources.status);
  return { registry, watch: requestWatch(registry) };
}

/** `GET /metrics`, in the text format of Prometheus. */
export function getMetrics({ registry }: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
    body: await registry.metrics(),
  });
}

function requestWatch(registry: MetricsRegistry): RequestWatch {
  const labelNames = ['route', 'method', 'status'] as const;
  const registers = [registry];
  const duration = new Histogram({
    name: 'registry_http_request_duration_seconds',
    help: 'Time from the request until the answer was made, or sent when it is streamed',
    labelNames,
    registers,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const bytes = new Counter({
    name: 'registry_http_response_bytes_total',
    help: 'Bytes of response bodies',
    labelNames: ['route', 'method'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'registry_http_requests_in_flight',
    help: 'Requests whose answer is not complete',
    registers,
  });
  return (route, method) => {
    const started = performance.now();
    inFlight.inc();
    return (status, sent) => {
      inFlight.dec();
      duration.observe({ route, method, status }, (performance.now() - started) / 1000);
      bytes.inc({ route, method }, sent);
    };
  };
}

function addCatalogFigures(registers: MetricsRegistry, registry: MetricSources['registry']): void {
  new Gauge({
    name: 'registry_components',
    help: 'Components that are served',
    registers: [registers],
    collect() {
      this.set(registry()?.catalog.size ?? 0);
    },
  });
  new Gauge({
    name: 'registry_revision',
    help: 'Number of the revision of what is served; moves on real change only',
    registers: [registers],
    collect() {
      this.set(registry()?.revision.number ?? 0);
    },
  });
}

/** One gauge per figure of a source, filled from the status when it is asked for. */
function addSourceFigures(registry: MetricsRegistry, status: () => readonly SourceStatus[]): void {
  const figures: Record<string, { help: string; value: (source: SourceStatus) => number | undefined }> = {
    registry_source_components: {
      help: 'Valid descriptions stored from a source',
      value: ({ components }) => components,
    },
    registry_source_invalid_components: {
      help: 'Descriptions of a source that break a rule',
      value: ({ invalid }) => invalid.length,
    },
    registry_source_consecutive_failures: {
      help: 'Polls of a source that failed since the last success',
      value: ({ failures }) => failures,
    },
    registry_source_last_success_timestamp_seconds: {
      help: 'When a source was last read successfully',
      value: ({ lastSuccess }) => (lastSuccess === undefined ? undefined : lastSuccess / 1000),
    },
  };
  for (const [name, { help, value }] of Object.entries(figures)) {
    new Gauge({
      name,
      help,
      labelNames: ['kind', 'url'],
      registers: [registry],
      collect() {
        this.reset();
        for (const source of status()) {
          const figure = value(source);
          if (figure !== undefined) this.set({ kind: source.kind, url: source.url }, figure);
        }
      },
    });
  }
}
