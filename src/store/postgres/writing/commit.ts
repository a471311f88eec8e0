import { pinKey } from '../../../component/pin.js';
import { pinOf } from '../../../core/pins.js';
import type { Precedence } from '../../../core/precedence.js';
import type { SourceSummary } from '../../../core/source-digests.js';
import { HashChange, type SourceHashes, sourceSummary } from '../../../core/source-digests.js';
import type { Pace } from '../../../lib/pace.js';
import { type ChangeCount, NO_CHANGE, sumOfCounts } from '../../../registry/change.js';
import type { DocumentChange } from '../../../registry/source-change.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import type { Session } from '../connection/session.js';
import { type Difference, differenceOf } from './difference.js';
import { type History, type Locked, lockHistory, type Moved, moveTo } from './history.js';
import { type Candidate, decideServed, nameOf } from './served.js';
import {
  addPostings,
  markServed,
  putStatements,
  readByUri,
  removePostings,
  removeStatements,
} from './statements.js';
import * as stored from './stored-documents.js';
import { readPins } from './stored-pins.js';
import { bury, revive } from './tombstones.js';

export interface CommitParts {
  readonly session: Session;
  readonly source: stored.LockedSource;
  readonly precedence: Precedence;
  readonly pace: Pace;
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly history: History;
}

/** A change of one source on its way into the database, inside of one transaction. */
export class Commit {
  readonly #parts: CommitParts;
  readonly #hashes: HashChange;
  /** Locked with the first change that readers see. */
  #locked: Locked | undefined;
  #position = 0;
  #components = 0;
  #tombstones = 0;
  count: ChangeCount = NO_CHANGE;

  private constructor(parts: CommitParts, hashes: SourceHashes) {
    this.#parts = parts;
    this.#hashes = new HashChange(hashes);
  }

  static async begin(parts: CommitParts, touchesHashes: boolean): Promise<Commit> {
    const { session, source } = parts;
    return new Commit(parts, touchesHashes ? await stored.readHashes(session, source.id) : new Map());
  }

