import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { type DatabaseAddress, readDatabaseAddress } from '../../../src/config/database-address.js';
import { HeadUnknown, KeepDamaged, KeepUnusable } from '../../../src/keep/faults.js';
import type { Keep, Place } from '../../../src/keep/keep.js';
import { Hosts } from '../../../src/keep/postgres/hosts.js';
import { OutcomeUnknown, StorageFailure, StoreUnavailable } from '../../../src/lib/faults.js';
import { cleanup } from '../../support/cleanup.js';
import { sql } from '../../support/postgres-server.js';
import { COMMIT, type Cut, tcpProxy } from '../../support/proxy/tcp-proxy.js';
import { newDatabase } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait-for.js';
import { headOf, quadsOf, row, rowsOf, write } from '../contract.js';
import { emptyDatabase, headTaken, openedAt } from './postgres-engine.js';

/** As messages name the database. */
function described(url: string): string {
  const { username, host, pathname } = new URL(url);
  return `${username}@${host}${pathname}`;
}

type Options = Parameters<typeof openedAt>[1];

async function openPlace(url: string, more: Options = {}): Promise<Place> {
  const place = await openedAt(url, { patienceMs: 800, ...more });
  cleanup(() => place.close());
  return place;
}
const open = async (url: string, more?: Options) => (await openPlace(url, more)).keep('registry');

/** A keep on a database in which nothing is. */
async function opened(more?: Options) {
  const url = await emptyDatabase();
  return { url, keep: await open(url, more) };
}

/** The same behind a proxy. */
async function proxied(more?: Options) {
  const { proxy, url } = await tcpProxy(await emptyDatabase());
  return { proxy, url, keep: await open(url, more) };
}

/** Has the database run such statements before each row that is written, or for each when it is to be committed. */
async function beforeRows(url: string, statements: string, isAtCommit = false): Promise<void> {
  await sql(
    url,
    `CREATE FUNCTION before_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} RETURN NEW; END $$`,
    `CREATE ${isAtCommit ? 'CONSTRAINT' : ''} TRIGGER before_row ${isAtCommit ? 'AFTER' : 'BEFORE'} INSERT ON keep.row
      ${isAtCommit ? 'DEFERRABLE INITIALLY DEFERRED' : ''} FOR EACH ROW EXECUTE FUNCTION before_row()`,
  );
}

const failing = (code: string) => `RAISE EXCEPTION 'failing as asked' USING ERRCODE = '${code}';`;

