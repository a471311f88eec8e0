import { describe, expect, it } from 'vitest';
import { emptyDatabase, headTaken, openedAt } from '../keep/postgres/postgres-engine.js';
import { cleanup } from '../support/cleanup.js';
import { postgresEngine } from '../support/engines.js';
import { tcpProxy } from '../support/proxy/tcp-proxy.js';
import { component, openRegistry } from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';
import { registryContract } from './histories.js';

registryContract('postgres', postgresEngine, { runs: 4, nodes: 2 });

it('shows within a second what another node has written', async () => {
  const url = await emptyDatabase();
  const opened = async () => {
    const clock = new VirtualClock();
    const registry = await openRegistry(await openedAt(url, { clock }), { clock });
    cleanup(() => registry.close());
    return { registry, clock };
  };
  const [one, other] = [await opened(), await opened()];
  await waitFor(() => other.clock.sleeping > 0);
  await one.registry.upsertLocal([component('a')]);
  other.clock.pass(1_000);
  await waitFor(async () => (await other.registry.labels()).includes('a'));
});

describe('what another node has written', () => {
  /** A node behind a proxy that does not look by itself, and does not know what another one has written. */
  async function behindAnother() {
    const database = await emptyDatabase();
    const { proxy, url } = await tcpProxy(database);
    const opened = async (at: string) => {
      const registry = await openRegistry(await openedAt(at), { clock: new VirtualClock() });
      cleanup(() => registry.close());
      return registry;
    };
    const [one, other] = [await opened(url), await opened(database)];
    const description = 'x'.repeat(10_000);
    const names = Array.from({ length: 10 }, (_, i) => `other-${i}`);
    await other.upsertLocal(names.map((name) => component(name, { description })));
    const all = async () => expect(await one.labels()).toEqual(['one', ...names].sort());
    return { proxy, database, all, write: () => one.upsertLocal([component('one')]) };
  }

  it('is read before anybody has to wait for that', async () => {
    const { proxy, database, all, write } = await behindAnother();
    const release = await headTaken(database);
    const before = proxy.received;
    const written = write();
    await waitFor(() => proxy.received - before > 150_000);
    await release();
    await written;
    // What it has read before it does not read again under the lock.
    expect(proxy.received - before).toBeLessThan(300_000);
    await all();
  });

  it('is read under the lock where the connection breaks before', async () => {
    const { proxy, all, write } = await behindAnother();
    proxy.cutNext('FROM keep.row', 'before');
    await write();
    expect(proxy.cuts).toBe(1);
    await all();
  });
});
