import { createHash } from 'node:crypto';
import type { Quad } from '@rdfjs/types';
import type { Keep, Reads, Row, StoredRow, Writes } from '../../keep/keep.js';
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

/** Under a URI, the holders who have a record with it: different holders may have chosen the same one. */
export const HOLDERS = 'holder-of';
/** Its only row holds the number of the record that was made last. */
const COUNTER = { table: 'counter', key: 'last' } as const;

/** All tables of records. */
export const RECORD_TABLES: readonly string[] = [...KINDS, HOLDERS, COUNTER.table];

/** A record, and its number in the order of creation. */
export interface Stored<T> {
  readonly seq: number;
  readonly record: T;
}

/** A record of any kind. */
export type AnyStored = Stored<Kinds[Kind]>;

/** A record that is added, or takes the place of the one with the same key; or one that goes. */
export type RecordChange = {
  [K in Kind]: { readonly kind: K } & (
    | { readonly put: Kinds[K] /** Where it takes over another's number. */; readonly seq?: number }
    | { readonly remove: Kinds[K] }
  );
}[Kind];

/** The outcome of a decision. All of its changes are written, or none. */
export interface Decision<T> extends Omit<Writes, 'rows'> {
  readonly changes: readonly RecordChange[];
  readonly result: T;
}

/** What a decision can look at: the records as they are, while nobody changes them. */
export class RecordReads {
  readonly #reads: Reads;

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** The record of a holder with this URI. Resources are found by `resource`, since several connections may read one document. */
  async get<K extends Exclude<Kind, 'resource'>>(
    kind: K,
    { holder, uri }: { readonly holder: string; readonly uri: string },
  ): Promise<Stored<Kinds[K]> | undefined> {
    const key = `${nameOf(holder)} ${nameOf(uri)}`;
    const row = (await this.#reads.get(kind, [key])).get(key);
    return row && storedIn<Kinds[K]>(row);
  }

  /** All records with this URI, whoever holds them, the oldest first. */
  async named<K extends Exclude<Kind, 'resource'>>(kind: K, uri: string): Promise<Stored<Kinds[K]>[]> {
    const prefix = `${kind} ${nameOf(uri)} `;
    const indexed = await this.#rows(HOLDERS, prefix);
    const keys = indexed.map(({ key }) => `${key.slice(prefix.length)} ${nameOf(uri)}`);
    const rows = await this.#reads.get(kind, keys);
    return [...rows.values()].map((row) => storedIn<Kinds[K]>(row)).sort((a, b) => a.seq - b.seq);
  }

  /** The records of a holder, or all when none is named, the newest first. */
  async list<K extends Kind>(kind: K, { holder }: { holder?: string } = {}): Promise<Stored<Kinds[K]>[]> {
    const stored: Stored<Kinds[K]>[] = [];
    const prefix = holder === undefined ? undefined : `${nameOf(holder)} `;
    // Batch by batch: a hundred thousand records take long to parse, and others are answered meanwhile.
    for await (const { rows } of this.#reads.rows([kind], prefix))
      for (const row of rows) stored.push(storedIn(row));
    return stored.sort((a, b) => b.seq - a.seq);
  }

  async resource(
    resource: Pick<CachedResource, 'holder' | 'connection' | 'uri'>,
  ): Promise<CachedResource | undefined> {
    const key = keyOf('resource', resource);
    const row = (await this.#reads.get('resource', [key])).get(key);
    return row && storedIn<CachedResource>(row).record;
  }

  /** What is cached for a connection. */
  async resourcesOf({ holder, uri }: Connection): Promise<CachedResource[]> {
    const rows = await this.#rows('resource', `${nameOf(holder)} ${nameOf(uri)} `);
    return rows.map((row) => storedIn<CachedResource>(row).record);
  }

  /** The triples of a resource; the first `most` of them, or some more, where that is given. */
  async triples(
    resource: Pick<CachedResource, 'connection' | 'uri'>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.#reads.quads([graphOf(resource)])) {
      quads.push(...slice);
      if (quads.length > most) break;
    }
    return quads;
  }

  /** The number of the record that was made last. */
  async last(): Promise<number> {
    const row = (await this.#reads.get(COUNTER.table, [COUNTER.key])).get(COUNTER.key);
    return Number(row?.value ?? 0);
  }

  /** The number of the record that a change replaces. */
  async numberOf(kind: Kind, key: string): Promise<number | undefined> {
    const row = (await this.#reads.get(kind, [key])).get(key);
    return row && storedIn(row).seq;
  }

  async #rows(table: string, prefix?: string): Promise<StoredRow[]> {
    const rows: StoredRow[] = [];
    for await (const batch of this.#reads.rows([table], prefix)) rows.push(...batch.rows);
    return rows;
  }
}

/** All records of the service, which are in the keep and nowhere else, and are found there by key. */
export class Records extends RecordReads {
  readonly #keep: Keep;

  constructor(keep: Keep) {
    super(keep);
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
      const { changes, ...others } = await decide(now);
      return { ...others, rows: await rowsOfChanges(changes, now) };
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

async function rowsOfChanges(changes: readonly RecordChange[], now: RecordReads): Promise<Row[]> {
  const rows: Row[] = [];
  const before = changes.some((change) => 'put' in change) ? await now.last() : 0;
  let last = before;
  for (const change of changes) {
    const { kind } = change;
    const record = 'put' in change ? change.put : change.remove;
    const key = keyOf(kind, record);
    if ('remove' in change) {
      rows.push(
        ...[{ table: kind, key }, ...indexRows(kind, record)].map((row) => ({ ...row, value: undefined })),
      );
      continue;
    }
    const seq = change.seq ?? (await now.numberOf(kind, key)) ?? ++last;
    rows.push(...rowsOfRecord(kind, { seq, record }));
  }
  return last === before ? rows : [...rows, counterRow(last)];
}

/** The rows by which a record is stored and found. */
export function rowsOfRecord(kind: Kind, { seq, record }: Stored<Kinds[Kind]>): Row[] {
  return [
    { table: kind, key: keyOf(kind, record), value: JSON.stringify({ seq, record }) },
    ...indexRows(kind, record).map((row) => ({ ...row, value: String(seq) })),
  ];
}

/** The row after which the next record that is made has a higher number. */
export function counterRow(last: number): Row {
  return { ...COUNTER, value: String(last) };
}

/** Whoever asks for a resource sees all of its holder, or everything. */
function indexRows(kind: Kind, { uri, holder }: Kinds[Kind]): Pick<Row, 'table' | 'key'>[] {
  return kind === 'resource' ? [] : [{ table: HOLDERS, key: `${kind} ${nameOf(uri)} ${nameOf(holder)}` }];
}

/** One document that is read for two connections is two resources: a server may show each of them something else. */
export function keyOf(
  kind: Kind,
  record: { uri: string; holder: string; connection?: string | null },
): string {
  const { holder, uri, connection } = record;
  const names = kind === 'resource' ? [holder, connection ?? '', uri] : [holder, uri];
  return names.map(nameOf).join(' ');
}

/** Characters of one of the URIs in a key, which are ASCII: a keep takes keys of 1,200 bytes, with three of them. */
const LONGEST_NAME = 390;

/** How a URI is written in keys: in normal form, which has no spaces, or as the hash of a long one. */
function nameOf(uri: string): string {
  const name = uriKey(uri);
  return name.length <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('hex');
}

function storedIn<T = Kinds[Kind]>({ value }: StoredRow): Stored<T> {
  return JSON.parse(value);
}
