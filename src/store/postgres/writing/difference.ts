import type { Metadata } from '../../../component/metadata.js';
import { sameAuthority } from '../../../core/precedence.js';
import type { Breather } from '../../../lib/pace.js';
import type { ChangeCount } from '../../../registry/change.js';
import type { Amendment, DocumentChange } from '../../../registry/source-change.js';
import type { DocumentRecord } from '../../../registry/source-record.js';
import type { HashChange } from '../../feed/source-hashes.js';
import type { Session } from '../connection/session.js';
import { orderKey } from '../order-key.js';
import { metadataOf, payloadOf } from '../payload.js';
import { type Differing, readDiffering } from './differing.js';
import { readAmended, readByDocument, type StoredStatement } from './statements.js';
import type { StoredDocument } from './stored-documents.js';

/** A statement as a change leaves it. `offset`: its place among the positions that the commit is given. */
export interface Put {
  readonly uri: string;
  readonly document: string;
  readonly metadata: Metadata;
  readonly payload: string;
  readonly isUpdate: boolean;
  readonly offset: number;
}

/** A statement that goes. */
export interface Gone {
  readonly stored: StoredStatement;
  readonly document: string;
  readonly offset: number;
}

/** What has to happen so that documents say something else. */
export interface Difference {
  readonly puts: readonly Put[];
  readonly gone: readonly Gone[];
  readonly count: ChangeCount;
  /** How many components each of the documents describes afterwards, by URL. */
  readonly components: ReadonlyMap<string, number>;
}

export interface DifferenceParts {
  readonly session: Session;
  /** As they are stored, by URL. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** Takes in what the change does to the hashes of the source. */
  readonly hashes: HashChange;
  readonly breathe: Breather;
}

/**
 * Compares what documents say with what they shall say; no document may be named twice.
 * @throws TypeError for a change of `of` without what the document says
 */
export async function differenceOf(
  changes: readonly DocumentChange[],
  parts: DifferenceParts,
): Promise<Difference> {
  const { documents } = parts;
  for (const change of changes) refuseOrphans(change, documents.get(change.url));
  const comparing = new Comparing(parts);
  const [said, differing] = [await statementsOf(changes, parts), await differingOf(changes, parts)];
  for (const change of changes) {
    const { url } = change;
    const differs = differing.get(documents.get(url)?.id ?? 0);
    if (differs) await comparing.compare(withOnly(differs.coming, change), byUri(differs.stored));
    else await comparing.compare(change, said.get(url) ?? new Map());
  }
  return comparing;
}

function withOnly(components: readonly Metadata[], { url, record }: DocumentChange): DocumentChange {
  return { url, record: record ?? {}, components };
}

type Said = ReadonlyMap<string, StoredStatement>;

/** What the documents say now, by URL and by uri, as far as the changes touch it and it is not compared by the database. */
async function statementsOf(
  changes: readonly DocumentChange[],
  { session, documents }: DifferenceParts,
): Promise<Map<string, Said>> {
  const said = new Map<string, Map<string, StoredStatement>>();
  const whole = new Map<number, string>();
  for (const change of changes) {
    const stored = documents.get(change.url);
    if (!stored || stored.components === 0 || isCompared(change, stored)) continue;
    if (isWhole(change, stored)) whole.set(stored.id, change.url);
    else if (change.amend) {
      const { put = [], remove = [] } = change.amend;
      const uris = [...put.map(({ uri }) => uri), ...remove].map(orderKey);
      said.set(change.url, byUri(await readAmended(session, stored.id, uris)));
    }
  }
  for (const statement of await readByDocument(session, [...whole.keys()])) {
    const url = whole.get(statement.document) ?? '';
    const known = said.get(url) ?? new Map<string, StoredStatement>();
    said.set(url, known.set(statement.uri, statement));
  }
  return said;
}

/** Of documents that are given as a whole, and of which most is likely to be as it was: what is not. By their ids. */
async function differingOf(
  changes: readonly DocumentChange[],
  { session, documents, breathe }: DifferenceParts,
): Promise<Map<number, Differing>> {
  const wanted = new Map<number, Iterable<Metadata>>();
  for (const change of changes) {
    const stored = documents.get(change.url);
    if (stored && isCompared(change, stored)) wanted.set(stored.id, firstOfEach(change.components).values());
  }
  return readDiffering(session, wanted, breathe);
}

type WholeChange = Extract<DocumentChange, { readonly components: readonly Metadata[] }>;

/** Is it enough to know what differs? Not where everything gets another place or another group. */
function isCompared(change: DocumentChange, stored: StoredDocument): change is WholeChange {
  const { components, record } = change;
  if (!components || stored.components === 0) return false;
  return !hasMoved(record, stored.record) && (record.of ?? '') === (stored.record.of ?? '');
}

/** Does the change touch everything that the document says? */
function isWhole({ components, record }: DocumentChange, stored: StoredDocument): boolean {
  return components !== undefined || record === null || hasMoved(record, stored.record);
}

