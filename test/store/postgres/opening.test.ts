import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { checkDatabase } from '../../../src/store/postgres/check-database.js';
import { REGISTRY_LAYOUT } from '../../../src/store/postgres/schema/layout.js';
import { UnusableData } from '../../../src/store/unusable-data.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';

const LATEST = REGISTRY_LAYOUT.version;
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

  it.each([
    [99, 'newer version.*REGISTRY_STORE_URL'],
    [6, 'before version 0\\.2\\.0.*start version 0\\.2\\.0 on it once.*export'],
  ])('refuses the schema %i of another release, and says what to do', async (version, way) => {
    const url = await newDatabase();
    await (await openTestStore(url)).close();
    await query(url, `UPDATE registry.schema_version SET version = ${version}`);
    for (const use of [() => openTestStore(url), () => check(url)]) {
      const used = use();
      await expect(used).rejects.toThrow(
        new RegExp(`schema version ${version}.*this version of the software knows ${LATEST}.*${way}`, 's'),
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
