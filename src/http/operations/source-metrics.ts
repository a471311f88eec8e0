import { Counter, Histogram, type Registry as MetricsRegistry } from 'prom-client';
import { isOfThisNode } from '../../component/source.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { addGauge } from './gauge.js';

interface SourceMetric {
  readonly help: string;
  readonly value: (source: SourceStatus) => number | undefined;
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

const SOURCE_METRICS: Readonly<Record<string, SourceMetric>> = {
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
  registry_source_held_components: {
    help: 'Components that a source has lost in a poll that is held until an operator accepts that, or time passes',
    value: ({ shrink }) => (shrink ? Math.max(0, shrink.from - shrink.to) : 0),
  },
  registry_source_hops: {
    help: 'How far away a source is: 0 when configured, more when learned from peers',
    value: (source) => (isOfThisNode(source) ? undefined : source.hops),
  },
  registry_source_last_attempt_timestamp_seconds: {
    help: 'When reading a source was last tried',
    value: ({ lastAttempt }) => seconds(lastAttempt),
  },
  registry_source_last_success_timestamp_seconds: {
    help: 'When a source was last read successfully',
    value: ({ lastSuccess }) => seconds(lastSuccess),
  },
  registry_source_next_attempt_timestamp_seconds: {
    help: 'When a source is read next',
    value: ({ nextAttempt }) => seconds(nextAttempt),
  },
};

/** One metric for each property of a source, labelled with the source, read from the status when the metrics are read. */
export function addSourceMetrics(
  registry: MetricsRegistry,
  status: () => Promise<readonly SourceStatus[]>,
): void {
  for (const [name, { help, value }] of Object.entries(SOURCE_METRICS)) {
    const values = async () =>
      (await status()).flatMap((source) => {
        const { kind, url } = source;
        const current = value(source);
        return current === undefined ? [] : [[{ kind, url }, current] as const];
      });
    addGauge(registry, name, help, values, ['kind', 'url']);
  }
}

/**
 * Metrics of polls. They are labelled with the kind of source and not with its URL: learned sources come and go, and
 * a counter would stay for each of them.
 */
export function pollMetrics(registry: MetricsRegistry): (report: PollReport) => void {
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
  return ({ source: { kind }, ok, durationMs, repairs, ...counts }) => {
    duration.observe({ kind, result: ok ? 'ok' : 'failed' }, durationMs / 1000);
    if (repairs) repaired.inc(repairs);
    for (const change of ['added', 'changed', 'removed'] as const)
      changes.inc({ kind, change }, counts[change]);
  };
}
