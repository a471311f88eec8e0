import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { cursorOf } from '../../../src/core/cursor.js';
import { descriptionsOf } from '../../../src/registry/page.js';
import type { Session } from '../../../src/store/postgres/connection/session.js';
import { PublishedState } from '../../../src/store/postgres/published-state.js';
import type { Head } from '../../../src/store/postgres/writing/head.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { primaryWithStandby } from '../../support/postgres-pair.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

/** A node that asks the standby first. */
async function openNear({ url, standby, database }: Awaited<ReturnType<typeof primaryWithStandby>>) {
  const store = await openTestStore(url, { readUrl: standby.url(database), patienceMs: 300 });
  cleanup(() => store.close());
  const registry = new TestRegistry(await store.load(registryOptions({ random: Math.random })));
  const { catalog } = registry;
  /** What each way of reading finds. */
  const read = async () => {
    const changes = await catalog.changes({ limit: 100 });
    const page = await catalog.page({}, { limit: 10 });
    return {
      page: (await descriptionsOf(page)).length,
      words: (await descriptionsOf(await catalog.page({ q: 'one' }, { limit: 10 }))).length,
      counted: (await catalog.counts({}, ['source'])).total,
      statements: (await catalog.statements(component('one').uri)).length,
      changes: 'unknown' in changes ? 0 : changes.changes.length,
      cursors: [page.state, 'unknown' in changes ? page.state : changes.state].map((state) =>
        cursorOf(state),
      ),
    };
  };
  return { store, registry, read };
}

describe('reads from a standby', { timeout: 60_000 }, () => {
  it('are those of the primary, also when either of them is away, behind or silent', async () => {
    const servers = await primaryWithStandby();
    const { primary, standby, database, hasAll } = servers;
    const { store, registry, read } = await openNear(servers);
    const expectAll = async (most: number) => {
      const { cursors, ...found } = await read();
      expect(found).toEqual({ page: most, words: 1, counted: most, statements: 1, changes: most });
      const shown = cursorOf(await registry.state());
      expect(cursors).toEqual([shown, shown]);
    };
    /** Connections of the node to the standby. */
    const connectionsAfterReading = async () => {
      await read();
      const [row] = await standby.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE application_name = 'component-registry-node' AND datname = '${database}'`,
      );
      return row?.n ?? 0;
    };
    await registry.upsertLocal([component('one')]);
    await expectAll(1);
    await waitFor(hasAll);

    await waitFor(async () => (await connectionsAfterReading()) > 0, { timeoutMs: 10_000 });

    // Behind: what was acknowledged is seen at once.
    await standby.query('SELECT pg_wal_replay_pause()');
    await registry.upsertLocal([component('two')]);
    await expectAll(2);
    await standby.query('SELECT pg_wal_replay_resume()');
    await waitFor(hasAll);

    // Away.
    await standby.kill();
    await expectAll(2);
    await standby.start();
    await waitFor(hasAll);
    await waitFor(async () => (await connectionsAfterReading()) > 0, { timeoutMs: 10_000 });

    // The primary is away: what the standby has is served, and nothing can be written.
    await primary.kill();
    await waitFor(() => store.trouble !== undefined);
    await expectAll(2);
    expect(store.trouble?.isUnreadable).toBe(false);
    await expect(registry.upsertLocal([component('three')])).rejects.toThrow('cannot be reached');
    await standby.kill();
    await expect(read()).rejects.toThrow('cannot be reached');
    await waitFor(() => store.trouble?.isUnreadable === true);
  });
});

describe('a cursor that another node has given', { timeout: 60_000 }, () => {
  it('is followed by a node that has not heard of that state, and whose standby has not either', async () => {
    const servers = await primaryWithStandby();
    const { registry } = await openNear(servers);
    const other = await openTestStore(servers.url, { patienceMs: 300 });
    cleanup(() => other.close());
    const writer = new TestRegistry(await other.load(registryOptions({ random: Math.random })));
    await waitFor(servers.hasAll);
    await servers.standby.query('SELECT pg_wal_replay_pause()');
    for (let n = 0; n < 20; n++) {
      await writer.upsertLocal([component(`c${n}`)]);
      const since = cursorOf(await writer.state());
      expect(await registry.catalog.changes({ since, limit: 10 })).toMatchObject({ changes: [] });
    }
  });
});

describe('a standby that says nothing', () => {
  it('is left alone for a while after it has been asked once', { timeout: 30_000 }, async () => {
    let asked = 0;
    const silent = createServer(() => {
      asked += 1;
    }).listen(0, '127.0.0.1');
    cleanup(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const store = await openTestStore(await newDatabase(), { readUrl: `postgres://127.0.0.1:${port}/x` });
    cleanup(() => store.close());
    const registry = new TestRegistry(await store.load(registryOptions()));
    await registry.upsertLocal([component('one')]);
    for (let i = 0; i < 10; i++) expect(await registry.labels()).toEqual(['one']);
    expect(asked).toBe(1);
  });
});

describe('the state that was read', () => {
  it('is the one of the snapshot, although a later one is shown meanwhile', async () => {
    const published = new PublishedState(Math.random);
    const head = (version: number) => ({ version, mark: `${version}`, epoch: 'e', network: '' }) as Head;
    published.show({ head: head(1), summaries: [] }, undefined);
    const session: Session = {
      rows: async <R>() => {
        published.show({ head: head(2), summaries: [] }, published.current);
        return [{ ...head(1), summaries: null }] as R[];
      },
    };
    expect((await published.refresh(session)).head.version).toBe(1);
    expect(published.current.head.version).toBe(2);
  });

  it('on a standby is not shown before the primary has acknowledged it', async () => {
    const published = new PublishedState(Math.random);
    const head = (version: number) => ({ version, mark: `${version}`, epoch: 'e', network: '' }) as Head;
    published.show({ head: head(1), summaries: [] }, undefined);
    const standby = (version: number): Session => ({
      rows: async <R>() => [{ ...head(version), summaries: null }] as R[],
    });
    expect(await published.sharedNear(standby(2))).toBeUndefined();
    expect(await published.sharedNear(standby(0))).toBeUndefined();
    expect((await published.sharedNear(standby(1)))?.head.version).toBe(1);
    expect(published.current.head.version).toBe(1);
  });
});
