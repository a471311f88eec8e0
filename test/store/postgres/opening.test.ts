import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/component/query.js';
import { systemClock } from '../../../src/lib/clock.js';
import { checkDatabase } from '../../../src/store/postgres/check-database.js';
import { openDatabase } from '../../../src/store/postgres/open-database.js';
import { payloadOf } from '../../../src/store/postgres/payload.js';
import { migrate } from '../../../src/store/postgres/schema/migrate.js';
import { MIGRATIONS } from '../../../src/store/postgres/schema/migrations.js';
import { UnusableData } from '../../../src/store/unusable-data.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';

const PERSON = (scheme: string) => `${scheme}://schema.org/Person`;
const LATEST = MIGRATIONS.at(-1)?.version;
const given = {
  connections: 1,
  patienceMs: 0,
  statementMs: 5_000,
  clock: systemClock,
  random: Math.random,
  log: { warn: () => undefined },
};
const check = (url: string, baseUrl = 'http://node.example') => checkDatabase({ url, ...given }, { baseUrl });

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function openRegistry(url: string, more = {}): Promise<TestRegistry> {
  const store = await openTestStore(url);
  cleanup(() => store.close());
  return new TestRegistry(await store.load(registryOptions(more)));
}

describe('opening a database', () => {
  it('makes its tables once, however many nodes start at the same time', async () => {
    const url = await newDatabase();
    const registries = await Promise.all(Array.from({ length: 8 }, () => openRegistry(url)));
    const [first, ...others] = registries;
    await first?.upsertLocal([component('a')]);
    for (const other of others) expect(await other.labels()).toEqual(['a']);
    const states = await Promise.all(
      registries.map((one) => one.registry.source({ kind: 'local', url: 'urn:registry:local' })),
    );
    expect(new Set(states.map((state) => JSON.stringify(state?.record)))).toHaveProperty('size', 1);
    expect(await query(url, 'SELECT area, version FROM registry.schema_version')).toEqual([
      { area: 'registry', version: LATEST },
    ]);
    expect(await query(url, 'SELECT count(*)::int AS nodes FROM registry.node')).toEqual([{ nodes: 8 }]);
  });

  it('brings the tables of every earlier release up to date, however many nodes start at the same time', async () => {
    for (const { version } of MIGRATIONS.slice(0, -1)) {
      const url = await newDatabase();
      const database = await openDatabase({ url, ...given });
      await migrate(database, 'registry', MIGRATIONS.slice(0, version));
      await database.close();
      expect(await query(url, 'SELECT version FROM registry.schema_version')).toEqual([{ version }]);
      const [first] = await Promise.all(Array.from({ length: 3 }, () => openRegistry(url)));
      await first?.upsertLocal([component('a')]);
      expect(await first?.labels()).toEqual(['a']);
      expect(await query(url, 'SELECT version FROM registry.schema_version')).toEqual([{ version: LATEST }]);
    }
  });

  it('forgets the pins of release 0.1.0, which may be promises of anybody', async () => {
    const url = await newDatabase();
    const database = await openDatabase({ url, ...given });
    await migrate(database, 'registry', MIGRATIONS.slice(0, 3));
    await database.close();
    await query(
      url,
      `INSERT INTO registry.pin (key, is_changed, value) VALUES ('https://c.example/a.js 1', true, '{}');
       INSERT INTO registry.statement (uri, document, source, payload, search, position, changed_at, is_update, served, pin)
       VALUES ('a', 1, 1, '{}', '', 1, 1, false, true, '{"integrity":"sha384-never"}')`,
    );
    await (await openTestStore(url)).close();
    expect(await query(url, 'SELECT pin FROM registry.statement')).toEqual([{ pin: null }]);
    expect(await query(url, 'SELECT key FROM registry.pin')).toEqual([]);
  });

  it('finds and counts what release 0.1.0 has stored, as what is stored now', async () => {
    const url = await newDatabase();
    const old = await openDatabase({ url, ...given });
    await migrate(old, 'registry', MIGRATIONS.slice(0, 3));
    await old.close();
    const said = [
      component('a', { tag: ['t', 'u'], version: '1.0.0', latest: true, description: 'Says "x" \u00e9 \n' }),
      component('b', { tag: ['t'], latest: false, description: 'tab\tand \ufffd' }),
      component('c', { tag: ['t'], shapes: ['https://s.example/1', ...['http', 'https'].map(PERSON)] }),
      component('d', { shapes: [PERSON('http')] }),
    ];
    const statements = said.map((metadata) => {
      const { uri, tag, shapes, version, label } = metadata;
      const terms = [`l${label}`, ...tag.map((one) => `t${one}`), ...shapes.map((one) => `s${one}`)];
      if (version !== undefined) terms.push(`v${version}`);
      return { uri, terms, payload: payloadOf(metadata) };
    });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    cleanup(() => client.end());
    await client.query(`
      INSERT INTO registry.head VALUES (1, 1, 'e', 1, 0, 0, 0, '{"peers":[],"storage":[]}', 4, 4, 0, 0, '', 0, 0, '', '', '');
      INSERT INTO registry.source (id, key, kind, url, record, rank, count) VALUES (1, 'k', 'pod', 'https://a.example/', '{"failures":0}', 0, 4);
      INSERT INTO registry.document (id, source, key, url, rank, record, components) VALUES (1, 1, 'd', 'https://a.example/doc', 0, '{}', 4)`);
    for (const [i, { uri, terms, payload }] of statements.entries()) {
      await client.query(
        `INSERT INTO registry.statement (uri, document, source, payload, search, position, changed_at, is_update, served)
         VALUES ($1, 1, 1, $2, '', $3, 0, false, true)`,
        [uri, payload, i + 1],
      );
      for (const term of terms)
        await client.query('INSERT INTO registry.posting VALUES ($1, $2)', [term, uri]);
    }
    const registry = await openRegistry(url);
    const names = async (asked: Query) => (await registry.list(asked)).map(({ label }) => label);
    for (const { label, description } of said.filter((one) => one.description !== undefined)) {
      expect(await names({ description: description ?? '' })).toEqual([label]);
    }
    expect([await names({ latest: true }), await names({ latest: false })]).toEqual([['a'], ['b']]);
    expect(await names({ version: '^1.0.0' })).toEqual(['a']);
    const { total, by } = await registry.catalog.counts({}, ['tag', 'shapes']);
    expect([total, [...by.tag].sort(), [...by.shapes]]).toEqual([
      4,
      [
        ['t', 3],
        ['u', 1],
      ],
      [
        [PERSON('https'), 2],
        ['https://s.example/1', 1],
      ],
    ]);
    for (const scheme of ['http', 'https'])
      expect(await names({ shapes: [PERSON(scheme)] })).toEqual(['c', 'd']);
    expect((await registry.catalog.counts({ tag: ['t'] }, [])).total).toBe(3);
  });

  it('refuses a schema that a newer release has made, and says what to do', async () => {
    const url = await newDatabase();
    await (await openTestStore(url)).close();
    await query(url, 'UPDATE registry.schema_version SET version = 99');
    for (const use of [() => openTestStore(url), () => check(url)]) {
      const used = use();
      await expect(used).rejects.toThrow(
        new RegExp(`schema version 99.*this release knows ${LATEST}.*newer version.*REGISTRY_STORE_URL`, 's'),
      );
      await expect(used).rejects.toThrow(UnusableData);
    }
  });

  it('refuses nodes of another registry while one uses it', async () => {
    const url = await newDatabase();
    const first = await openRegistry(url);
    await expect(openRegistry(url, { baseUrl: 'http://other.example' })).rejects.toThrow(
      /in use by the registry at http:\/\/node\.example, and this node's baseUrl is http:\/\/other\.example/,
    );
    await expect(check(url, 'http://other.example')).rejects.toThrow(UnusableData);
    await openRegistry(url);
    await first.close();
  });

  it('says what is wrong with a database, and never the password', async () => {
    const url = await newDatabase();
    const wrong = (change: (url: URL) => void) => {
      const other = new URL(url);
      other.password = 'hunter2';
      change(other);
      return other.href;
    };
    const faults: [string, RegExp][] = [
      [wrong((at) => (at.pathname = '/none')), /there is no such database: createdb makes one/],
      [wrong((at) => (at.port = '1')), /nothing listens there/],
      [wrong((at) => (at.search = '?sslmode=verify-full')), /the server has no TLS/],
      [wrong((at) => (at.username = 'nobody')), /nobody@.*cannot be used/],
      [
        wrong((at) => (at.hostname = 'no.such.host.invalid')),
        /there is no host of this name|cannot be looked up/,
      ],
    ];
    for (const [address, fault] of faults) {
      const error = await check(address).catch((reason: Error) => reason);
      expect(String(error)).toMatch(fault);
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('hunter2');
    }
    expect(await check(url)).toMatch(
      /^PostgreSQL \d+.* at registry@127\.0\.0\.1:\d+\/test_\d+, no tables yet/,
    );
    await openRegistry(url);
    expect(await check(url)).toMatch(new RegExp(`schema version ${LATEST}, 0 components, 1 nodes running`));
  });
});
