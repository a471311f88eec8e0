import { pinKey } from '../../../component/pin.js';
import { pinOf } from '../../../core/pins.js';
import type { Precedence } from '../../../core/precedence.js';
import type { SourceSummary } from '../../../core/source-digests.js';
import { HashChange, sourceSummary } from '../../../core/source-digests.js';
import type { Pace } from '../../../lib/pace.js';
import { type ChangeCount, NO_CHANGE } from '../../../registry/change.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import type { DocumentChange } from '../../../registry/source-change.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import type { Transaction } from '../connection/transaction.js';
import { type Difference, differenceOf } from './difference.js';
import { type History, type Locked, lockHistory, type Moved, moveTo } from './history.js';
import { changePostings } from './postings.js';
import { type Candidate, decideServed, nameOf } from './served.js';
import { markServed, putStatements, readAffected, removeStatements } from './statements.js';
import * as stored from './stored-documents.js';
import { pinRowKey, pinsIn } from './stored-pins.js';
import { bury, removalKeys, revive } from './tombstones.js';

export interface CommitParts {
  readonly transaction: Transaction;
  readonly source: stored.LockedSource;
  readonly precedence: Precedence;
  readonly pace: Pace;
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly history: History;
}

/** What is written of the source with a change of it. */
export interface Finish {
  /** `undefined`: nothing is left of it. */
  readonly record: SourceRecord | undefined;
  /** See `SourceChange`. */
  readonly expected?: ReadonlyMap<string, string> | undefined;
  /** See `updateSource`. */
  readonly polledBy?: string | undefined;
}

const NOTHING: stored.StoredPart = { documents: new Map(), hashes: new Map() };

/** A change of one source on its way into the database, inside of one transaction. */
export class Commit {
  readonly #parts: CommitParts;
  readonly #hashes: HashChange;
  /** As they are stored. */
  readonly #documents: stored.StoredPart['documents'];
  /** Locked with the first change that readers see. */
  #locked: Locked | undefined;
  #position = 0;
  #components = 0;
  #tombstones = 0;
  count: ChangeCount = NO_CHANGE;

  private constructor(parts: CommitParts, { documents, hashes }: stored.StoredPart) {
    this.#parts = parts;
    this.#documents = documents;
    this.#hashes = new HashChange(hashes);
  }

  /** `urls`: of all documents that are to be changed. `verifies`: are digests expected? */
  static async begin(parts: CommitParts, urls: readonly string[], verifies: boolean): Promise<Commit> {
    const { transaction, source } = parts;
    const isNeeded = urls.length > 0 || verifies;
    return new Commit(parts, isNeeded ? await stored.readPart(transaction, source.id, urls) : NOTHING);
  }

  /** What is remembered of a document. */
  recordOf(url: string): DocumentRecord {
    return this.#documents.get(url)?.record ?? {};
  }

