import { beforeEach, describe, expect, it } from 'vitest';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import { type FakeAnswer, redirect } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { html, polledPod } from '../../support/pod/polled-pod.js';

describe('a pod', () => {
  const { fresh, clock, poll, served, document } = polledPod();
  let pod: FakePod;
  beforeEach(() => {
    ({ pod } = fresh);
  });

  describe('as a container', () => {
    it.each([404, 410, 401, 403])('drops a member that answers %i', async (status) => {
      await poll();
      pod.break('/c/b', { status });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a']);
      expect(await document('/c/b')).toBeUndefined();
      expect((await poll()).put).toEqual([]);
    });

    it('reads on when this node stumbles over a member, keeps what it said, and logs the stack', async () => {
      await poll();
      pod.put('/c/a', turtle('a2'));
      pod.put('/c/b', turtle('b2'));
      const pool = stumblingOver('b2');
      expect(await poll('/c/', { pool })).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a2', 'b']);
      expect((await document('/c/b'))?.error).toMatch(/this node stumbled over it.*b2 is too much/);
      expect(fresh.logged).toMatchObject([
        { document: fresh.server.url('/c/b'), err: expect.any(TypeError) },
      ]);
      await poll();
      expect(await served()).toEqual(['a2', 'b2']);
    });

    it('keeps what it said when this node stumbles over its listing', async () => {
      await poll();
      expect((await poll('/c/', { pool: stumblingOver('contains') })).failure?.message).toMatch(/stumbled/);
      expect(await served()).toEqual(['a', 'b']);
      expect(fresh.logged).toHaveLength(1);
    });

    it.each([404, 403])(
      'keeps everything when the pod answers %i from the middle of a poll on',
      async (status) => {
        await poll();
        pod.put('/c/a', turtle('a2'));
        pod.break('/c/b', { status });
        let listed = 0;
        pod.answerAll((request) => {
          if (request.url !== '/c/') return pod.answer(request);
          listed += 1;
          return listed === 1 ? pod.answer(request) : { status };
        });
        expect((await poll()).failure?.message).toMatch(String(status));
        expect(await served()).toEqual(['a2', 'b']);
      },
    );

    it.each<[string, FakeAnswer, RegExp]>([
      ['answers 500', { status: 500 }, /answers 500/],
      ['closes the connection', { status: 200, drop: true }, /no answer/],
      ['says nothing', { status: 200, hang: 'answer' }, /./],
      ['breaks off', { truncate: 'length' }, /broke off/],
      ['breaks off a chunked body', { truncate: 'chunks' }, /broke off/],
      ['never ends', { endless: true }, /larger than/],
      ['is too large', { body: `# ${'x'.repeat(30_000)}` }, /larger than/],
      ['is HTML', html, /is text\/html: Turtle or JSON-LD is needed/],
      ['has no content type', { headers: { 'content-type': '' } }, /no Content-Type/],
      ['is an image where components were', { headers: { 'content-type': 'image/png' } }, /is image\/png/],
      ['is not Turtle', { body: '<a> <b> "' }, /./],
      ['is not UTF-8', { body: Buffer.from([0x23, 0xff, 0xfe]) }, /not valid UTF-8/],
      ['is not JSON', { body: '{', headers: { 'content-type': 'application/ld+json' } }, /Not JSON/],
      ['redirects in circles', redirect('/c/b'), /redirects/],
    ])('serves the last good data of a member that %s, says why, and recovers', async (_, fault, reason) => {
      await poll();
      pod.put('/c/a', turtle('a2'));
      pod.break('/c/b', fault);
      if (fault.hang) fresh.timeoutMs = 300;
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a2', 'b']);
      expect(await document('/c/b')).toMatchObject({
        components: 1,
        error: expect.stringMatching(reason),
        failingSince: clock.now(),
      });

      fresh.timeoutMs = 5_000;
      pod.put('/c/b', turtle('b2'));
      await poll();
      expect(await served()).toEqual(['a2', 'b2']);
      expect(await document('/c/b')).not.toHaveProperty('error', expect.anything());
    });

    it.each([406, 501])('takes a member that answers %i for one that is no RDF', async (status) => {
      pod.put('/c/picture', '', { fault: { status } });
      await poll();
      expect(await document('/c/picture')).not.toHaveProperty('error', expect.anything());
      pod.seen();
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200']);
      pod.break('/c/b', { status });
      await poll();
      expect(await served()).toEqual(['a', 'b']);
      expect((await document('/c/b'))?.error).toContain(`answers ${status}`);
    });

    it('does not take a 304 that it did not ask for', async () => {
      pod.tags = false;
      await poll();
      pod.break('/c/b', { status: 304 });
      await poll();
      expect(await served()).toEqual(['a', 'b']);
      expect((await document('/c/b'))?.error).toBe('answers 304');
    });

    it('does not write the same failure twice, nor move a broken body twice', async () => {
      pod.put('/c/broken', 'this is not Turtle');
      await poll();
      expect(await document('/c/broken')).toMatchObject({ error: expect.any(String), components: 0 });
      pod.seen();
      expect((await poll()).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200', '/c/broken 304']);
    });
  });
});

/** A pool with a fault: it throws what no rule foresees when a document has this text in it. */
function stumblingOver(text: string): TaskPool {
  const pool = inProcess(withoutPause);
  return {
    run(task, input, options) {
      if (JSON.stringify(input, asText).includes(text)) throw new TypeError(`${text} is too much`);
      return pool.run(task, input, options);
    },
  };
}

function asText(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}
