import { type Source, sourceKey } from '../../../component/source.js';
import { DIGEST_DIGITS } from '../../../core/cursor.js';
import type { Precedence } from '../../../core/precedence.js';
import {
  feedDigest,
  HashChange,
  NO_HASHES,
  type SourceHashes,
  type SourceSummary,
  sourceSummary,
} from '../../../core/source-digests.js';
import type { Breather } from '../../../lib/pace.js';
import type { StatementChange } from '../../../registry/changes.js';
import type { Feed } from '../../../registry/feed.js';
import type { Row } from '../database/quad-store.js';
import { type Decision, TABLES } from '../database/tables.js';
import type { Entry } from '../listing/entry.js';
import { ChangeOrder } from './change-order.js';
import type { DocumentDifference, EntryChange } from './difference.js';
import type { Tombstones } from './tombstones.js';

/** Of the whole feed, as it is kept on disk. */
export interface FeedRow {
  readonly position: number;
  /** Of the latest change, ms since the Unix epoch. */
  readonly at: number;
  readonly floor: number;
  /** Rows of states. */
  readonly states: number;
}

/** What the log knows of one source. */
export interface LoggedSource {
  readonly source: Source;
  readonly hashes: SourceHashes;
  readonly summary: SourceSummary | undefined;
}

export interface ChangeLogParts {
  readonly row: FeedRow;
  readonly entries: readonly Entry[];
  readonly tombstones: Tombstones;
  readonly sources: readonly LoggedSource[];
  readonly networkRevision: number;
  readonly precedence: Precedence;
}

/** What one commit does to the feed: decided with it in one batch, then shown to readers by `ChangeLog.apply`. */
export interface Step {
  readonly decision: Decision;
  readonly feed: Feed;
  readonly row: FeedRow;
  readonly rows: readonly Row[];
  readonly source?: LoggedSource;
  readonly changes: readonly EntryChange[];
  readonly buried: readonly StatementChange[];
  readonly revived: readonly StatementChange[];
  readonly networkRevision: number;
}

interface StepOf {
  readonly now: number;
  readonly source?: Source;
  readonly differences?: readonly DocumentDifference[];
  readonly hashes?: HashChange;
  readonly networkRevision?: number;
}

/** The order of changes: who says what since when, what is gone, and the digests of it all. */
export class ChangeLog {
  readonly entries = new ChangeOrder<Entry>();
  readonly tombstones: Tombstones;
  readonly #precedence: Precedence;
  readonly #sources = new Map<string, LoggedSource>();
  #row: FeedRow;
  #feed: Feed;
  #networkRevision: number;

  constructor({ row, entries, tombstones, sources, networkRevision, precedence }: ChangeLogParts) {
    this.entries.load(entries);
    this.tombstones = tombstones;
    this.#precedence = precedence;
    this.#row = row;
    this.#networkRevision = networkRevision;
    for (const one of sources) this.#sources.set(sourceKey(one.source), one);
    this.#feed = this.#feedAt(row, summariesOf(this.#sources.values()), tombstones.size, networkRevision);
  }

  get feed(): Feed {
    return this.#feed;
  }

  /** What is known of each source, by its `sourceKey`. */
  get sources(): ReadonlyMap<string, LoggedSource> {
    return this.#sources;
  }

  get row(): FeedRow {
    return this.#row;
  }

