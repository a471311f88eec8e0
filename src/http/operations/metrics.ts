import { Counter, collectDefaultMetrics, Registry as MetricsRegistry } from 'prom-client';
import type { Catalog, State } from '../../catalog/catalog.js';
import type { Refusals } from '../../core/refusal.js';
import { REFUSAL_REASONS } from '../../core/take.js';
import type { Pinning } from '../../explain/node-report.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { ResponseCache } from '../../lib/http/cache/response-cache.js';
import type { Handler } from '../../lib/http/resource.js';
import type { RouteMetricsOf } from '../../lib/http/route-metrics.js';
import { LANES, type PoolFigures, TASK_ENDS } from '../../lib/pool/task.js';
import { addGauge } from './gauge.js';
import type { Reports } from './reports.js';
import { RequestMetrics } from './request-metrics.js';
import { addSourceMetrics, pollMetrics } from './source-metrics.js';

export interface Metrics {
  /** Where other parts of the node add their own metrics. */
  readonly registry: MetricsRegistry;
  /** Where every resource counts its requests. */
  readonly routeMetrics: RouteMetricsOf;
  /** To be called for each request that is answered before it reaches a route. */
  readonly refused: (status: number) => void;
  /** To be called after every poll. */
  readonly polled: (report: PollReport) => void;
  /** How many polls since the start found something that could not be written to disk. */
  readonly unstoredPolls: () => number;
}

export interface ProcessMetricSources {
  readonly cache?: Pick<ResponseCache, 'figures'>;
  /** Are figures of the process told, too? They cost memory and time for each node that tells them; they are when absent. */
  readonly ofProcess?: boolean;
  /** What the worker threads do; absent where there are none. */
  readonly pool?: (() => PoolFigures) | undefined;
}

/** The metrics of one node; several nodes in one process (tests, simulations) have separate ones. */
export function createMetrics({ cache, pool, ofProcess = true }: ProcessMetricSources = {}): Metrics {
  const registry = new MetricsRegistry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  if (cache) addCacheMetrics(registry, cache);
  if (pool) addPoolMetrics(registry, pool);
  const unstored = new Counter({
    name: 'registry_unstored_polls_total',
    help: 'Polls whose findings could not be written to disk',
    registers: [registry],
  });
  const countPoll = pollMetrics(registry);
  let unstoredPolls = 0;
  const { routeMetrics } = new RequestMetrics(registry);
  const outside = routeMetrics('none', 'other');
  return {
    registry,
    routeMetrics,
    refused: (status) => outside.finished(outside.started(), status, 0),
    polled(report) {
      countPoll(report);
      if (!report.unstored) return;
      unstored.inc();
      unstoredPolls += 1;
    },
    unstoredPolls: () => unstoredPolls,
  };
}

/** What is looked up in a node that has loaded its data when its metrics are read. */
export interface RegistryMetricSources
  extends Pick<Reports, 'status' | 'failingStores' | 'followers' | 'refusals' | 'pinning'> {
  readonly catalog: Catalog;
  /** Streams on which sources say that something has changed; absent where there are none. */
  readonly streams?: () => { readonly open: number; readonly hints: number };
}

export function addRegistryMetrics(registry: MetricsRegistry, sources: RegistryMetricSources): void {
  addCatalogMetrics(registry, sources.catalog);
  addSourceMetrics(registry, sources.status);
  addGauge(registry, 'registry_failing_stores', 'Databases that cannot be written at present', () => {
    return sources.failingStores().length;
  });
  if (sources.streams) addStreamMetrics(registry, sources.streams);
  addGauge(registry, 'registry_readers', 'Nodes that have read this one in the last 7 days', () => {
    return sources.followers().length;
  });
  addRefusalMetrics(registry, sources.refusals);
  addPinMetrics(registry, sources.pinning);
}

/** `GET /metrics`, in the text format of Prometheus. */
export function getMetrics({ registry }: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
    body: await registry.metrics(),
  });
}

function addRefusalMetrics(registry: MetricsRegistry, refusals: () => Refusals): void {
  const help = 'Addresses that peers told of and that are not read, by the reason';
  const counted = () =>
    REFUSAL_REASONS.map((reason) => [{ reason }, refusals().counts[reason] ?? 0] as const);
  addGauge(registry, 'registry_refused_addresses', help, counted, ['reason']);
}

function addPinMetrics(registry: MetricsRegistry, pinning: () => Promise<Pinning>): void {
  const help =
    'Versions of components of whose modules the bytes are known, by whether they are still the first ones';
  const counted = async () => {
    const { all, changed } = await pinning();
    return [[{ state: 'same' }, all - changed] as const, [{ state: 'changed' }, changed] as const];
  };
  addGauge(registry, 'registry_pins', help, counted, ['state']);
}

function addStreamMetrics(
  registry: MetricsRegistry,
  streams: NonNullable<RegistryMetricSources['streams']>,
): void {
  const open = 'Lines to pods and peers, on which they say that something has changed, that are open';
  addGauge(registry, 'registry_hint_lines', open, () => streams().open);
  const hints = 'Hints that have come on such lines since the start';
  addGauge(registry, 'registry_hints', hints, () => streams().hints);
}

function addCacheMetrics(registry: MetricsRegistry, cache: Pick<ResponseCache, 'figures'>): void {
  const gauge = (name: keyof typeof cache.figures, help: string) =>
    addGauge(registry, `registry_answer_cache_${name}`, help, () => cache.figures[name]);
  gauge('hits', 'Requests answered from the response cache since the start');
  gauge('misses', 'Requests that the response cache could not answer, since the start');
  gauge('bytes', 'Bytes of the responses in the response cache');
  gauge('answers', 'Responses in the response cache');
}

function addCatalogMetrics(registry: MetricsRegistry, catalog: Catalog): void {
  const gauge = (name: string, help: string, value: (state: State) => number) =>
    addGauge(registry, name, help, async () => value(await catalog.state()));
  gauge('registry_components', 'Components that are served', ({ components }) => components);
  const revision = 'Number of the revision that is served; it grows only when what is served changes';
  gauge('registry_revision', revision, ({ revision: { number } }) => number);
}

/** Metrics of the worker threads that read documents, looked up when the metrics are read. */
function addPoolMetrics(registry: MetricsRegistry, figures: () => PoolFigures): void {
  const registers = [registry];
  addGauge(
    registry,
    'registry_worker_threads',
    'Worker threads that read documents',
    () => figures().threads,
  );
  for (const state of ['waiting', 'running'] as const) {
    const help = `Documents that are ${state === 'waiting' ? 'waiting for' : 'being read in'} a worker thread`;
    const counted = () => LANES.map((lane) => [{ lane }, figures().lanes[lane][state]] as const);
    addGauge(registry, `registry_worker_tasks_${state}`, help, counted, ['lane']);
  }
  new Counter({
    name: 'registry_worker_tasks_total',
    help: 'Documents given to worker threads, by how that ended: killed ones took too much time or memory, dropped ones were not needed any more, for refused ones there was no room',
    labelNames: ['lane', 'result'],
    registers,
    collect() {
      this.reset();
      for (const lane of LANES) {
        for (const result of TASK_ENDS) this.inc({ lane, result }, figures().lanes[lane].ended[result]);
      }
    },
  });
  new Counter({
    name: 'registry_worker_seconds_total',
    help: 'Processor time that worker threads have taken for documents',
    labelNames: ['lane'],
    registers,
    collect() {
      this.reset();
      for (const lane of LANES) this.inc({ lane }, figures().lanes[lane].seconds);
    },
  });
}
