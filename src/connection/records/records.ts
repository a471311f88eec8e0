import { createHash } from 'node:crypto';
import type { Quad } from '@rdfjs/types';
import type { Keep, Reads, Row } from '../../keep/keep.js';
import { Problem } from '../../lib/http/problem.js';
import { type Pace, withoutPause } from '../../lib/pace.js';
import { type CachedResource, graphOf } from './cached-resource.js';
import { type Connection, documentsOf } from './connection.js';
import type { Invite } from './invite.js';

/** The records of each kind; the kinds are the names of the tables. */
export interface Kinds {
  connection: Connection;
  invite: Invite;
  resource: CachedResource;
}
export type Kind = keyof Kinds;

export const KINDS: readonly Kind[] = ['connection', 'invite', 'resource'];

/**
 * Under a kind and a URI, the keys of such records: different holders may have chosen the same URI. Under `exchange` and its URI,
 * the keys of the invites that have led to it; under `linked`, a holder and a connection, those of the invites that name it.
 */
export const INDEX = 'found-by';

/** What tells a record from the others of its kind: one document that is read for two connections is two resources. */
export interface Named {
  readonly holder: string;
  readonly uri: string;
  readonly connection?: string | null;
}

/** All records of the service, which are in the keep and nowhere else, and are found there by key. */
export class Records {
  /** `pace`: how the reading of long lists gives way to others. */
  constructor(
    private readonly reads: Reads,
    private readonly pace: Pace = withoutPause,
  ) {}

  async get<K extends Kind>(kind: K, named: Named): Promise<Kinds[K] | undefined> {
    return (await this.#at(kind, [keyOf(kind, named)]))[0];
  }

  /** The records with these URIs, in their order, of one holder or of whoever has one. */
  named<K extends Kind>(kind: K, uris: readonly string[], holder?: string): Promise<Kinds[K][]> {
    return this.#found(kind, kind, uris, holder);
  }

  /** The invites that have led to exchanges with these URIs. */
  exchanged(uris: readonly string[], holder?: string): Promise<Invite[]> {
    return this.#found('invite', 'exchange', uris, holder);
  }

  /** The invites of a holder that name the connection. */
  linkedTo({ holder, uri }: Pick<Connection, 'holder' | 'uri'>): Promise<Invite[]> {
    return this.#found('invite', 'linked', [holder], uri);
  }

  /** The connection that an invite names, if it lasts and is its holder's. */
  async connectionOf({ holder, connection: uri }: Pick<Invite, 'holder' | 'connection'>) {
    return uri === null ? undefined : this.get('connection', { holder, uri });
  }

  /** The records of a holder, or of one of his connections, or all, in the order of their URIs. */
  async list<K extends Kind>(
    kind: K,
    { holder, connection }: { holder?: string | undefined; connection?: string } = {},
  ): Promise<Kinds[K][]> {
    const breathe = this.pace();
    const listed: Kinds[K][] = [];
    for await (const { rows } of this.reads.rows([kind], prefixOf(holder, connection))) {
      for (const { value } of rows) {
        listed.push(recordIn(value));
        await breathe();
      }
    }
    return listed;
  }

  async triples(resource: Pick<CachedResource, 'connection' | 'uri'>): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.reads.quads([graphOf(resource)])) quads.push(...slice);
    return quads;
  }

  async #at<K extends Kind>(kind: K, keys: readonly string[]): Promise<Kinds[K][]> {
    const rows = await this.reads.get(kind, keys);
    return keys.flatMap((key) => rows.get(key) ?? []).map(({ value }) => recordIn(value));
  }

  /** The records that the index has under these names. */
  async #found<K extends Kind>(kind: K, by: string, uris: readonly string[], more: Name) {
    const keys: string[] = [];
    for (const uri of uris)
      for await (const { rows } of this.reads.rows([INDEX], prefixOf(by, uri, more)))
        keys.push(...rows.map(({ value }) => value));
    return this.#at(kind, keys);
  }
}

/** The records as they are before a change, and what the change writes. */
export class ChangingRecords extends Records {
  readonly writes = { rows: [] as Row[], quads: { remove: [] as Quad[], put: [] as Quad[] } };

  /**
   * Adds a record, or replaces the one with the same key.
   * @param triples all that a resource has from then on; when absent, the triples of a resource stay
   */
  async put<K extends Kind>(kind: K, record: Kinds[K], triples?: readonly Quad[]): Promise<void> {
    await this.#drop(kind, record, triples !== undefined);
    this.writes.rows.push(...rowsOfRecord(kind, record));
    this.writes.quads.put.push(...(triples ?? []));
  }

