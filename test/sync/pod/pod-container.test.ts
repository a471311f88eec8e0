import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeServer, inTurtle, redirect } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { html, polledPod } from '../../support/pod/polled-pod.js';
import { VOCABULARY } from '../../support/registry.js';

describe('a pod', () => {
  const { fresh, clock, poll, served, document } = polledPod();
  let pod: FakePod;
  let server: FakeServer;
  beforeEach(() => {
    ({ pod, server } = fresh);
  });

  describe('as a container', () => {
    it('asks now and then for what seems unchanged, because access may have been taken away', async () => {
      await poll();
      await poll();
      pod.seen();
      await poll();
      expect(pod.seen().filter((line) => line.includes('/c/a'))).toEqual([]);
      clock.pass(3_600_000);
      await poll();
      expect(pod.seen().filter((line) => line.includes('/c/a'))).toEqual(['/c/a 304']);
      pod.close('/c/a');
      await poll();
      expect(await served()).toEqual(['a', 'b']);
      clock.pass(3_600_000);
      await poll();
      expect(await served()).toEqual(['b']);
    });

    it('asks for its listing alone when nothing was modified, without conditions, and changes nothing', async () => {
      await poll();
      pod.seen();
      expect((await poll()).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200']);
      expect(server.requests.at(-1)?.headers).not.toHaveProperty('if-none-match', expect.anything());
    });

    it('reads an edit behind the unchanged tag of the listing, and that one alone', async () => {
      await poll();
      pod.put('/c/a', turtle('a2'));
      pod.seen();
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200', '/c/a 200']);
      expect(await served()).toEqual(['a2', 'b']);
    });

    it('does not move a body that is what it was, though its time of modification moved', async () => {
      await poll();
      pod.put('/c/a', turtle('a'), { modified: pod.documents.get('/c/a')?.modified ?? new Date() });
      pod.gossip = `<a> <http://purl.org/dc/terms/modified> "2026-01-01T00:00:00.000Z".`;
      pod.seen();
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200', '/c/a 304']);
      expect((await poll()).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('asks for each member, conditionally, when the listing does not tell when they were modified', async () => {
      pod.listsModified = false;
      await poll();
      pod.seen();
      expect((await poll()).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200', '/c/a 304', '/c/b 304']);
    });

    it('reads again in full what was modified in the second it was read, where clocks tick in seconds', async () => {
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      pod.put('/c/a', turtle('a'), { modified: now });
      await poll();
      pod.put('/c/a', turtle('a2'), { modified: now });
      await poll();
      expect(await served()).toEqual(['a2', 'b']);
    });

    it('leaves images alone, whoever says that they are', async () => {
      pod.put('/c/photo', 'PNG', { type: 'image/png' });
      await poll();
      expect(pod.seen()).not.toContain('/c/photo 200');
      pod.listsTypes = false;
      await poll();
      expect(pod.seen()).toContain('/c/photo 200');
      expect(await document('/c/photo')).not.toHaveProperty('error', expect.anything());
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('names invalid components, and serves their neighbours', async () => {
      pod.put(
        '/c/a',
        `${turtle('good')} <https://c.example/bad.js> <${VOCABULARY.predicates.tag}> "no label".`,
      );
      await poll();
      expect(await served()).toEqual(['b', 'good']);
      expect((await document('/c/a'))?.invalid).toEqual([
        { subject: 'https://c.example/bad.js', reasons: [expect.stringContaining('label is missing')] },
      ]);
    });

    it('reads JSON-LD, and fetches no context', async () => {
      const json = { '@id': 'https://c.example/j.js', [VOCABULARY.predicates.label]: 'j' };
      pod.put('/c/j', JSON.stringify(json), { type: 'application/ld+json; profile="x"' });
      const context = { '@context': server.url('/context'), ...json };
      pod.put('/c/k', JSON.stringify(context), { type: 'application/ld+json' });
      pod.listsTypes = false;
      await poll();
      expect(await served()).toEqual(['a', 'b', 'j']);
      expect((await document('/c/k'))?.error).toContain('/context');
      expect(server.count('/context')).toBe(0);
    });
  });

  describe('with containers in containers', () => {
    beforeEach(() => {
      pod.put('/c/sub/d', turtle('d'));
      pod.put('/c/sub/deep/e', turtle('e'));
    });

    it.each<[string, FakeAnswer]>([
      ['answers 500', { status: 500 }],
      ['closes the connection', { drop: true }],
      ['is HTML', html],
      ['is not Turtle', inTurtle('<> <')],
      ['is no container', inTurtle('<> a <http://www.w3.org/ns/ldp#Resource>.')],
      ['leads elsewhere', redirect('/other/')],
      [
        'lists strangers only',
        inTurtle(
          '<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <http://x/y>.',
        ),
      ],
    ])('drops nothing below a listing that %s, says so, and goes on elsewhere', async (_, fault) => {
      await poll();
      pod.put('/other/x', turtle('x'));
      pod.delete('/c/sub/d');
      pod.delete('/c/b');
      pod.faults.set('/c/sub/', fault);
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a', 'd', 'e']);
      expect(await document('/c/sub/')).toMatchObject({ error: expect.any(String), components: 0 });
      expect((await poll()).put).toEqual([]);

      pod.faults.clear();
      await poll();
      expect(await served()).toEqual(['a', 'e']);
      expect(await document('/c/sub/')).toBeUndefined();
    });

    it.each([401, 403, 404, 410])('drops what is below a listing that answers %i', async (status) => {
      await poll();
      pod.faults.set('/c/sub/', { status });
      pod.seen();
      await poll();
      expect(await served()).toEqual(['a', 'b']);
      // The pod once more, before anything of it is removed.
      expect(pod.seen()).toEqual(['/c/ 200', `/c/sub/ ${status}`, '/c/ 200'].sort());
    });

    it('goes eight containers deep, and says where it stops', async () => {
      const path = (depth: number) => `/c/${Array.from({ length: depth }, (_, i) => `${i}/`).join('')}`;
      pod.put(`${path(8)}last`, turtle('last'));
      pod.put(`${path(9)}lost`, turtle('lost'));
      await poll();
      expect(await served()).toContain('last');
      expect(await served()).not.toContain('lost');
      expect((await document(path(9)))?.error).toContain('8 containers deep');
    });

    it('reads so many documents and no more, the same each time, and still notices deletions', async () => {
      await poll('/c/', { maxDocuments: 3 });
      expect(await served()).toEqual(['a', 'b', 'd']);
      expect((await document('/c/'))?.error).toContain('more than 3 documents');
      expect((await poll('/c/', { maxDocuments: 3 })).put).toEqual([]);
      pod.put('/c/0', turtle('zero'));
      pod.delete('/c/sub/d');
      await poll('/c/', { maxDocuments: 3 });
      expect(await served()).toEqual(['a', 'b', 'zero']);
    });

    it('asks for its listings alone when more documents than are read come before those that are', async () => {
      await poll('/c/', { maxDocuments: 3 });
      for (let i = 0; i < 5; i++) pod.put(`/c/0${i}`, turtle(`early${i}`));
      pod.seen();
      await poll('/c/', { maxDocuments: 3 });
      expect(pod.seen()).toEqual(['/c/ 200', '/c/sub/ 200']);
      expect(await served()).toEqual(['a', 'b', 'd']);
    });
  });
});
