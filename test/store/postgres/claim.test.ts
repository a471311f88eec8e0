import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/lib/faults.js';
import type { PostgresStoreOptions } from '../../../src/store/postgres/open-database.js';
import { UnusableData } from '../../../src/store/unusable-data.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

/** A node, or with `holder` an import, that says every 50 ms that it is there. */
async function open(url: string, more: Partial<PostgresStoreOptions> = {}) {
  const store = await openTestStore(url, { signMs: 50, ...more });
  cleanup(() => store.close());
  return { store, registry: new TestRegistry(await store.load(registryOptions())) };
}

async function administrator(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanup(() => client.end());
  return client;
}

/** Seconds until the claim ends. */
async function left(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ left: number }>(
    'SELECT extract(epoch FROM until - now())::float AS left FROM registry.claim',
  );
  return rows[0]?.left ?? 0;
}

describe('an import into a database', () => {
  it('is refused while a node uses the database, and goes on when it has stopped', async () => {
    const url = await newDatabase();
    const node = await open(url);
    const importing = () => open(url, { holder: 'import' });
    await expect(importing()).rejects.toThrow(
      /used by a node of http:\/\/node\.example: stop all of them, and import again/,
    );
    await expect(importing()).rejects.toThrow(UnusableData);
    await node.registry.upsertLocal([component('a')]);
    await node.store.close();
    const { registry } = await importing();
    await registry.upsertLocal([component('b')]);
    expect(await registry.labels()).toEqual(['a', 'b']);
  });

  it('has nodes and other imports wait until it has ended', async () => {
    const url = await newDatabase();
    const importing = await open(url, { holder: 'import' });
    for (const more of [{}, { holder: 'other' }]) {
      const other = open(url, more);
      await expect(other).rejects.toThrow(
        /cannot be used: An import into the database is going on.* has ended/,
      );
      await expect(other).rejects.toThrow(UnusableData);
    }
    await importing.registry.upsertLocal([component('a')]);
    await importing.store.close();
    expect(await (await open(url)).registry.labels()).toEqual(['a']);
  });

  it('keeps its claim while it lives, and loses it when nothing is heard of it', async () => {
    const url = await newDatabase();
    const admin = await administrator(url);
    const { store } = await open(url, { holder: 'import' });
    await admin.query(`UPDATE registry.claim SET until = now() + interval '1 second'`);
    await waitFor(async () => (await left(admin)) > 10);
    await store.close();
    await open(url, { holder: 'killed', signMs: 1e9 });
    await expect(open(url)).rejects.toThrow(/An import .* is going on/);
    await admin.query('UPDATE registry.claim SET until = now()');
    await open(url);
  });

  it('is not disturbed by a node that was silent so long that it counted as gone', async () => {
    const url = await newDatabase();
    const admin = await administrator(url);
    const silent = await open(url, { signMs: 1e9 });
    await silent.registry.upsertLocal([component('a')]);
    await admin.query(`UPDATE registry.node SET seen = now() - interval '1 minute'`);
    const importing = await open(url, { holder: 'import' });
    await importing.registry.upsertLocal([component('b')]);
    const posted = silent.registry.upsertLocal([component('c')]);
    await expect(posted).rejects.toThrow(/An import .* is going on: nothing else can be stored/);
    await expect(posted).rejects.toThrow(StoreUnavailable);
    expect(await importing.registry.labels()).toEqual(['a', 'b']);
    await importing.store.close();
    await silent.registry.upsertLocal([component('c')]);
    await waitFor(async () => (await silent.registry.labels()).join() === 'a,b,c');
  });

  it('is refused again by a node that was silent and is back', async () => {
    const url = await newDatabase();
    const admin = await administrator(url);
    await open(url);
    await admin.query('DELETE FROM registry.node');
    await waitFor(async () => (await admin.query('SELECT 1 FROM registry.node')).rowCount === 1);
    await expect(open(url, { holder: 'import' })).rejects.toThrow(/used by a node/);
  });
});