  /** Puts an invite. @throws Problem 409 for a linked one that names the exchange of another one of its holder */
  async putInvite(invite: Invite): Promise<Invite> {
    const { uri, holder, state, exchange } = invite;
    const linked = state === 'linked' && exchange ? await this.exchanged([exchange], holder) : [];
    if (linked.some((one) => one.uri !== uri))
      throw new Problem(409, 'The invite names an exchange that exists already; set its "exchange" to null');
    await this.put('invite', invite);
    return invite;
  }

  /** Removes a record, with the triples that a resource has. */
  remove<K extends Kind>(kind: K, record: Kinds[K]): Promise<void> {
    return this.#drop(kind, record, kind === 'resource');
  }

  /**
   * Ends a connection: it goes, with the resources that were read for it. The holder's invites name neither it nor what they
   * have led to: `connection` is null while none exists (specification of the service, "Invite").
   */
  async end(connection: Connection): Promise<void> {
    await this.remove('connection', connection);
    for (const invite of await this.linkedTo(connection)) {
      const exchange = invite.state === 'linked' ? null : invite.exchange;
      await this.put('invite', { ...invite, exchange, connection: null });
    }
    await this.#dropResources(connection, []);
  }

  /** Replaces a connection, and removes the resources that it names no longer. A new holder gets none of the old one's. */
  async replace(current: Connection, next: Connection): Promise<Connection> {
    if (next.holder === current.holder) await this.#dropResources(current, documentsOf(next));
    else await this.end(current);
    await this.put('connection', next);
    return next;
  }

  async #dropResources({ holder, uri: connection }: Connection, kept: readonly string[]): Promise<void> {
    for (const resource of await this.list('resource', { holder, connection }))
      if (!kept.includes(resource.uri)) await this.remove('resource', resource);
  }

  /** Reads here, where nothing else is committed, what there is: another node may have stored other triples meanwhile. */
  async #drop<K extends Kind>(kind: K, record: Kinds[K], withTriples: boolean): Promise<void> {
    const former = await this.get(kind, record as Named);
    if (former)
      this.writes.rows.push(...rowsOfRecord(kind, former).map((row) => ({ ...row, value: undefined })));
    if (withTriples) this.writes.quads.remove.push(...(await this.triples(record as CachedResource)));
  }
}

export type ChangeRecords = <T>(decide: (now: ChangingRecords) => Promise<T>) => Promise<T>;

/**
 * Runs `decide` while nobody else changes anything, also on other nodes with the same keep, and writes its changes as one
 * durable change. It must be short, and may be run again from its beginning. When it throws, or the keep fails, the error is
 * passed on and nothing changes. @throws StorageFailure, StoreUnavailable, OutcomeUnknown (the returned function)
 */
export function changesIn(keep: Pick<Keep, 'exclusively'>): ChangeRecords {
  return (decide) =>
    keep.exclusively(async (reads) => {
      const now = new ChangingRecords(reads);
      const result = await decide(now);
      return { ...now.writes, result };
    });
}

function recordIn<T>(value: string): T {
  return JSON.parse(value).record;
}

/** The rows by which a record is stored and found. */
export function rowsOfRecord(kind: Kind, record: Kinds[Kind]): Row[] {
  const { holder, uri, connection } = record as Named;
  const value = keyOf(kind, record);
  const names: Name[][] = [[kind, uri, holder, kind === 'resource' ? connection : null]];
  if (kind === 'invite' && connection) {
    const { state, exchange } = record as Invite;
    names.push(['linked', holder, connection, uri]);
    if (state === 'linked') names.push(['exchange', exchange, holder, uri]);
  }
  return [
    { table: kind, key: value, value: JSON.stringify({ record }) },
    ...names.map((of) => ({ table: INDEX, key: prefixOf(...of), value })),
  ];
}

function keyOf(kind: Kind, { holder, uri, connection }: Named): string {
  return (kind === 'resource' ? prefixOf(holder, connection) : prefixOf(holder)) + nameOf(uri);
}

type Name = string | null | undefined;

/** What the keys begin with that begin with these names. */
function prefixOf(...names: Name[]): string {
  return names.map((name) => (name ? `${nameOf(name)} ` : '')).join('');
}

/** Bytes of one of the URIs in a key: a keep takes keys of 1,200 bytes, with three of them. */
const LONGEST_NAME = 390;

/** How a URI, which has no spaces, is written in keys: as it is, or as the hash of a long one. */
function nameOf(uri: string): string {
  return Buffer.byteLength(uri) <= LONGEST_NAME ? uri : createHash('sha256').update(uri).digest('hex');
}
