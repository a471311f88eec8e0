import { Counter, collectDefaultMetrics, Histogram, Registry as MetricsRegistry } from 'prom-client';
import type { Catalog } from '../../catalog/catalog.js';
import { isOfThisNode } from '../../component/source.js';
import { REFUSAL_REASONS } from '../../core/refusal.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import type { Handler } from '../../lib/http/resource.js';
import type { RouteMetricsOf } from '../../lib/http/response/answer.js';
import { LANES, type PoolFigures, TASK_ENDS } from '../../lib/pool/task.js';
import type { ResponseCache } from '../response-cache.js';
import { addFigures, type Figures } from './figures.js';
import type { Reports } from './reports.js';
import { requestMetrics } from './request-metrics.js';

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

interface ProcessMetricSources {
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
  let unstoredPolls = 0;
  addFigures(registry, {
    ...(cache && cacheFigures(cache)),
    ...(pool && poolFigures(pool)),
    registry_unstored_polls_total: ['Polls whose findings could not be written to disk', () => unstoredPolls],
  });
  const countPoll = pollMetrics(registry);
  const routeMetrics = requestMetrics(registry);
  const outside = routeMetrics('none', 'other');
  return {
    registry,
    routeMetrics,
    refused: (status) => outside.finished(outside.started(), status, 0),
    polled(report) {
      countPoll(report);
      if (report.unstored) unstoredPolls += 1;
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

function cacheFigures(cache: Pick<ResponseCache, 'figures'>): Figures {
  return {
    registry_answer_cache_hits: ['Requests answered from the cache', () => cache.figures.hits],
    registry_answer_cache_misses: ['Requests that it could not answer', () => cache.figures.misses],
    registry_answer_cache_bytes: ['Bytes of the answers in the cache', () => cache.figures.bytes],
    registry_answer_cache_answers: ['Answers in the cache', () => cache.figures.answers],
  };
}

/** What the worker threads do that read documents. */
function poolFigures(figures: () => PoolFigures): Figures {
  const of = (value: (lane: PoolFigures['lanes'][(typeof LANES)[number]]) => number) => () =>
    LANES.map((lane) => [{ lane }, value(figures().lanes[lane])] as const);
  const ends = () =>
    LANES.flatMap((lane) =>
      TASK_ENDS.map((result) => [{ lane, result }, figures().lanes[lane].ended[result]] as const),
    );
  // Killed ones took too much time or memory, dropped ones were not needed any more, for refused ones there was no room.
  const ended = 'Documents given to worker threads, by how that ended';
  const lanes = ['lane'];
  return {
    registry_worker_threads: ['Worker threads that read documents', () => figures().threads],
    registry_worker_tasks_waiting: ['Documents waiting for a thread', of(({ waiting }) => waiting), lanes],
    registry_worker_tasks_running: ['Documents read in a thread', of(({ running }) => running), lanes],
    registry_worker_tasks_total: [ended, ends, ['lane', 'result']],
    registry_worker_seconds_total: ['Time for which threads worked', of((lane) => lane.seconds), lanes],
  };
}

/**
 * Metrics of polls. They are labelled with the kind of source and not with its URL: learned sources come and go, and
 * a counter would stay for each of them.
 */
function pollMetrics(registry: MetricsRegistry): (report: PollReport) => void {
  const registers = [registry];
  const duration = new Histogram({
    name: 'registry_poll_duration_seconds',
    help: 'Time from the beginning of a poll until what it found was stored',
    labelNames: ['kind', 'result'],
    registers,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600],
  });
  const changes = new Counter({
    name: 'registry_poll_changes_total',
    help: 'Descriptions that polls have added, changed or removed',
    labelNames: ['kind', 'change'],
    registers,
  });
  const repaired = new Counter({
    name: 'registry_feed_repairs_total',
    help: 'Times that all of a peer was read anew because what was stored was not what it has',
    registers,
  });
  return ({ source: { kind }, ok, durationMs, repairs = 0, ...counts }) => {
    duration.observe({ kind, result: ok ? 'ok' : 'failed' }, durationMs / 1000);
    repaired.inc(repairs);
    for (const change of ['added', 'changed', 'removed'] as const)
      changes.inc({ kind, change }, counts[change]);
  };
}

/** What is looked up in a node that has loaded its data when its metrics are read. */
interface RegistryMetricSources extends Pick<Reports, 'status' | 'failingStores' | 'refusals' | 'pinning'> {
  readonly catalog: Catalog;
  /** Streams on which sources say that something has changed. */
  readonly streams: () => { readonly open: number; readonly hints: number };
}

export function addRegistryMetrics(registry: MetricsRegistry, sources: RegistryMetricSources): void {
  const { catalog, status, failingStores, refusals, pinning, streams } = sources;
  const refused = () =>
    REFUSAL_REASONS.map((reason) => [{ reason }, refusals().counts[reason] ?? 0] as const);
  const pins = async () => {
    const { all, changed } = await pinning();
    return [[{ state: 'same' }, all - changed] as const, [{ state: 'changed' }, changed] as const];
  };
  addFigures(registry, {
    registry_components: ['Components that are served', async () => (await catalog.state()).components],
    // It grows only when what is served changes.
    registry_revision: ['Number of the revision', async () => (await catalog.state()).revision.number],
    ...sourceFigures(status),
    registry_failing_stores: ['Databases that cannot be written at present', () => failingStores().length],
    registry_refused_addresses: ['Addresses told by peers and not read, by reason', refused, ['reason']],
    registry_pins: ['Versions of modules, by whether the bytes are still the first ones', pins, ['state']],
    registry_hint_lines: ['Open lines on which pods and peers tell of changes', () => streams().open],
    registry_hints: ['Hints that have come on such lines since the start', () => streams().hints],
  });
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

/** What is told of each source, labelled with it. */
const OF_SOURCES: Readonly<
  Record<string, readonly [help: string, value: (source: SourceStatus) => number | undefined]>
> = {
  components: ['Valid descriptions stored from a source', ({ components }) => components],
  invalid_components: ['Descriptions that break a rule', ({ invalid }) => invalid.length],
  consecutive_failures: ['Polls that failed since the last success', ({ failures }) => failures],
  held_components: [
    'Components lost in a poll, served until an operator accepts the loss, or time passes',
    ({ shrink }) => (shrink ? Math.max(0, shrink.from - shrink.to) : 0),
  ],
  hops: ['0 when configured, more when learned', (one) => (isOfThisNode(one) ? undefined : one.hops)],
  last_attempt_timestamp_seconds: ['When it was last tried', (one) => seconds(one.lastAttempt)],
  last_success_timestamp_seconds: ['When it was last read', (one) => seconds(one.lastSuccess)],
  next_attempt_timestamp_seconds: ['When it is read next', (one) => seconds(one.nextAttempt)],
};

function sourceFigures(status: () => Promise<readonly SourceStatus[]>): Figures {
  const figures = Object.entries(OF_SOURCES).map(([name, [help, value]]) => {
    const values = async () =>
      (await status()).flatMap((source) => {
        const { kind, url } = source;
        const current = value(source);
        return current === undefined ? [] : [[{ kind, url }, current] as const];
      });
    return [`registry_source_${name}`, [help, values, ['kind', 'url']]];
  });
  return Object.fromEntries(figures);
}