describe('a commit', () => {
  it.each<Cut>(['before', 'answer'])(
    'is found out, not guessed, when its connection breaks: %s',
    async (cut) => {
      const { proxy, keep } = await proxied();
      const first = await write(keep, { rows: [row('a', '1')] });
      const decide = vi.fn(() => ({ rows: [row('b', '2')] }));
      proxy.cutNext(COMMIT, cut);
      const second = await keep.commit(first, decide);
      expect([proxy.cuts, decide.mock.calls.length]).toEqual([1, cut === 'before' ? 2 : 1]);
      // Once: a commit that was made twice would have taken two versions.
      expect(second.version).toBe(first.version + 1);
      expect([await headOf(keep), await rowsOf(keep)]).toEqual([second, [row('a', '1'), row('b', '2')]]);
      expect(keep.trouble).toBeUndefined();
    },
  );

  it('is found out, not guessed, when the database itself cannot tell, as CockroachDB may say', async () => {
    const { url, keep } = await opened();
    await sql(url, 'CREATE SEQUENCE tries');
    await beforeRows(url, `IF nextval('tries') = 1 THEN ${failing('40003')} END IF;`, true);
    const decide = vi.fn(() => ({ rows: [row('a', '1')] }));
    await keep.commit(await headOf(keep), decide);
    expect([decide.mock.calls.length, await rowsOf(keep)]).toEqual([2, [row('a', '1')]]);
  });

  it.each([1, 20])(
    'has all its patience for a lost connection, and all its tries for conflicts: lost at try %d',
    async (lostAt) => {
      let now = 0;
      const sleep = async (ms: number) => {
        now += ms;
      };
      const { proxy, url, keep } = await proxied({ clock: { now: () => now, sleep } });
      // As engines do that let transactions run side by side.
      await sql(url, 'CREATE SEQUENCE tries');
      await beforeRows(url, `IF nextval('tries') <= 19 THEN ${failing('40001')} END IF;`);
      let tries = 0;
      const decide = () => {
        tries += 1;
        if (tries === lostAt) proxy.cutNext('INSERT INTO keep.row', 'before');
        return { rows: [row('a', '1')] };
      };
      await keep.commit(await headOf(keep), decide);
      expect([proxy.cuts, tries, await rowsOf(keep)]).toEqual([1, 21, [row('a', '1')]]);
    },
  );

  it('is given up after a while when each of its connections breaks before it', async () => {
    const { proxy, keep } = await proxied({ patienceMs: 100 });
    const head = await headOf(keep);
    const decide = vi.fn(() => {
      proxy.cutNext(COMMIT, 'before');
      return { rows: [row('a', '1')] };
    });
    await expect(keep.commit(head, decide)).rejects.toThrow(StoreUnavailable);
    const tries = decide.mock.calls.length;
    expect([tries > 1, tries < 15, await headOf(keep)]).toEqual([true, true, head]);
  });

  it.each([
    [30_000, [7_500, 10_000, 7_500]],
    [2_000, [1_500, 2_000, 1_500]],
  ])(
    'holds the head for less than a lease lasts, and a node that is paused for less than others wait: %d',
    async (statementMs, wanted) => {
      const { url, keep } = await opened({ statementMs });
      const settings = ['idle_in_transaction_session_timeout', 'statement_timeout', 'tcp_user_timeout'];
      await sql(url, 'CREATE TABLE public.setting (key text, name text, ms integer)');
      const noted = `SELECT convert_from(NEW.key, 'UTF8'), name, setting::integer FROM pg_settings`;
      const named = `name IN ('${settings.join("', '")}')`;
      await beforeRows(url, `INSERT INTO public.setting ${noted} WHERE ${named};`);
      await write(keep, { rows: [row('a', '1')] });
      await keep.exclusively(async () => ({ rows: [row('b', '1')], result: undefined }));
      const found = await sql(url, 'SELECT ms FROM public.setting ORDER BY key, name');
      expect(found.map((one) => (one as { ms: number }).ms)).toEqual([...wanted, ...wanted]);
    },
  );

  it('whose outcome nobody can tell says so', async () => {
    const { proxy, keep } = await proxied({ patienceMs: 50 });
    const head = await headOf(keep);
    proxy.cutNext(COMMIT, 'for good');
    await expect(keep.commit(head, () => ({ rows: [row('a', '1')] }))).rejects.toThrow(OutcomeUnknown);
    expect(keep.trouble).toMatchObject({ kind: 'unreachable' });
    proxy.refusing = false;
    await waitFor(async () => expect(await rowsOf(keep)).toEqual([row('a', '1')]));
  });
});

describe('a database that is away', () => {
  it('refuses commits for a while, and everything goes on by itself when it is back', async () => {
    const { proxy, keep } = await proxied({ patienceMs: 100 });
    const head = await headOf(keep);
    proxy.refusing = true;
    await expect(keep.tail(head)).rejects.toThrow(StoreUnavailable);
    await expect(keep.commit(head, () => ({ rows: [row('a', '1')] }))).rejects.toThrow(StoreUnavailable);
    await expect(keep.get('letter', ['a'])).rejects.toThrow(StoreUnavailable);
    expect(keep.trouble?.kind).toBe('unreachable');
    proxy.refusing = false;
    await write(keep, { rows: [row('b', '1')] });
    expect((await keep.tail(head)).rows).toMatchObject([{ key: 'b' }]);
    expect(keep.trouble).toBeUndefined();
  });

  it.each<[what: string, isSaid: RegExp, isFault: boolean, change: (url: URL) => void]>([
    ['no database', /database "none" does not exist/, true, (url) => (url.pathname = '/none')],
    ['no server', /ECONNREFUSED/, false, (url) => (url.port = '1')],
    ['no TLS', /does not support SSL/, true, (url) => (url.search = '?sslmode=verify-full')],
    ['no user', /nobody@.*cannot be used/, true, (url) => (url.username = 'nobody')],
    ['no host', /ENOTFOUND|EAI_AGAIN/, false, (url) => (url.hostname = 'no.host.invalid')],
  ])('is told when a node starts, without the password: %s', async (_, isSaid, isFault, change) => {
    const url = new URL(await emptyDatabase());
    url.password = 'hunter2';
    change(url);
    // What is a fault is not tried again, whatever another host says.
    for (const hosts of [url.host, `${url.host},127.0.0.1:1`]) {
      const random = vi.fn(() => 0);
      const opened = openedAt(url.href.replace(url.host, hosts), { patienceMs: isFault ? 300 : 0, random });
      const error = await opened.catch((reason: Error) => reason);
      expect(error).toBeInstanceOf(KeepUnusable);
      expect(String(error)).toMatch(isSaid);
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('hunter2');
      if (isFault) expect(random).not.toHaveBeenCalled();
    }
  });

  it('opens a service as soon as it is back', async () => {
    const { proxy, url } = await tcpProxy(await emptyDatabase());
    const place = await openPlace(url, { patienceMs: 0 });
    proxy.refusing = true;
    await expect(place.keep('registry')).rejects.toThrow(StoreUnavailable);
    proxy.refusing = false;
    await headOf(await place.keep('registry'));
  });

  it('is given up after a while when it is slow, and used again when it is not', async () => {
    // Before each further try of anything.
    const random = vi.fn(() => 0);
    const { url, keep } = await opened({ statementMs: 300, patienceMs: 200, random });
    await write(keep, { rows: [row('a', '1')] });
    const release = await headTaken(url);
    await expect(write(keep, { rows: [row('b', '2')] })).rejects.toThrow(StoreUnavailable);
    // A statement that has waited for longer than that does not wait once more.
    expect(random).not.toHaveBeenCalled();
    // Nobody who reads waits for those who write.
    expect(await rowsOf(keep)).toEqual([row('a', '1')]);
    await release();
    await write(keep, { rows: [row('b', '2')] });
    expect([await rowsOf(keep), keep.trouble]).toEqual([[row('a', '1'), row('b', '2')], undefined]);
  });

  it('that is full is in trouble until something is written, whatever is read meanwhile', async () => {
    const [info, warn] = [vi.fn(), vi.fn()];
    const { url, keep } = await opened({ log: { info, warn } });
    const head = await write(keep, { rows: [row('a', '1')] });
    await beforeRows(url, failing('53100'));
    await expect(keep.commit(head, () => ({ rows: [row('b', '2')] }))).rejects.toThrow(StorageFailure);
    expect(await rowsOf(keep)).toEqual([row('a', '1')]);
    expect(await keep.commit(head, () => undefined)).toEqual(head);
    expect(keep.trouble?.kind).toBe('full');
    await sql(url, 'DROP TRIGGER before_row ON keep.row');
    await write(keep, { rows: [row('b', '2')] });
    expect(keep.trouble).toBeUndefined();
    expect([info.mock.calls.length, warn.mock.calls.length]).toEqual([1, 1]);
  });
});

