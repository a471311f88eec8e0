import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/lib/faults.js';
import { descriptionsOf } from '../../../src/registry/page.js';
import type { PostgresStoreOptions } from '../../../src/store/postgres/open-database.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { CuttingProxy } from '../../support/proxy/cutting-proxy.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

async function open(url: string, more: Partial<PostgresStoreOptions> = {}) {
  const store = await openTestStore(url, { patienceMs: 500, ...more });
  cleanup(() => store.close());
  return { store, registry: new TestRegistry(await store.load(registryOptions())) };
}

async function administrator(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  cleanup(() => client.end());
  return client;
}

/** What each of many requests came to. */
async function outcomes(requests: readonly Promise<unknown>[]): Promise<Set<unknown>> {
  const settled = await Promise.allSettled(requests);
  return new Set(settled.map((one) => (one.status === 'fulfilled' ? 'answered' : one.reason.constructor)));
}

describe('a database in trouble', () => {
  it('that is slow is given up after a while, and used again when it is not', async () => {
    const url = await newDatabase();
    const { registry } = await open(url, { statementMs: 300 });
    await registry.upsertLocal([component('a')]);
    const admin = await administrator(url);
    await admin.query('BEGIN');
    await admin.query('SELECT 1 FROM registry.head FOR UPDATE');
    await expect(registry.upsertLocal([component('b')])).rejects.toThrow(StoreUnavailable);
    // Nobody who reads waits for those who write.
    expect(await registry.labels()).toEqual(['a']);
    await admin.query('COMMIT');
    await registry.upsertLocal([component('b')]);
    expect(await registry.labels()).toEqual(['a', 'b']);
  });

  it('whose network falls silent is noticed, and nothing waits for it for good', async () => {
    const { proxy, url } = await CuttingProxy.to(await newDatabase());
    const { registry } = await open(url, { statementMs: 200, silenceMs: 300, patienceMs: 5_000 });
    await registry.upsertLocal([component('a')]);
    proxy.cutNext('registry.statement', 'silence');
    expect(await registry.labels()).toEqual(['a']);
    expect(proxy.cuts).toBe(1);
  });

  it('with too few connections answers what it can, and says so of the rest', async () => {
    const url = new URL(await newDatabase());
    const admin = await administrator(url.href);
    const name = url.pathname.slice(1);
    await admin.query(
      `CREATE ROLE limited LOGIN CONNECTION LIMIT 3; ALTER DATABASE ${name} OWNER TO limited`,
    );
    url.username = 'limited';
    const stores = await Promise.all([open(url.href), open(url.href)]);
    await stores[0]?.registry.upsertLocal([component('a')]);
    const requests = stores.flatMap(({ registry }) =>
      Array.from({ length: 40 }, () => registry.list({ tag: ['t'] })),
    );
    const came = await outcomes(requests);
    came.delete('answered');
    came.delete(StoreUnavailable);
    expect(came).toEqual(new Set());
    for (const { registry } of stores) await waitFor(async () => (await registry.labels()).length === 1);
  });

  it('is not used up by readers of long listings', async () => {
    const { registry } = await open(await newDatabase());
    await registry.upsertLocal(Array.from({ length: 1_200 }, (_, i) => component(`c${i}`)));
    const pages = await Promise.allSettled(Array.from({ length: 6 }, () => registry.catalog.page({})));
    const open3 = pages.flatMap((page) => (page.status === 'fulfilled' ? [page.value] : []));
    const refused = pages.flatMap((page) => (page.status === 'rejected' ? [page.reason] : []));
    expect([open3.length, refused.length]).toEqual([3, 3]);
    for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
    // Everybody else goes on, and writes go on, too; who reads a listing sees it as it was.
    await registry.upsertLocal([component('new')]);
    expect(await registry.size()).toBe(1_201);
    for (const page of open3) expect(await descriptionsOf(page)).toHaveLength(1_200);
    expect(await descriptionsOf(await registry.catalog.page({}))).toHaveLength(1_201);
  });
});
