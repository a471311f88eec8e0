import { createHash } from 'node:crypto';
import type { Quad } from '@rdfjs/types';
import { type Term, termToId } from 'n3';
import type { Keep, Reads, Row, StoredRow, Writes } from '../../keep/keep.js';
import { type Pace, withoutPause } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import { uriKey } from '../uri.js';
import { type CachedResource, graphOf } from './cached-resource.js';
import type { Connection } from './connection.js';
import type { Exchange, Invite } from './invite.js';

/** The records of each kind; the kinds are the names of the tables. */
export interface Kinds {
  connection: Connection;
  invite: Invite;
  exchange: Exchange;
  resource: CachedResource;
}
export type Kind = keyof Kinds;

export const KINDS: readonly Kind[] = ['connection', 'invite', 'exchange', 'resource'];

export function kindOf(table: string): Kind | undefined {
  return KINDS.find((kind) => kind === table);
}

/** Under a kind and a URI, the holders who have such a record: different holders may have chosen the same URI. */
const HOLDERS = 'holder-of';
/** Under a holder and a connection, the invites and exchanges that name it. */
const LINKED = 'linked-to';
/** By these, records are found that are stored in other tables. */
export const INDEXES: readonly string[] = [HOLDERS, LINKED];
/** Its only row holds the number of the record that was made last. */
const COUNTER = { table: 'counter', key: 'last' } as const;

export const RECORD_TABLES: readonly string[] = [...KINDS, ...INDEXES, COUNTER.table];

/** A record, and its number in the order of creation. */
export interface Stored<T> {
  readonly seq: number;
  readonly record: T;
}

/** A record of any kind. */
export type AnyStored = Stored<Kinds[Kind]>;

/** What tells a record from the others of its kind: one document that is read for two connections is two resources. */
export interface Named {
  readonly holder: string;
  readonly uri: string;
  readonly connection?: string | null;
}

/**
 * A record that is added, or takes the place of the one with the same key; or one that goes. `triples` are all that a
 * resource has from then on, and those of one that goes, go with it.
 */
export type RecordChange = {
  [K in Kind]: { readonly kind: K } & (
    | { readonly put: Kinds[K] /** Where it takes over another's number. */; readonly seq?: number }
    | { readonly remove: Kinds[K] }
  ) & { readonly triples?: readonly Quad[] | undefined };
}[Kind];

/** The outcome of a decision. All of its changes are written, or none. */
export interface Decision<T> extends Pick<Writes, 'erase'> {
  readonly changes: readonly RecordChange[];
  readonly result: T;
}

/** What a decision can look at: the records as they are, while nobody changes them. */
export class RecordReads {
  readonly #reads: Reads;
  readonly #pace: Pace;

  constructor(reads: Reads, pace = withoutPause) {
    this.#reads = reads;
    this.#pace = pace;
  }

  async get<K extends Kind>(kind: K, named: Named): Promise<Stored<Kinds[K]> | undefined> {
    return (await this.#rowsOf<K>(kind, [keyOf(kind, named)]))[0];
  }

  /** The records with this URI, of one holder or of whoever has one, the oldest first. */
  async named<K extends Kind>(kind: K, uri: string, holder?: string): Promise<Stored<Kinds[K]>[]> {
    const found = await this.#keys(HOLDERS, [kind, uri, ...(holder === undefined ? [] : [holder])]);
    const keys = found.map((key) => {
      const [, name, ...others] = key.trimEnd().split(' ');
      return [...others, name].join(' ');
    });
    return (await this.#rowsOf<K>(kind, keys)).sort((a, b) => a.seq - b.seq);
  }

  /** The invites, or the exchanges, of a holder that name the connection. */
  async linkedTo<K extends 'invite' | 'exchange'>(
    kind: K,
    { holder, uri }: Pick<Connection, 'holder' | 'uri'>,
  ): Promise<Stored<Kinds[K]>[]> {
    const found = await this.#keys(LINKED, [holder, uri, kind]);
    const keys = found.map((key) => `${nameOf(holder)} ${key.trimEnd().split(' ').at(-1)}`);
    return this.#rowsOf<K>(kind, keys);
  }

  /** The records of a holder, or of one of his connections, or all, the newest first. */
  async list<K extends Kind>(
    kind: K,
    { holder, connection }: { holder?: string | undefined; connection?: string } = {},
  ): Promise<Stored<Kinds[K]>[]> {
    const breathe = this.#pace();
    const listed: Stored<Kinds[K]>[] = [];
    const prefix = prefixOf([holder, connection].filter((name) => name !== undefined));
    for await (const { rows } of this.#reads.rows([kind], prefix)) {
      for (const row of rows) {
        listed.push(storedIn(row));
        await breathe();
      }
    }
    return sortedBy(listed, ({ seq }) => -seq, breathe);
  }

  async triples(resource: Pick<CachedResource, 'connection' | 'uri'>): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.#reads.quads([graphOf(resource)])) quads.push(...slice);
    return quads;
  }

  /** The number of the record that was made last. */
  async last(): Promise<number> {
    const row = (await this.#reads.get(COUNTER.table, [COUNTER.key])).get(COUNTER.key);
    return Number(row?.value ?? 0);
  }

  async #rowsOf<K extends Kind>(kind: K, keys: readonly string[]): Promise<Stored<Kinds[K]>[]> {
    const rows = await this.#reads.get(kind, keys);
    return [...rows.values()].map((row) => storedIn(row));
  }

  async #keys(table: string, names: readonly string[]): Promise<string[]> {
    const keys: string[] = [];
    for await (const { rows } of this.#reads.rows([table], prefixOf(names)))
      keys.push(...rows.map(({ key }) => key));
    return keys;
  }
}

/** All records of the service, which are in the keep and nowhere else, and are found there by key. */
export class Records extends RecordReads {
  readonly #keep: Keep;