describe('a database', () => {
  it('of version 0.2.0 is refused in one line that names the way', async () => {
    const url = await emptyDatabase();
    await sql(url, 'CREATE SCHEMA registry', 'CREATE TABLE registry.schema_version (area text)');
    await expect(openedAt(url)).rejects.toThrow(/version 0\.2\.0 .*export it .*import the file/);
  });

  it('of an earlier or a newer layout is refused', async () => {
    const { url } = await opened();
    for (const layout of [3, 99]) {
      await sql(url, `UPDATE keep.layout SET version = ${layout}`);
      await expect(openedAt(url)).rejects.toThrow(`layout ${layout}, and this release knows 4`);
    }
  });

  it('may be opened for the first time by several nodes at once', async () => {
    const url = await emptyDatabase();
    const keeps = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const heads = await Promise.all(keeps.map(headOf));
    expect(new Set(heads.map(({ mark }) => mark)).size).toBe(1);
  });
});

it('what is not remembered any more goes with the next commits, and who stands before it is told so', async () => {
  const { url, keep } = await opened();
  const old = await write(keep, { rows: [row('a', '1'), row('b', '1')] });
  await write(keep, { rows: [row('a')] });
  const gone = async () => (await sql(url, 'SELECT 1 FROM keep.row WHERE value IS NULL')).length;
  await sql(url, `UPDATE keep.head SET version = ${old.version + 9_999} WHERE service = 'registry'`);
  await write(keep, { rows: [row('c', '1')] });
  expect(await gone()).toBe(1);
  await expect(keep.commit(old, () => undefined)).rejects.toThrow(HeadUnknown);
  const { epoch } = await write(keep, { rows: [row('c', '2')] });
  expect([await gone(), epoch]).toEqual([0, old.epoch]);
  expect(await sql(url, `SELECT 1 FROM keep.mark WHERE version <= ${old.version}`)).toEqual([]);
  expect(await rowsOf(keep)).toEqual([row('b', '1'), row('c', '2')]);
});

it('a lease of a node that died ends in time when the clock of the database was set back', async () => {
  const { url, keep: one } = await opened();
  const other = await open(url);
  await one.lease('source');
  expect(await other.lease('source')).toBeUndefined();
  await sql(url, "UPDATE keep.lease SET until = until + interval '1 hour'");
  expect(await other.lease('source')).toBeDefined();
});

