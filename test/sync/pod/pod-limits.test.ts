import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { nothingDescribed } from '../../../src/component/reading/described.js';
import type { FetchAnswer } from '../../../src/lib/fetch/guarded-fetch.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { FakeServer } from '../../support/fake-server.js';
import { door } from '../../support/guarded-doors.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { polledPod } from '../../support/pod/polled-pod.js';
import { component, type TestRegistry } from '../../support/registry.js';

const HOUR = 3_600_000;

describe('a pod of which the node keeps no more', () => {
  const { fresh, clock, source, poll, served, document } = polledPod();
  let server: FakeServer;
  let registry: TestRegistry;
  let pod: FakePod;
  beforeEach(() => {
    ({ server, registry, pod } = fresh);
  });
  const full = { limits: { room: { components: 0, bytes: 0 } } };
  /** Notes that something of the document `/c/a` was left out, of so many bytes. */
  async function leaveOut(firstOmitted?: number): Promise<void> {
    const { components: _, ...known } = (await document('/c/a')) ?? { components: 0 };
    const record = { ...known, omitted: 1, firstOmitted };
    const documents = [{ url: server.url('/c/a'), components: [], record }];
    await registry.commit({ source: source(), documents, record: { failures: 0 } });
    pod.seen();
  }

  it('is not asked for documents that are not known, and they are counted', async () => {
    expect(await poll('/c/', {}, full)).toMatchObject({ put: [], unread: 2 });
    expect(pod.seen()).toEqual(['/c/ 200']);
  });

  it('counts for what strangers may have its host asked, but not for what it lists itself', async () => {
    const counted: string[] = [];
    const asks = door({ maxBytes: 20_000 });
    const fetch: typeof asks = Object.assign((...[url, request]: Parameters<typeof asks>) => {
      if (request.isCounted) counted.push(url);
      return asks(url, request);
    }, asks);
    await poll('/c/', { fetch });
    expect(pod.seen()).toHaveLength(3);
    expect(counted).toEqual([source().url]);
  });

  it('is read on where it is known, edits and deletions included', async () => {
    await poll();
    pod.put('/c/a', turtle('a2'));
    pod.delete('/c/b');
    await poll('/c/', {}, full);
    expect(await served()).toEqual(['a2']);
  });

  it.each([true, false])(
    'is sent again what was left out when there is room (validators: %s)',
    async (tags) => {
      Object.assign(pod, { tags });
      await poll();
      await leaveOut();
      await poll('/c/', {}, full);
      expect(await served()).toEqual(['b']);
      await poll();
      expect(await served()).toEqual(['a', 'b']);
    },
  );

  it.each([200, undefined])('is not sent again what is larger than the room: %s bytes', async (bytes) => {
    await poll();
    await leaveOut(bytes);
    clock.pass(HOUR);
    await poll('/c/', {}, { limits: { room: { components: 3, bytes: 100 } } });
    expect(pod.seen()).toContain('/c/a 304');
  });

  it('is read no further than there is room for', async () => {
    for (let i = 0; i < 20; i++) pod.put(`/c/m${i}`, turtle(`m${i}`));
    const five = { components: 5, bytes: 1e6 };
    const { put, unread } = await poll('/c/', {}, { limits: { most: five, room: five } });
    expect([5, 6]).toContain(put.length);
    expect(put.length + (unread ?? 0)).toBe(22);
  });

  it('is read no further when it says more at once than the node holds, loses nothing, and is read on', async () => {
    const heavy = async (path: string) => {
      const description = 'x'.repeat(150_000);
      const components = Array.from({ length: path === 'a' ? 80 : 40 }, (_, i) =>
        component(`${path}${i}`, { description }),
      );
      return { ...nothingDescribed(), components, isContainer: false, members: [] };
    };
    const run = (task: never, input: { baseIri: string }, how: never) =>
      input.baseIri.endsWith('/') ? inProcess.run(task, input as never, how) : heavy(input.baseIri.slice(-1));
    const pool = { run } as never;
    pod.put('/c/c', turtle('c'));
    pod.put('/c/d', turtle('d'));
    await poll();
    clock.pass(HOUR);
    for (const name of ['a', 'b', 'c']) pod.put(`/c/${name}`, turtle(`${name}2`));
    pod.delete('/c/d');
    const { failure, put, gone } = await poll('/c/', { pool }, { maxComponents: 100 });
    expect(failure?.message).toContain('the next poll goes on');
    expect([put.map(({ url }) => url.slice(-1)), gone]).toEqual([['a', 'b'], []]);
    const next = await poll('/c/', { pool }, { maxComponents: 100 });
    expect(next).toMatchObject({ complete: true, gone: [server.url('/c/d')] });
    // A pod that is one document leaves nothing for a next poll.
    const alone = await poll('/c/a', { pool }, { maxComponents: 10 });
    expect(alone).toMatchObject({ failure: undefined, complete: true });
  });

  it('has what is stored of a document kept before what comes in the order of uris', async () => {
    const many = (...names: string[]) => pod.put('/c/many', names.map((name) => turtle(name)).join('\n'));
    many('m3', 'm2');
    await poll('/c/many', {}, { maxComponents: 2 });
    many('m3', 'm1', 'm2');
    await poll('/c/many', {}, { maxComponents: 2 });
    expect(await served()).toEqual(['m2', 'm3']);
    expect(await document('/c/many', '/c/many')).toMatchObject({ components: 2, omitted: 1 });
  });

  it('is asked for no more than a thousand documents only because an hour has passed, the oldest first', async () => {
    const modified = Date.now();
    const known = { etag: '"1"', modified: new Date(modified).toISOString() };
    const documents = Array.from({ length: 1_200 }, (_, i) => {
      pod.put(`/c/old-${i}`, turtle(`old-${i}`), { modified });
      const readAt = clock.now() + (i < 200 ? 60_000 : 0);
      return { url: server.url(`/c/old-${i}`), components: [], record: { ...known, readAt } };
    });
    await registry.commit({ source: source(), documents, record: { failures: 0 } });
    clock.pass(2 * HOUR);
    const asks = door({ maxBytes: 1e7, timeoutMs: 20_000 });
    let asked: string[] = [];
    // Their answers need no server.
    const unchanged: Omit<FetchAnswer, 'url'> = {
      ...{ status: 304, headers: new Headers(), body: Readable.from([]) },
      ...{ bytes: async () => new Uint8Array(), text: async () => '', discard: async () => undefined },
    };
    const fetch: typeof asks = Object.assign(async (...[url, request]: Parameters<typeof asks>) => {
      if (!url.includes('/old-')) return asks(url, request);
      asked.push(url.replace(/^.*old-/, ''));
      return { ...unchanged, url };
    }, asks);
    await poll('/c/', { fetch, maxDocuments: 2_000 });
    expect([asked.length, asked.includes('0')]).toEqual([1_000, false]);
    asked = [];
    await poll('/c/', { fetch, maxDocuments: 2_000 });
    expect(asked).toHaveLength(200);
  });
});
