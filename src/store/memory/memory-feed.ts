import { pinKey } from '../../component/pin.js';
import { type Source, sourceKey } from '../../component/source.js';
import { DIGEST_DIGITS } from '../../core/cursor.js';
import { outlived, REMEMBERED_STATES } from '../../core/feed-window.js';
import { pinOf } from '../../core/pins.js';
import type { Precedence } from '../../core/precedence.js';
import { feedDigest, linesOfKinds } from '../../core/source-digests.js';
import type { Changes, ChangesRequest, StatementChange } from '../../registry/changes.js';
import type { Feed } from '../../registry/feed.js';
import type { State } from '../../registry/state.js';
import type { MemoryData, MemoryFeed, MemorySource, MemoryState } from './memory-data.js';

/** What readers see of the feed in data, of those data for which it was worked out before. */
const FEEDS = new WeakMap<MemoryData, Feed>();

/** What readers see of the feed in data. */
export function feedOf(data: MemoryData): Feed {
  const known = FEEDS.get(data);
  if (known) return known;
  const { feed, sources, networkRevision } = data;
  const lines = [...sources.values()].flatMap(({ line }) => line ?? []);
  const { position, floor, tombstones } = feed;
  const digest = feedDigest(lines, networkRevision?.number ?? 0);
  return { ...{ position, floor, digest }, tombstones: tombstones.size, sources: lines };
}

/** The data with its present state remembered, and without what need not be remembered any more. */
export function remembered(data: MemoryData, now: number): MemoryData {
  const shown = feedOf(data);
  const { digest, position } = shown;
  const before = data.feed.state;
  const state = {
    position,
    digest: digest.slice(0, DIGEST_DIGITS),
    number: (before?.number ?? 0) + 1,
    before,
  };
  const feed = purged({ ...data.feed, state }, statementsIn(data.sources), now);
  const later = { ...data, feed };
  FEEDS.set(later, { ...shown, floor: feed.floor, tombstones: feed.tombstones.size });
  return later;
}

export function stateAt(feed: MemoryFeed, position: number): string | undefined {
  let state = feed.state;
  while (state && state.position > position) state = state.before;
  return state?.position === position ? state.digest : undefined;
}

/** A part of the changes of a state, whose `since` is known. */
export function changesIn(
  data: MemoryData,
  state: State,
  { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit }: ChangesRequest,
  precedence: Precedence,
): Changes {
  const { feed, sources } = data;
  const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const asked = source && sourceKey(source);
  const isAsked = (one: { readonly source: Source }) =>
    (!asked || sourceKey(one.source) === asked) && (!kinds || kinds.includes(one.source.kind));
  const said = [...sources.values()].filter(isAsked);
  const gone = behind(tombstonesOf(feed), Math.max(removed, after)).filter(isAsked);
  const matching = [...said.flatMap((one) => behind(statementsOf(one, precedence), after)), ...gone]
    .filter((change) => uri === undefined || change.uri === uri)
    .sort((one, other) => one.position - other.position);
  const changes = matching.slice(0, limit).map((change) => withPin(change, data, precedence));
  const last = changes.at(-1)?.position;
  const lines = linesOfKinds(state.feed.sources, kinds);
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

const STATEMENTS = new WeakMap<MemorySource, readonly StatementChange[]>();

/** What a source says, in the order of positions. */
function statementsOf(said: MemorySource, precedence: Precedence): readonly StatementChange[] {
  const known = STATEMENTS.get(said);
  if (known) return known;
  const { source, documents } = said;
  const statements = [...documents].flatMap(([document, { record, components }]) => {
    const rank = precedence.rankWithin({ source, document, authority: record.authority });
    return [...components].map(([uri, statement]) => ({ source, document, rank, uri, ...statement }));
  });
  statements.sort((one, other) => one.position - other.position);
  STATEMENTS.set(said, statements);
  return statements;
}

const TOMBSTONES = new WeakMap<MemoryFeed['tombstones'], readonly StatementChange[]>();

function tombstonesOf({ tombstones }: MemoryFeed): readonly StatementChange[] {
  const known = TOMBSTONES.get(tombstones) ?? [...tombstones.values()];
  TOMBSTONES.set(tombstones, known);
  return known;
}

/** The changes with a greater position, of changes in the order of positions. */
function behind(changes: readonly StatementChange[], position: number): readonly StatementChange[] {
  let from = changes.length;
  while (from > 0 && (changes[from - 1]?.position ?? 0) > position) from -= 1;
  return from === 0 ? changes : changes.slice(from);
}

/** Bytes that are what they were are no news. */
function withPin(
  change: StatementChange,
  { pins, sources }: MemoryData,
  precedence: Precedence,
): StatementChange {
  const { source, document, metadata } = change;
  const seen = metadata && pins.get(pinKey(metadata));
  if (!seen) return change;
  const { authority } = sources.get(sourceKey(source))?.documents.get(document)?.record ?? {};
  const pin = pinOf(seen, { ...precedence.standing({ source, document, authority }), metadata });
  return pin?.changed === undefined ? change : { ...change, pin };
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