  /** `pace`: how the reading of long lists gives way to others. */
  constructor(keep: Keep, pace?: Pace) {
    super(keep, pace);
    this.#keep = keep;
  }

  /**
   * Runs `decide` while nobody else changes anything, also on other nodes with the same keep, and writes its changes as one
   * durable change. It must be short, and may be run again from its beginning. When it throws, or the keep fails, the error is
   * passed on and nothing changes. @throws KeepFull, KeepUnavailable, OutcomeUnknown
   */
  change<T>(decide: (now: RecordReads) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.#keep.exclusively(async (reads) => {
      const now = new RecordReads(reads);
      const { changes, result, erase } = await decide(now);
      return { ...(await writesOf(changes, now)), ...(erase ? { erase } : {}), result };
    });
  }

  /** Why nothing can be written at present. */
  get trouble(): Keep['trouble'] {
    return this.#keep.trouble;
  }

  /** Closes the keep after the change that is under way. */
  close(): Promise<void> {
    return this.#keep.close();
  }
}

async function writesOf(changes: readonly RecordChange[], now: RecordReads): Promise<Writes> {
  const removed: Row[] = [];
  const put: Row[] = [];
  const quads = { remove: [] as Quad[], put: [] as Quad[] };
  const before = await now.last();
  let last = before;
  for (const change of changes) {
    const { kind, triples } = change;
    const record = 'put' in change ? change.put : change.remove;
    const former = await now.get(kind, record);
    if (former)
      removed.push(...rowsOfRecord(kind, former).map(({ table, key }) => ({ table, key, value: undefined })));
    if ('put' in change)
      put.push(...rowsOfRecord(kind, { seq: change.seq ?? former?.seq ?? ++last, record }));
    if (change.kind !== 'resource' || ('put' in change && !triples)) continue;
    // Compared here, where nothing else is committed: another node may have stored other triples meanwhile.
    const stored = await now.triples('put' in change ? change.put : change.remove);
    quads.remove.push(...without(stored, triples));
    quads.put.push(...without(triples ?? [], stored));
  }
  return { rows: [...removed, ...put, ...(last === before ? [] : [counterRow(last)])], quads };
}

function without(quads: readonly Quad[], others: readonly Quad[] = []): Quad[] {
  const known = new Set(others.map(tripleKey));
  return quads.filter((quad) => !known.has(tripleKey(quad)));
}

function tripleKey({ subject, predicate, object }: Quad): string {
  return [subject, predicate, object].map((term) => termToId(term as Term)).join(' ');
}

function storedIn<T>({ value }: StoredRow): Stored<T> {
  return JSON.parse(value);
}

/** The rows by which a record is stored and found. */
export function rowsOfRecord(kind: Kind, { seq, record }: AnyStored): Row[] {
  const { holder, uri, connection }: Named = record as Named;
  const of = kind === 'resource' ? [holder, connection ?? ''] : [holder];
  const isLinked = kind !== 'resource' && connection;
  return [
    { table: kind, key: keyOf(kind, record), value: JSON.stringify({ seq, record }) },
    { table: HOLDERS, key: prefixOf([kind, uri, ...of]), value: String(seq) },
    ...(isLinked
      ? [{ table: LINKED, key: prefixOf([holder, connection, kind, uri]), value: String(seq) }]
      : []),
  ];
}

/** The row after which the next record that is made has a higher number. */
export function counterRow(last: number): Row {
  return { ...COUNTER, value: String(last) };
}

export function keyOf(kind: Kind, { holder, uri, connection }: Named): string {
  return prefixOf(kind === 'resource' ? [holder, connection ?? '', uri] : [holder, uri]).trimEnd();
}

/** What the keys begin with that begin with these names. */
function prefixOf(names: readonly string[]): string {
  return names.map((name) => `${nameOf(name)} `).join('');
}

/** Characters of one of the URIs in a key, which are ASCII: a keep takes keys of 1,200 bytes, with three of them. */
const LONGEST_NAME = 390;

/** How a URI is written in keys: in normal form, which has no spaces, or as the hash of a long one. */
function nameOf(uri: string): string {
  const name = uriKey(uri);
  return name.length <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('hex');
}
