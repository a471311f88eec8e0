import { beforeEach, describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import { PollTimeout } from '../../../src/sync/source-reader.js';
import type { FakeServer } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { polledPod } from '../../support/pod/polled-pod.js';
import type { TestRegistry } from '../../support/registry.js';

describe('a pod', () => {
  const { fresh, clock, source, poll, served, document } = polledPod();
  let server: FakeServer;
  let registry: TestRegistry;
  let pod: FakePod;
  beforeEach(() => {
    ({ server, registry, pod } = fresh);
  });
  const bodies = () => pod.seen().filter((line) => line.endsWith(' 200'));

  describe('of which the node keeps no more', () => {
    const full = { limits: { room: { components: 0, bytes: 0 } } };

    it('is not asked for documents that are not known, and they are counted', async () => {
      pod.seen();
      expect(await poll('/c/', {}, full)).toMatchObject({ put: [], unread: 2 });
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('is read on where it is known, edits and deletions included', async () => {
      await poll();
      pod.put('/c/a', turtle('a2'));
      pod.delete('/c/b');
      await poll('/c/', {}, full);
      expect(await served()).toEqual(['a2']);
    });

    it.each([true, false])(
      'is sent again what was left out when there is room for it (validators: %s)',
      async (tags) => {
        Object.assign(pod, { tags });
        await poll();
        const { components: _, ...known } = (await document('/c/a')) ?? { components: 0 };
        const documents = [{ url: server.url('/c/a'), components: [], record: { ...known, omitted: 1 } }];
        await registry.commit({ source: source(), documents, record: { failures: 0 } });
        pod.seen();
        await poll('/c/', {}, full);
        expect(await served()).toEqual(['b']);
        expect(bodies()).not.toContain('/c/a 304');
        await poll();
        expect(await served()).toEqual(['a', 'b']);
      },
    );
  });

  it.each<[why: string, firstOmitted: number | undefined]>([
    ['of which something was left out that is larger than the room', 200],
    ['of which something was left out, in room for hardly a component', undefined],
  ])('asks conditionally for a document %s, at every poll', async (_, firstOmitted) => {
    await poll();
    const { components: _n, ...known } = (await document('/c/a')) ?? { components: 0 };
    const record = { ...known, omitted: 1, firstOmitted };
    const documents = [{ url: server.url('/c/a'), components: [], record }];
    await registry.commit({ source: source(), documents, record: { failures: 0 } });
    clock.pass(3_600_000);
    pod.seen();
    await poll('/c/', {}, { limits: { room: { components: 3, bytes: 100 } } });
    expect(pod.seen()).toContain('/c/a 304');
  });

  it('reads no more unknown documents than there is room for', async () => {
    for (let i = 0; i < 20; i++) pod.put(`/c/m${i}`, turtle(`m${i}`));
    const five = { components: 5, bytes: 1e6 };
    const { put, unread } = await poll('/c/', {}, { limits: { most: five, room: five } });
    expect(put.length).toBeGreaterThanOrEqual(5);
    expect(put.length).toBeLessThanOrEqual(6);
    expect(put.length + (unread ?? 0)).toBe(22);
  });

  it.each(['/c/', '/c/many'])(
    'brings no more components of a document than are kept, those whose uris come first: %s',
    async (path) => {
      const names = ['m3', 'm1', 'm4', 'm2'];
      pod.put('/c/many', names.map((name) => turtle(name)).join('\n'));
      const most = { components: 2, bytes: 1e6 };
      const { put } = await poll(path, {}, { limits: { most } });
      const many = put.find(({ url }) => url === server.url('/c/many'));
      expect(many?.components?.map(({ label }) => label)).toEqual(['m1', 'm2']);
      expect(many?.record).toMatchObject({ omitted: 2 });
    },
  );

  it.each(['/c/', '/c/sub/'])('does not blame a container for the end of its poll: %s', async (path) => {
    pod.put('/c/sub/d', turtle('d'));
    await poll();
    const time = new AbortController();
    const pool: TaskPool = {
      async *run(task, input, options) {
        if (JSON.stringify(input).includes(server.url(path))) time.abort(new PollTimeout('over'));
        yield* inProcess(withoutPause).run(task, input, options);
      },
    };
    const cutShort = { put: [], failure: { message: expect.stringContaining('cut short') } };
    expect(await poll('/c/', { pool }, { time: time.signal })).toMatchObject(cutShort);
    expect(await served()).toEqual(['a', 'b', 'd']);
  });

  it('stops when the server asks for fewer requests, and goes on from there', async () => {
    for (let i = 0; i < 20; i++) pod.put(`/c/m${i}`, turtle(`m${i}`));
    for (const path of ['/c/m10', '/c/m11'])
      pod.break(path, { status: 429, headers: { 'retry-after': '60' } });
    const { failure } = await poll();
    expect(failure).toMatchObject({
      message: expect.stringContaining('429'),
      notBefore: clock.now() + 60_000,
    });
    const before = (await served()).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(20);
    for (const path of ['/c/m10', '/c/m11']) pod.put(path, turtle(path.slice(3)));
    pod.seen();
    await poll();
    expect(await served()).toHaveLength(22);
    expect(bodies()).toHaveLength(1 + 22 - before);
  });

  it('is left alone for now when it has stopped answering', async () => {
    for (let i = 0; i < 20; i++) pod.put(`/c/m${i}`, turtle(`m${i}`), { fault: { drop: true } });
    const { failure } = await poll();
    expect(failure?.message).toContain('stopped answering');
    expect(pod.log.length).toBeLessThan(12);
  });

  it('asks for no more than a thousand documents only because an hour has passed, those of the longest time first', async () => {
    const readAt = clock.now();
    const paths = Array.from({ length: 1_200 }, (_, i) => `/c/old-${i}`);
    for (const path of paths) pod.put(path, turtle(path));
    const documents = paths.map((path, i) => {
      const modified = pod.documents.get(path)?.modified ?? new Date();
      const etag = `"${modified.getTime()}"`;
      const record = { etag, modified: modified.toISOString(), readAt: readAt + (i < 200 ? 60_000 : 0) };
      return { url: server.url(path), components: [], record };
    });
    await registry.commit({ source: source(), documents, record: { failures: 0 } });
    clock.pass(2 * 3_600_000);
    const generous = createGuardedFetch({
      userAgent: 't',
      allowPrivate: false,
      maxBytes: 1e7,
      timeoutMs: 20_000,
    });
    const asked = async () => {
      await poll('/c/', { fetch: generous, maxDocuments: 2_000 });
      return pod.seen().filter((line) => line.endsWith(' 304'));
    };
    const first = await asked();
    expect(first).toHaveLength(1_000);
    expect(first).not.toContain('/c/old-0 304');
    expect(await asked()).toHaveLength(200);
    expect(await asked()).toEqual([]);
    await generous.close();
  });
});