/** Does everything that the document says take another place among what others say? */
function hasMoved(record: DocumentRecord | null, before: DocumentRecord | undefined): boolean {
  return record !== null && !sameAuthority(record.authority, before?.authority);
}

function byUri(statements: readonly StoredStatement[]): Map<string, StoredStatement> {
  return new Map(statements.map((statement) => [statement.uri, statement]));
}

class Comparing implements Difference {
  readonly puts: Put[] = [];
  readonly gone: Gone[] = [];
  readonly components = new Map<string, number>();
  readonly count = { added: 0, changed: 0, removed: 0 };
  readonly #parts: DifferenceParts;
  #offset = 0;

  constructor(parts: DifferenceParts) {
    this.#parts = parts;
  }

  async compare(change: DocumentChange, said: Said): Promise<void> {
    const { url, record } = change;
    const stored = this.#parts.documents.get(url);
    const after = saidAfter(change, said, hasMoved(record, stored?.record));
    const { added, removed } = this.count;
    if (after) {
      await this.#put(change, after.said, said);
      await this.#bury(change, after.removed, said);
    }
    const more = this.count.added - added - (this.count.removed - removed);
    this.components.set(url, (stored?.components ?? 0) + more);
  }

  async #put(
    { url, record }: DocumentChange,
    after: ReadonlyMap<string, Metadata>,
    said: Said,
  ): Promise<void> {
    const { documents, hashes, breathe } = this.#parts;
    const before = documents.get(url)?.record;
    const of = { before: before?.of ?? '', after: record?.of ?? '' };
    const moved = hasMoved(record, before);
    for (const [uri, metadata] of after) {
      await breathe();
      const old = said.get(uri);
      const payload = payloadOf(metadata);
      const isSame = old?.payload === payload;
      if (!isSame || of.before !== of.after) {
        if (old) hashes.remove(of.before, url, metadataOf(old.payload));
        hashes.add(of.after, url, metadata);
      }
      if (isSame && !moved) continue;
      if (!isSame) this.count[old ? 'changed' : 'added'] += 1;
      const [isUpdate, offset] = [old !== undefined, this.#next()];
      this.puts.push({ uri, document: url, metadata, payload, isUpdate, offset });
    }
  }

  async #bury({ url }: DocumentChange, removed: Iterable<string>, said: Said): Promise<void> {
    const { documents, hashes, breathe } = this.#parts;
    const of = documents.get(url)?.record.of ?? '';
    for (const uri of removed) {
      await breathe();
      const stored = said.get(uri);
      if (!stored) continue;
      hashes.remove(of, url, metadataOf(stored.payload));
      this.count.removed += 1;
      this.gone.push({ stored, document: url, offset: this.#next() });
    }
  }

  #next(): number {
    this.#offset += 1;
    return this.#offset;
  }
}

/** What is compared of a document: what it says from now on, and what it may say no longer, by uri. */
interface After {
  readonly said: ReadonlyMap<string, Metadata>;
  readonly removed: Iterable<string>;
}

/** `undefined` when what the document says does not change. */
function saidAfter(
  { components, amend, record }: DocumentChange,
  said: Said,
  moved: boolean,
): After | undefined {
  if (record === null) return { said: new Map(), removed: said.keys() };
  if (components) return replaced(components, said);
  return amend || moved ? amended(amend ?? {}, said, moved) : undefined;
}

/** By uri: of several descriptions of one component, the first one counts. */
function firstOfEach(components: readonly Metadata[]): Map<string, Metadata> {
  const first = new Map<string, Metadata>();
  for (const one of components) if (!first.has(one.uri)) first.set(one.uri, one);
  return first;
}

/** The same, by the key of the uri. */
function byKey(components: readonly Metadata[]): Map<string, Metadata> {
  return new Map([...firstOfEach(components)].map(([uri, one]) => [orderKey(uri), one]));
}

function replaced(components: readonly Metadata[], said: Said): After {
  const after = byKey(components);
  return { said: after, removed: [...said.keys()].filter((uri) => !after.has(uri)) };
}

/** With another authority, everything that the document says is put anew. */
function amended({ put = [], remove = [] }: Amendment, said: Said, moved: boolean): After {
  const after = new Map<string, Metadata>();
  const removed = new Set(remove.map(orderKey));
  if (moved) {
    for (const [uri, { payload }] of said) if (!removed.has(uri)) after.set(uri, metadataOf(payload));
  }
  for (const [uri, one] of byKey(put)) after.set(uri, one);
  return { said: after, removed: [...removed].filter((uri) => !after.has(uri)) };
}

function refuseOrphans({ components, record }: DocumentChange, stored: StoredDocument | undefined): void {
  if (record === null || components || !stored || stored.components === 0) return;
  if ((record.of ?? '') === (stored.record.of ?? '')) return;
  throw new TypeError('What a document belongs to changes only with all that it says');
}
