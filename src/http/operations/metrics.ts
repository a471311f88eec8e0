import { Counter, collectDefaultMetrics, Gauge, Registry as MetricsRegistry } from 'prom-client';
import type { ResponseCache } from '../../lib/http/cache/response-cache.js';
import type { RequestWatch } from '../../lib/http/request-watch.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Catalog } from '../../registry/catalog.js';
import type { PollReport } from '../../registry/poll-report.js';
import type { SourceStatus } from '../../registry/source-status.js';
import type { FailingStore } from './failing-stores.js';
import { RequestFigures } from './request-metrics.js';
import { addSourceFigures, pollWatch } from './source-metrics.js';

export interface Metrics {
  /** Where other parts of the node add their own figures. */
  readonly registry: MetricsRegistry;
  /** To be given to every resource. */
  readonly watch: RequestWatch;
  /** To be told of every poll. */
  readonly polled: (report: PollReport) => void;
  /** Polls since the start whose findings could not be written to disk. */
  readonly unstoredPolls: () => number;
}

/** What is looked up when somebody asks for the metrics. */
export interface MetricSources {
  /** `undefined` while the node is loading. */
  readonly catalog: () => Catalog | undefined;
  readonly status: () => Promise<readonly SourceStatus[]>;
  /** The databases that cannot be written at present. */
  readonly failingStores: () => readonly FailingStore[];
  /** Where answers are kept, if they are. */
  readonly cache?: Pick<ResponseCache, 'figures'>;
}

/** The figures of a node, apart from those of every other node in the process. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new MetricsRegistry();
  collectDefaultMetrics({ register: registry });
  addCatalogFigures(registry, sources.catalog);
  if (sources.cache) addCacheFigures(registry, sources.cache);
  addSourceFigures(registry, sources.status);
  addFigure(registry, 'registry_failing_stores', 'Databases that cannot be written at present', () => {
    return sources.failingStores().length;
  });
  const unstored = new Counter({
    name: 'registry_unstored_polls_total',
    help: 'Polls whose findings could not be written to disk',
    registers: [registry],
  });
  const watchPoll = pollWatch(registry);
  let unstoredPolls = 0;
  return {
    registry,
    watch: new RequestFigures(registry).watch,
    polled(report) {
      watchPoll(report);
      if (!report.unstored) return;
      unstored.inc();
      unstoredPolls += 1;
    },
    unstoredPolls: () => unstoredPolls,
  };
}

/** `GET /metrics`, in the text format of Prometheus. */
export function getMetrics({ registry }: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
    body: await registry.metrics(),
  });
}

function addCacheFigures(registry: MetricsRegistry, { figures }: Pick<ResponseCache, 'figures'>): void {
  const figure = (name: string, help: string, value: () => number) => addFigure(registry, name, help, value);
  figure(
    'registry_answer_cache_hits',
    'Requests answered from the cache since the start',
    () => figures.hits,
  );
  figure('registry_answer_cache_misses', 'Requests that the cache had no answer to', () => figures.misses);
  figure('registry_answer_cache_bytes', 'What the cache holds', () => figures.bytes);
  figure('registry_answer_cache_answers', 'Answers in the cache', () => figures.answers);
}

/** A figure that is looked up when somebody asks for it. */
export function addFigure(registry: MetricsRegistry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

function addCatalogFigures(registers: MetricsRegistry, catalog: MetricSources['catalog']): void {
  new Gauge({
    name: 'registry_components',
    help: 'Components that are served',
    registers: [registers],
    async collect() {
      this.set((await catalog()?.state())?.components ?? 0);
    },
  });
  new Gauge({
    name: 'registry_revision',
    help: 'Number of the revision of what is served; moves on real change only',
    registers: [registers],
    async collect() {
      this.set((await catalog()?.state())?.revision.number ?? 0);
    },
  });
}