it('damage is told with the database and the statement that takes it out', async () => {
  const url = await emptyDatabase();
  const keep = await (await openPlace(url)).keep('connection');
  const [key, graph] = ["it's \\ here", DataFactory.namedNode('urn:g')];
  const said = (text: string) =>
    DataFactory.quad(graph, DataFactory.namedNode('urn:p'), DataFactory.literal(text), graph) as Quad;
  await write(keep, { rows: [row(key, '1'), row('b', '2')], quads: { put: [said('1'), said('2')] } });
  await sql(url, "UPDATE keep.row SET value = 'other' WHERE value = '1'");
  await sql(url, `UPDATE keep.row SET value = replace(value, '"1"', '"3"') WHERE tbl LIKE 'QUADS/%'`);
  for (const read of [() => rowsOf(keep), () => quadsOf(keep, graph)]) {
    const error = await read().catch((reason: Error) => reason);
    expect(error).toBeInstanceOf(KeepDamaged);
    expect(String(error)).toContain(`The data in ${described(url)} is damaged`);
    expect(String(error)).not.toContain(' repair ');
    const [statement = ''] = /DELETE FROM .*?'hex'\)/.exec(String(error)) ?? [];
    await sql(url, statement);
  }
  expect([await rowsOf(keep), await quadsOf(keep, graph)]).toEqual([
    [row('b', '2')],
    [JSON.stringify(said('2'))],
  ]);
  await sql(url, 'DELETE FROM keep.head');
  await expect(headOf(keep)).rejects.toThrow(`The data in ${described(url)} is damaged: there is no head`);
});

it('nodes that do everything at once never wait for one another in a circle', async () => {
  const url = await newDatabase();
  const keeps = await Promise.all([open(url), open(url), open(url)]);
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const act = async (keep: Keep, turn: number) => {
    const inTurn = turn % 2 === 0 ? keys : keys.toReversed();
    const rows = inTurn.map((key) => row(key, String(turn)));
    const lease = await keep.lease(`source ${turn % 2}`);
    await keep.commit(await headOf(keep), () => ({ rows }), lease);
    await keep.exclusively(async (now) => {
      await now.get('letter', inTurn);
      return { rows: rows.map(({ key }) => row(key, 'last')), result: 0 };
    });
    await lease?.release();
  };
  await Promise.all(Array.from({ length: 24 }, (_, i) => act(keeps[i % 3] as Keep, i)));
  expect(await rowsOf(keeps[0] as Keep)).toHaveLength(keys.length);
  const asked = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  expect(await sql(url, asked)).toEqual([{ deadlocks: '0' }]);
});

it('a server that answers commits before they are on its disk is told to flush them first', async () => {
  // The server of the tests is set so.
  const { proxy, url } = await tcpProxy(await emptyDatabase());
  proxy.cutNext('SET synchronous_commit = on', 'before');
  await open(url);
  expect(proxy.cuts).toBe(1);
});

describe('one of several hosts', () => {
  it('is not left because all connections to it are in use', async () => {
    const Pool = class extends pg.Pool {
      constructor(options: pg.PoolConfig) {
        super({ ...options, connectionTimeoutMillis: 1_000 });
      }
    };
    const url = await emptyDatabase();
    const { host } = new URL(url);
    const address = readDatabaseAddress(url.replace(host, `${host},127.0.0.1:1`)) as DatabaseAddress;
    const driver = { ...pg, Pool } as typeof pg;
    const hosts = new Hosts({ driver, address, connections: 1, statementMs: 1_000 });
    cleanup(() => hosts.close());
    const { client } = await hosts.connect();
    await expect(hosts.connect()).rejects.toThrow('timeout exceeded');
    client.release();
    (await hosts.connect()).client.release();
  });

  it('that takes no writes is named, with all others', async () => {
    const url = await newDatabase();
    const { host, pathname } = new URL(url);
    await sql(url, `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
    const opened = openedAt(url.replace(host, `127.0.0.1:1,${host}`), { patienceMs: 0 });
    const said = String(await opened.catch((reason: Error) => reason));
    expect(said).toMatch(/127\.0\.0\.1:1\/.*ECONNREFUSED.*; .*takes no writes \(a standby\?\)/);
    expect(said).toContain(described(url));
  });

  it('that says nothing any more is left for the next one, by all that waits for it, too', async () => {
    const database = await emptyDatabase();
    const { proxy, url } = await tcpProxy(database);
    const [first, next] = [url, database].map((one) => new URL(one).host);
    const keep = await open(url.replace(`${first}`, `${first},${next}`), { patienceMs: 1_000 });
    await write(keep, { rows: [row('a', '1')] });
    proxy.silent = true;
    const waiting = Array.from({ length: 5 }, () => keep.get('letter', ['a']).catch((error: Error) => error));
    const began = Date.now();
    await waitFor(() => write(keep, { rows: [row('b', '2')] }));
    expect(Date.now() - began).toBeLessThan(30_000);
    await Promise.all(waiting);
    expect(await rowsOf(keep)).toEqual([row('a', '1'), row('b', '2')]);
  });
});
