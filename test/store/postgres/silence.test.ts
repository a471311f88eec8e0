import { describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { primaryWithStandby } from '../../support/postgres-pair.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { waitFor } from '../../support/wait-for.js';

describe('a primary that says nothing any more', () => {
  it('is left for the one that is promoted, by all that waits for it, too', async () => {
    const { primary, standby, url, hasAll } = await primaryWithStandby();
    // Two connections for all but looking, both of which will wait for the silent server.
    const store = await openTestStore(url, { connections: 3, patienceMs: 1_000 });
    cleanup(() => store.close());
    const registry = new TestRegistry(await store.load(registryOptions({ random: Math.random })));
    await registry.upsertLocal([component('a')]);
    await waitFor(hasAll);
    const goOn = await primary.pause();
    cleanup(goOn);
    const waiting = Array.from({ length: 5 }, () => registry.labels().catch((error: Error) => error.name));
    await standby.promote();
    const began = Date.now();
    await waitFor(() => registry.upsertLocal([component('b')]));
    for (const said of await Promise.all(waiting)) {
      expect([['a'], ['a', 'b'], 'StoreUnavailable']).toContainEqual(said);
    }
    // A statement would be waited for 35 s.
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await registry.labels()).toEqual(['a', 'b']);
  });
});
