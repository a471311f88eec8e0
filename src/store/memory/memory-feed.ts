import { type Pin, pinKey, shownPin } from '../../component/pin.js';
import { type Source, sourceKey } from '../../component/precedence.js';
import type { Changes, ChangesRequest, StatementChange } from '../../registry/changes.js';
import { DIGEST_DIGITS } from '../../registry/cursor.js';
import { type Feed, feedDigest } from '../../registry/feed.js';
import type { State } from '../../registry/state.js';
import { outlived, REMEMBERED_STATES } from '../feed/retention.js';
import type { MemoryData, MemoryFeed, MemorySource, MemoryState } from './memory-data.js';

/** What readers see of the feed in data. */
export function feedOf({ feed, sources, networkRevision }: MemoryData): Feed {
  const lines = [...sources.values()].flatMap(({ line }) => line ?? []);
  const { position, floor, tombstones } = feed;
  const digest = feedDigest(lines, networkRevision?.number ?? 0);
  return { ...{ position, floor, digest }, tombstones: tombstones.size, sources: lines };
}

/** The data with its present state remembered, and without what need not be remembered any more. */
export function remembered(data: MemoryData, now: number): MemoryData {
  const { digest, position } = feedOf(data);
  const before = data.feed.state;
  const state = {
    position,
    digest: digest.slice(0, DIGEST_DIGITS),
    number: (before?.number ?? 0) + 1,
    before,
  };
  return { ...data, feed: purged({ ...data.feed, state }, statementsIn(data.sources), now) };
}

export function stateAt(feed: MemoryFeed, position: number): string | undefined {
  let state = feed.state;
  while (state && state.position > position) state = state.before;
  return state?.position === position ? state.digest : undefined;
}

/** A part of the changes of a state, whose `since` is known. */
export function changesIn(
  { feed, sources, pins }: MemoryData,
  state: State,
  { since, after = since?.position ?? 0, removals = false, uri, source, limit }: ChangesRequest,
): Changes {
  const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const gone = [...feed.tombstones.values()].filter(({ position }) => position > removed);
  const matching = [...[...sources.values()].flatMap((source) => statementsOf(source, pins)), ...gone]
    .filter((change) => change.position > after && (uri === undefined || change.uri === uri))
    .filter((change) => !source || sourceKey(change.source) === sourceKey(source))
    .sort((one, other) => one.position - other.position);
  const changes = matching.slice(0, limit);
  const last = changes.at(-1)?.position;
  const lines = state.feed.sources;
  return {
    ...{ state, changes },
    ...(changes.length < matching.length && last !== undefined ? { next: last } : {}),
    sources: since ? lines.filter(({ position }) => position > since.position) : lines,
  };
}

/** Neither the URL of a source nor that of a document has a space. */
export function statementKey(source: Source, document: string, uri: string): string {
  return `${sourceKey(source)} ${document} ${uri}`;
}

function statementsOf({ source, documents }: MemorySource, pins: MemoryData['pins']): StatementChange[] {
  return [...documents].flatMap(([document, { record, components }]) =>
    [...components].map(([uri, statement]) => ({
      ...{ source, document, uri, rank: record.rank ?? 0 },
      ...statement,
      ...changedPin(pins.get(pinKey(statement.metadata))),
    })),
  );
}

/** Bytes that are what they were are no news. */
function changedPin(pin: Pin | undefined): Pick<StatementChange, 'pin'> {
  return pin?.changed === undefined ? {} : { pin: shownPin(pin) };
}

function statementsIn(sources: MemoryData['sources']): number {
  return [...sources.values()].reduce((sum, { line }) => sum + (line?.count ?? 0), 0);
}

function purged(feed: MemoryFeed, statements: number, now: number): MemoryFeed {
  const gone = outlived(feed.tombstones.values(), { count: feed.tombstones.size, statements, now });
  const state = shortened(feed.state);
  const oldest = state === feed.state ? undefined : oldestOf(state);
  if (gone.length === 0 && oldest === undefined) return feed;
  const tombstones = new Map(feed.tombstones);
  for (const { source, document, uri } of gone) tombstones.delete(statementKey(source, document, uri));
  const floor = Math.max(feed.floor, gone.at(-1)?.position ?? 0, oldest ?? 0);
  return { ...feed, floor, tombstones, ...(state ? { state } : {}) };
}

/** Once there are twice as many states as have to be remembered, half of them are forgotten. */
function shortened(latest: MemoryState | undefined): MemoryState | undefined {
  if (!latest || latest.number <= 2 * REMEMBERED_STATES) return latest;
  const kept: MemoryState[] = [];
  for (
    let state = latest as MemoryState | undefined;
    state && kept.length <= REMEMBERED_STATES;
    state = state.before
  ) {
    kept.push(state);
  }
  return kept.reduceRight<MemoryState | undefined>(
    (before, { position, digest }) => ({ position, digest, number: (before?.number ?? 0) + 1, before }),
    undefined,
  );
}

function oldestOf(latest: MemoryState | undefined): number | undefined {
  let state = latest;
  while (state?.before) state = state.before;
  return state?.position;
}
