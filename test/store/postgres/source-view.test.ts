import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { POD_A, POD_B } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { CountingProxy } from '../../support/proxy/counting-proxy.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

/** Bytes of the records of 2,000 documents are much more, and those of a thousand looks for news less. */
const LITTLE = 50_000;

async function open(url: string): Promise<TestRegistry> {
  // The time stands still: after ten seconds all would be read again.
  const store = await openTestStore(url, { clock: { ...systemClock, now: () => 0 } });
  cleanup(() => store.close());
  return new TestRegistry(await store.load(registryOptions()));
}

describe('what is remembered of all sources', () => {
  it('is read once for all who ask, and then what has changed, by whichever node', async () => {
    const url = new URL(await newDatabase());
    const proxy = new CountingProxy();
    await proxy.open();
    cleanup(() => proxy.close());
    proxy.forwardTo(url.href);
    const far = await open(url.href);
    url.port = new URL(proxy.url).port;
    const near = await open(url.href);
    const documents = Array.from({ length: 2000 }, (_, i) => ({
      url: `${POD_A.url}${i}`,
      components: [],
      record: { etag: `"${'x'.repeat(100)}"` },
    }));
    await far.commit({ source: POD_A, documents, record: { failures: 0 } });
    await near.sources();
    const before = proxy.received;
    const ask = async () => new Map((await near.sources()).map((one) => [one.source.url, one] as const));
    for (let i = 0; i < 50; i++) expect((await ask()).get(POD_A.url)?.documents.size).toBe(2000);

    const own = { url: `${POD_B.url}1`, components: [component('b')], record: {} };
    await near.commit({ source: POD_B, documents: [own], record: { failures: 1 } });
    expect((await ask()).get(POD_B.url)).toMatchObject({ record: { failures: 1 } });
    await far.commit({ source: POD_B, documents: [], record: { failures: 2, lastAttempt: 1 } });
    await waitFor(async () => (await ask()).get(POD_B.url)?.record.failures === 2);
    await near.forget(POD_B);
    expect([...(await ask()).keys()]).toEqual([POD_A.url]);
    expect(proxy.received - before).toBeLessThan(LITTLE);
  });
});