  /** The hashes of a source, for what a change does to them. */
  hashChange(source: Source): HashChange {
    return new HashChange(this.#sources.get(sourceKey(source))?.hashes ?? NO_HASHES);
  }

  /**
   * What a commit does to the feed. Nothing else may change it until `apply`. Nobody sees the entries that come before that;
   * should the step not be made, they are thrown away. Gives way to other work.
   */
  async step(
    { now, source, differences = [], hashes, networkRevision = this.#networkRevision }: StepOf,
    breathe: Breather,
  ): Promise<Step> {
    const base = this.#row.position;
    const at = Math.max(now, this.#row.at);
    const [created, updated] = [
      { at, isUpdate: false },
      { at, isUpdate: true },
    ];
    const buried: StatementChange[] = [];
    const revived: StatementChange[] = [];
    let last = base;
    for (const { origin, changes } of differences) {
      const { source, document } = origin;
      for (const { before, after, entry, since } of changes) {
        last += 1;
        const stamp = before ? updated : created;
        entry?.stamp(last, since === undefined ? stamp : { ...stamp, since });
        entry?.date();
        if (!after && before) buried.push({ position: last, at, source, document, uri: before.uri });
        const removal = after && !before ? this.tombstones.of(source, document, after.uri) : undefined;
        if (removal) revived.push(removal);
        await breathe();
      }
    }
    const position = Math.max(last, base + 1);
    const logged = source && hashes && this.#logged(source, hashes, position);
    const row = { position, at, floor: this.#row.floor, states: this.#row.states + 1 };
    const summaries = logged ? this.#summariesWith(logged) : this.#feed.sources;
    const tombstones = this.tombstones.size + buried.length - revived.length;
    const feed = this.#feedAt(row, summaries, tombstones, networkRevision);
    return {
      decision: { base, at },
      feed,
      row,
      buried,
      revived,
      networkRevision,
      changes: differences.flatMap(({ changes }) => changes),
      source: logged,
      rows: [
        TABLES.meta('feed', row),
        TABLES.state(position, feed.digest.slice(0, DIGEST_DIGITS)),
        ...(logged && hashes ? hashRows(logged, changedOrFirst(hashes), position) : []),
        ...revived.map((one) => TABLES.tombstone(one.position, undefined)),
        ...buried.map(({ position, source, document, uri, at }) =>
          TABLES.tombstone(position, { source: sourceKey(source), document, uri, at }),
        ),
      ],
    };
  }

  /** Makes a step that is on disk, in the turn in which readers see its commit. */
  apply({ feed, row, source, changes, buried, revived, networkRevision }: Step): void {
    for (const { gone } of changes) if (gone) this.entries.delete(gone);
    for (const { entry } of changes) if (entry) this.entries.append(entry);
    for (const one of revived) this.tombstones.delete(one);
    for (const one of buried) this.tombstones.add(one);
    if (source) this.#hold(source);
    this.#networkRevision = networkRevision;
    this.#row = row;
    this.#feed = feed;
  }

  /** Forgets everything up to a position: first for readers, who then do not miss what is deleted from disk. */
  forget(floor: number, states: number, tombstones: readonly StatementChange[]): Feed {
    for (const one of tombstones) this.tombstones.delete(one);
    this.#row = { ...this.#row, floor: Math.max(floor, this.#row.floor), states: this.#row.states - states };
    this.#feed = { ...this.#feed, floor: this.#row.floor, tombstones: this.tombstones.size };
    return this.#feed;
  }

  #feedAt(
    { position, floor }: FeedRow,
    sources: readonly SourceSummary[],
    tombstones: number,
    network: number,
  ) {
    return { position, floor, tombstones, sources, digest: feedDigest(sources, network) };
  }

  #logged(source: Source, hashes: HashChange, position: number): LoggedSource {
    const rank = this.#precedence.rank(source);
    return { source, hashes: hashes.all, summary: sourceSummary(source, hashes.all, { rank, position }) };
  }

  #summariesWith(logged: LoggedSource): readonly SourceSummary[] {
    const key = sourceKey(logged.source);
    const others = this.#feed.sources.filter(({ source }) => sourceKey(source) !== key);
    return logged.summary ? [...others, logged.summary] : others;
  }

  #hold(logged: LoggedSource): void {
    const key = sourceKey(logged.source);
    if (logged.summary) this.#sources.set(key, logged);
    else this.#sources.delete(key);
  }
}

export function summariesOf(sources: Iterable<LoggedSource>): SourceSummary[] {
  return [...sources].flatMap(({ summary }) => summary ?? []);
}

/** The rows of those hashes of a source that differ. */
export function hashRows({ source, summary }: LoggedSource, changed: SourceHashes, position: number): Row[] {
  return [...changed].map(([of, hash]) => {
    const text = `${position} ${summary?.rank ?? 0} ${hash.serialized()}`;
    return TABLES.hash(source, of, hash.count === 0 ? undefined : text);
  });
}

/** The rows of hashes tell the position of the latest change, also of one after which the source says the same. */
function changedOrFirst({ changed, all }: HashChange): SourceHashes {
  return changed.size > 0 ? changed : new Map([...all].slice(0, 1));
}