  /** Writes what becomes of documents, of which none is named twice. To be called once. */
  async apply(changes: readonly DocumentChange[]): Promise<void> {
    const { transaction, source, pace } = this.#parts;
    if (changes.length === 0) return;
    const documents = this.#documents;
    const breather = pace();
    const breathe = async () => {
      await breather();
      await transaction.stay();
    };
    const parts = { session: transaction, documents, hashes: this.#hashes, breathe };
    const difference = await differenceOf(changes, parts);
    const added = changes.filter(({ url, record }) => record !== null && !documents.has(url));
    const ids = await stored.addDocuments(
      transaction,
      source.id,
      added.map(({ url }) => url),
    );
    const idOf = (url: string) => documents.get(url)?.id ?? ids.get(url) ?? 0;
    const isReal = difference.puts.length + difference.gone.length > 0;
    const served = isReal ? await this.#store(changes, difference, idOf) : new Map<number, number>();
    this.#remember(changes, difference, { idOf, served });
    this.count = difference.count;
  }

  /** Writes what is remembered of the source, and where the registry stands, if it stands elsewhere. @throws DigestMismatch */
  async finish({ record, expected, polledBy }: Finish): Promise<Moved | undefined> {
    const { source, precedence } = this.#parts;
    this.#hashes.verify(expected);
    if (!this.#locked && this.#hashes.changed.size === 0) {
      this.#write({ record, polledBy });
      return undefined;
    }
    const { head, summaries } = await this.#lock();
    const position = Math.max(this.#position, head.position + 1);
    const rank = precedence.rank(source.source);
    const summary = sourceSummary(source.source, this.#hashes.all, { rank, position });
    const line = { rank, position, count: summary?.count ?? 0, digest: summary?.digest ?? '' };
    this.#write({ record, polledBy }, line);
    const { kind, url } = source.source;
    const others = summaries.filter((one) => one.source.kind !== kind || one.source.url !== url);
    return this.#move(position, summary ? [...others, summary] : others);
  }

  #write({ record, polledBy }: Finish, line: Partial<stored.SourceUpdate> = {}): void {
    const { transaction, source } = this.#parts;
    if (record) {
      stored.writeHashes(transaction, source.id, this.#hashes.changed);
      stored.updateSource(transaction, source.id, { record, ...line }, polledBy);
    } else stored.removeSource(transaction, source.id);
  }

  async #lock(): Promise<Locked> {
    if (!this.#locked) {
      this.#locked = await lockHistory(this.#parts.transaction, this.#parts.history);
      this.#position = this.#locked.head.position;
    }
    return this.#locked;
  }

  get #at(): number {
    return Math.max(this.#parts.now, this.#locked?.head.changed_at ?? 0);
  }

  /** @returns how many more statements of each document are served, by id */
  async #store(
    changes: readonly DocumentChange[],
    { puts, gone }: Difference,
    idOf: (url: string) => number,
  ): Promise<ReadonlyMap<number, number>> {
    const { transaction, source, precedence } = this.#parts;
    const { head } = await this.#lock();
    const authorities = new Map(changes.map(({ url, record }) => [url, record?.authority]));
    const standingIn = (url: string) =>
      precedence.standing({ source: source.source, document: url, authority: authorities.get(url) });
    const coming = puts.map(
      ({ uri, document: url, terms }): Candidate => ({
        uri,
        document: idOf(url),
        terms: () => terms,
        served: false,
        standing: standingIn(url),
      }),
    );
    const leaving = gone.map((one) => one.stored);
    const isRemembered = head.tombstones + this.#tombstones > 0;
    // Behind the lock of the head, where nobody else changes what is said of the components, or sets pins.
    const before = await readAffected(transaction, {
      uris: [...new Set([...puts, ...leaving].map(({ uri }) => uri))],
      pins: puts.map(({ metadata }) => pinRowKey(metadata)),
      removals: isRemembered ? removalKeys(source.source, puts) : [],
    });
    const names = new Set([...leaving, ...coming].map(nameOf));
    const change = decideServed({ before: before.statements, leaving: names, coming });
    await transaction.stay();
    const pins = pinsIn(before.pins);
    const base = this.#position;
    removeStatements(transaction, leaving);
    putStatements(
      transaction,
      { source: source.id, at: this.#at },
      puts.map(({ document: url, offset, ...put }) => {
        const named = { ...put, document: idOf(url) };
        const served = change.served.has(nameOf(named));
        const seen = pins.get(pinKey(put.metadata));
        const pin = pinOf(seen, { ...standingIn(url), metadata: put.metadata });
        return { ...named, position: base + offset, served, pin };
      }),
    );
    await transaction.stay();
    markServed(transaction, change);
    changePostings(transaction, change);
    await transaction.stay();
    revive(transaction, before.removals);
    bury(transaction, gone, { source: source.source, base, at: this.#at });
    this.#tombstones += gone.length - before.removals.length;
    this.#position += puts.length + gone.length;
    this.#components += change.components;
    return change.documents;
  }

  #remember(
    changes: readonly DocumentChange[],
    { components }: Difference,
    {
      idOf,
      served,
    }: { readonly idOf: (url: string) => number; readonly served: ReadonlyMap<number, number> },
  ): void {
    const { transaction, precedence } = this.#parts;
    const { source } = this.#parts.source;
    const others = new Map(served);
    for (const { url } of changes) others.delete(idOf(url));
    const updates = changes.flatMap(({ url, record }) => {
      if (record === null) return [];
      const standing = precedence.standing({ source, document: url, authority: record.authority });
      return [{ id: idOf(url), record, components: components.get(url) ?? 0, standing }];
    });
    stored.updateDocuments(transaction, updates, served);
    stored.countServed(transaction, others);
    const gone = changes.filter(({ record }) => record === null).map(({ url }) => idOf(url));
    stored.removeDocuments(transaction, gone);
  }

  async #move(position: number, summaries: readonly SourceSummary[]): Promise<Moved> {
    const { transaction, now } = this.#parts;
    const { head } = await this.#lock();
    const moved = {
      ...head,
      revision: head.revision + 1,
      since: Math.max(now, head.since),
      components: head.components + this.#components,
      position,
      tombstones: head.tombstones + this.#tombstones,
    };
    return moveTo(transaction, { head: moved, summaries }, now);
  }
}
