import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { StoreUnavailable } from '../../../src/lib/faults.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import { OK, POD_A } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { COMMIT, type Cut, CuttingProxy } from '../../support/proxy/cutting-proxy.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

interface Opened {
  readonly store: RegistryStore;
  readonly registry: TestRegistry;
}

async function open(url: string): Promise<Opened> {
  const store = await openTestStore(url, { patienceMs: 800 });
  cleanup(() => store.close());
  return { store, registry: new TestRegistry(await store.load(registryOptions())) };
}

describe('a commit', () => {
  it.each<Cut>(['before', 'answer'])(
    'is found out, not guessed, when its connection breaks: %s',
    async (cut) => {
      const { proxy, url } = await CuttingProxy.to(await newDatabase());
      const { store, registry } = await open(url);
      await registry.upsertLocal([component('before')]);
      const { feed } = await registry.state();
      proxy.cutNext(COMMIT, cut);
      expect(await registry.upsertLocal([component('a')])).toMatchObject({
        added: 1,
        changed: 0,
        removed: 0,
      });
      expect(proxy.cuts).toBe(1);
      expect(await registry.labels()).toEqual(['a', 'before']);
      // Once: a commit that was made twice would have taken two positions.
      expect((await registry.state()).feed.position).toBe(feed.position + 1);
      await waitFor(() => store.trouble === undefined);
    },
  );

  it('is made again when the connection breaks in the middle of its work', async () => {
    const { proxy, url } = await CuttingProxy.to(await newDatabase());
    const { registry } = await open(url);
    proxy.cutNext('INSERT INTO registry.posting', 'answer');
    expect(await registry.upsertLocal([component('a')])).toMatchObject({ added: 1 });
    expect([proxy.cuts, await registry.labels()]).toEqual([1, ['a']]);
  });

  it('is seen by other nodes within a second, and by the one that made it at once', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    const told: number[] = [];
    other.registry.catalog.watch(({ components }) => told.push(components));
    await one.registry.upsertLocal([component('a')]);
    expect((await one.registry.state()).components).toBe(1);
    await waitFor(() => told.length > 0);
    expect(await other.registry.state()).toEqual(await one.registry.state());
  });

  it('has its positions in the order of commits, whichever node made it', async () => {
    const url = await newDatabase();
    const nodes = await Promise.all([open(url), open(url), open(url)]);
    const sources = Array.from(
      { length: 12 },
      (_, i): Source => ({ kind: 'pod', url: `https://p${i}.example/` }),
    );
    const positions: number[] = [];
    const follow = async () => {
      const answer = await nodes[1]?.registry.catalog.changes({ after: positions.at(-1) ?? 0, limit: 5 });
      if (!answer || 'unknown' in answer) throw new Error('a feed without states that it was asked for');
      for (const { position } of answer.changes) positions.push(position);
    };
    let writing = true;
    const following = (async () => {
      while (writing) await follow();
    })();
    const say = async (source: Source, i: number) => {
      for (let round = 0; round < 4; round++) {
        await nodes[i % 3]?.registry.commit({
          source,
          documents: [
            {
              url: `${source.url}${round}`,
              components: [component(`c${i}-${round}`), component('shared')],
              record: {},
            },
          ],
          record: OK,
        });
      }
    };
    await Promise.all(sources.map(say));
    writing = false;
    await following;
    // A follower that reads on from the last position it knows misses nothing.
    await waitFor(async () => {
      await follow();
      return positions.length >= 12 * 4 * 2;
    });
    expect(positions).toHaveLength(12 * 4 * 2);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    await waitFor(async () => (await nodes[2]?.registry.size()) === 12 * 4 + 1);
  });

  it('is one for all nodes: posts to any of them are in one graph', async () => {
    const url = await newDatabase();
    const nodes = await Promise.all([open(url), open(url), open(url)]);
    await Promise.all(
      [...'abcdefghi'].map((name, i) =>
        nodes[i % 3]?.registry.upsertLocal([component(name), component('shared', { label: name })]),
      ),
    );
    const held = await nodes[0]?.registry.source(LOCAL);
    expect(held?.documents.get(LOCAL.url)?.components).toBe(10);
    await waitFor(
      async () =>
        new Set(await Promise.all(nodes.map(async ({ registry }) => JSON.stringify(await registry.state()))))
          .size === 1,
    );
  });

  it('is made again when the database takes it for a conflict', async () => {
    const url = await newDatabase();
    const { registry } = await open(url);
    await registry.commit({ source: POD_A, documents: [], record: OK });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    // Locked the other way round: the database ends one of the two as a deadlock.
    await admin.query("SET deadlock_timeout = '1h'");
    await admin.query('BEGIN');
    await admin.query('SELECT 1 FROM registry.head WHERE id = 1 FOR UPDATE');
    const committing = registry.commit({
      source: POD_A,
      documents: [{ url: `${POD_A.url}doc`, components: [component('a')], record: {} }],
      record: OK,
    });
    await waitFor(async () => {
      const { rows } = await admin.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      return rows.length > 0;
    });
    const locking = admin.query('SELECT 1 FROM registry.source FOR UPDATE');
    await locking;
    await admin.query('COMMIT');
    expect(await committing).toMatchObject({ added: 1 });
  });

  it('waits no longer than a reader does for a server that is gone, and goes on when it is back', async () => {
    const { proxy, url } = await CuttingProxy.to(await newDatabase());
    const { store, registry } = await open(url);
    await registry.upsertLocal([component('a')]);
    proxy.refusing = true;
    await expect(registry.upsertLocal([component('b')])).rejects.toThrow(StoreUnavailable);
    await expect(registry.labels()).rejects.toThrow(StoreUnavailable);
    expect((await registry.state()).components).toBe(1);
    expect(store.trouble?.error).toBeDefined();
    proxy.refusing = false;
    await waitFor(() => store.trouble === undefined);
    await registry.upsertLocal([component('b')]);
    expect(await registry.labels()).toEqual(['a', 'b']);
  });
});
