import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry as MetricsRegistry } from 'prom-client';
import type { Handler, RequestWatch } from '../lib/resource.js';
import type { Registry } from '../store/registry.js';
import type { SourceStatus, SyncReport } from './node-report.js';
import { addSourceFigures, pollWatch } from './source-metrics.js';

export interface Metrics {
  /** Where other parts of the node add their own figures. */
  readonly registry: MetricsRegistry;
  /** To be given to every resource. */
  readonly watch: RequestWatch;
  /** To be told of every poll. */
  readonly polled: (report: SyncReport) => void;
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
  return { registry, watch: requestWatch(registry), polled: pollWatch(registry) };
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
