import { Counter, type Registry as MetricsRegistry } from 'prom-client';
import type { Catalog, Feed } from '../../catalog/catalog.js';
import { addGauge } from '../operations/gauge.js';

/** What is counted of the feed's answers. */
export interface FeedCounts {
  readonly deltas: Counter;
  readonly snapshots: Counter;
}

export interface FeedMetricSources {
  readonly catalog: Catalog;
  /** Streams of hints that are open. */
  readonly streams: () => number;
}

/** The metrics of the feed: where it stands, and what its followers ask for. */
export function addFeedMetrics(
  registry: MetricsRegistry,
  { catalog, streams }: FeedMetricSources,
): FeedCounts {
  const gauge = (name: string, help: string, value: (feed: Feed) => number) =>
    addGauge(registry, name, help, async () => value((await catalog.state()).feed));
  gauge('registry_feed_head', 'Position of the latest change', (feed) => feed.position);
  gauge('registry_feed_floor', 'Position up to which changes may be forgotten', (feed) => feed.floor);
  gauge('registry_feed_tombstones', 'Removals that are remembered', (feed) => feed.tombstones);
  gauge('registry_feed_readers', 'Streams of hints that are open', streams);
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  return {
    deltas: counter('registry_feed_deltas_total', 'Answers with what has changed since a cursor'),
    snapshots: counter('registry_feed_snapshots_total', 'Answers with everything, or with one source whole'),
  };
}