  /** Writes what becomes of documents, of which none is named twice. */
  async apply(changes: readonly DocumentChange[]): Promise<void> {
    const { session, source, pace } = this.#parts;
    if (changes.length === 0) return;
    const documents = await stored.readDocuments(
      session,
      source.id,
      changes.map(({ url }) => url),
    );
    const breathe = pace();
    const difference = await differenceOf(changes, { session, documents, hashes: this.#hashes, breathe });
    const added = changes.filter(({ url, record }) => record !== null && !documents.has(url));
    const ids = await stored.addDocuments(
      session,
      source.id,
      added.map(({ url }) => url),
    );
    const idOf = (url: string) => documents.get(url)?.id ?? ids.get(url) ?? 0;
    if (difference.puts.length + difference.gone.length > 0) await this.#store(changes, difference, idOf);
    await this.#remember(changes, difference, idOf);
    this.count = sumOfCounts([this.count, difference.count]);
  }

  /** Writes what is remembered of the source, and where the registry stands, if it stands elsewhere. @throws DigestMismatch */
  async finish(
    record: SourceRecord,
    expected: ReadonlyMap<string, string> | undefined,
  ): Promise<Moved | undefined> {
    const { session, source } = this.#parts;
    this.#hashes.verify(expected);
    if (!this.#locked && this.#hashes.changed.size === 0) {
      await session.rows('UPDATE registry.source SET record = $2 WHERE id = $1', [
        source.id,
        JSON.stringify(record),
      ]);
      return undefined;
    }
    const { head, summaries } = await this.#lock();
    const position = Math.max(this.#position, head.position + 1);
    const summary = await this.#writeLine(record, position);
    const { kind, url } = source.source;
    const others = summaries.filter((one) => one.source.kind !== kind || one.source.url !== url);
    return this.#move(position, summary ? [...others, summary] : others);
  }

  async #lock(): Promise<Locked> {
    if (!this.#locked) {
      this.#locked = await lockHistory(this.#parts.session, this.#parts.history);
      this.#position = this.#locked.head.position;
    }
    return this.#locked;
  }

  get #at(): number {
    return Math.max(this.#parts.now, this.#locked?.head.changed_at ?? 0);
  }

  async #store(
    changes: readonly DocumentChange[],
    { puts, gone }: Difference,
    idOf: (url: string) => number,
  ): Promise<void> {
    const { session, source, precedence } = this.#parts;
    const { head } = await this.#lock();
    const authorities = new Map(changes.map(({ url, record }) => [url, record?.authority]));
    const standingIn = (url: string) =>
      precedence.standing({ source: source.source, document: url, authority: authorities.get(url) });
    const coming = puts.map(
      ({ uri, document: url, metadata }): Candidate => ({
        uri,
        document: idOf(url),
        metadata: () => metadata,
        served: false,
        standing: standingIn(url),
      }),
    );
    const leaving = new Set([...gone.map((one) => nameOf(one.stored)), ...coming.map(nameOf)]);
    const uris = new Set([...puts.map(({ uri }) => uri), ...gone.map((one) => one.stored.uri)]);
    const before = await readByUri(session, [...uris]);
    const change = decideServed({ before, leaving, coming });
    const base = this.#position;
    // Behind the lock of the head, where nobody else sets pins.
    const pins = await readPins(
      session,
      puts.map(({ metadata }) => metadata),
    );
    await removeStatements(
      session,
      gone.map((one) => one.stored),
    );
    await putStatements(
      session,
      { source: source.id, at: this.#at },
      puts.map(({ document: url, offset, ...put }) => {
        const named = { ...put, document: idOf(url) };
        const served = change.served.has(nameOf(named));
        const seen = pins.get(pinKey(put.metadata));
        const pin = pinOf(seen, { ...standingIn(url), metadata: put.metadata });
        return { ...named, position: base + offset, served, pin };
      }),
    );
    await markServed(session, change.shadowed, false);
    await markServed(session, change.promoted, true);
    await removePostings(session, change.removed);
    await addPostings(session, change.added);
    await stored.countServed(session, change.documents);
    if (head.tombstones + this.#tombstones > 0) {
      this.#tombstones -= await revive(session, source.source, puts);
    }
    await bury(session, gone, { source: source.source, base, at: this.#at });
    this.#tombstones += gone.length;
    this.#position += puts.length + gone.length;
    this.#components += change.components;
  }

  async #remember(
    changes: readonly DocumentChange[],
    { components }: Difference,
    idOf: (url: string) => number,
  ): Promise<void> {
    const { session, precedence } = this.#parts;
    const { source } = this.#parts.source;
    await stored.updateDocuments(
      session,
      changes.flatMap(({ url, record }) => {
        if (record === null) return [];
        const standing = precedence.standing({ source, document: url, authority: record.authority });
        return [{ id: idOf(url), record, components: components.get(url) ?? 0, standing }];
      }),
    );
    const gone = changes.filter(({ record }) => record === null).map(({ url }) => idOf(url));
    await stored.removeDocuments(session, gone);
  }

  async #writeLine(record: SourceRecord, position: number): Promise<SourceSummary | undefined> {
    const { session, source, precedence } = this.#parts;
    const rank = precedence.rank(source.source);
    await stored.writeHashes(session, source.id, this.#hashes.changed);
    const summary = sourceSummary(source.source, this.#hashes.all, { rank, position });
    await session.rows(
      'UPDATE registry.source SET record = $2, rank = $3, count = $4, digest = $5, position = $6 WHERE id = $1',
      [source.id, JSON.stringify(record), rank, summary?.count ?? 0, summary?.digest ?? '', position],
    );
    return summary;
  }

  async #move(position: number, summaries: readonly SourceSummary[]): Promise<Moved> {
    const { session, now } = this.#parts;
    const { head } = await this.#lock();
    const moved = {
      ...head,
      revision: head.revision + 1,
      since: Math.max(now, head.since),
      components: head.components + this.#components,
      position,
      tombstones: head.tombstones + this.#tombstones,
    };
    return moveTo(session, { head: moved, summaries }, now);
  }
}
