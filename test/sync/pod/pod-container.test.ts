import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeServer, inTurtle, redirect } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { html, polledPod } from '../../support/pod/polled-pod.js';
import { VOCABULARY } from '../../support/registry.js';

const HOUR = 3_600_000;
const STRANGERS =
  '<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <http://x/y>.';

describe('a pod', () => {
  const { fresh, clock, poll, served, document } = polledPod();
  let pod: FakePod;
  let server: FakeServer;
  beforeEach(() => {
    ({ pod, server } = fresh);
  });
  /** The requests of one poll that finds nothing new. */
  const askedInVain = async (path = '/c/') => {
    pod.seen();
    expect((await poll(path)).put).toEqual([]);
    return pod.seen();
  };

  describe('as a container', () => {
    it.each<[what: string, happens: () => void, asked: string[], served?: string[]]>([
      ['its listing alone when nothing was modified', () => undefined, ['/c/ 200']],
      [
        'what was edited behind the unchanged tag of the listing, and that alone',
        () => pod.put('/c/a', turtle('a2')),
        ['/c/ 200', '/c/a 200'],
        ['a2', 'b'],
      ],
      [
        'whether a body is what it was, where its time of modification moved',
        () => {
          pod.gossip = `<a> <http://purl.org/dc/terms/modified> "2026-01-01T00:00:00.000Z".`;
        },
        ['/c/ 200', '/c/a 304'],
      ],
      [
        'each member, conditionally, when the listing does not tell when they were modified',
        () => {
          pod.listsModified = false;
        },
        ['/c/ 200', '/c/a 304', '/c/b 304'],
      ],
    ])('is asked for %s', async (_, happens, asked, now = ['a', 'b']) => {
      await poll();
      happens();
      pod.seen();
      await poll();
      expect(pod.seen()).toEqual(asked);
      const listings = server.requests.filter(({ url }) => url === '/c/');
      for (const { headers } of listings) expect(headers).not.toHaveProperty('if-none-match');
      expect(await served()).toEqual(now);
      if (pod.listsModified) expect(await askedInVain()).toEqual(['/c/ 200']);
    });

    it('reads again in full what was modified in the second it was read, where clocks tick in seconds', async () => {
      const now = Math.floor(Date.now() / 1000) * 1000;
      pod.put('/c/a', turtle('a'), { modified: now });
      await poll();
      pod.put('/c/a', turtle('a2'), { modified: now });
      await poll();
      expect(await served()).toEqual(['a2', 'b']);
    });

    it('asks now and then for what seems unchanged, because access may have been taken away', async () => {
      await poll();
      await poll();
      expect(await askedInVain()).toEqual(['/c/ 200']);
      pod.close('/c/a');
      await poll();
      expect(await served()).toEqual(['a', 'b']);
      clock.pass(HOUR);
      await poll();
      expect(await served()).toEqual(['b']);
    });

    it('leaves images alone, whoever says that they are', async () => {
      pod.put('/c/photo', 'PNG', { mediaType: 'image/png' });
      await poll();
      expect(pod.seen()).not.toContain('/c/photo 200');
      pod.listsTypes = false;
      await poll();
      expect(pod.seen()).toContain('/c/photo 200');
      expect(await document('/c/photo')).not.toHaveProperty('error', expect.anything());
      expect(await askedInVain()).toEqual(['/c/ 200']);
    });

    it('names invalid components, and serves their neighbours', async () => {
      const bad = `<https://c.example/bad.js> <${VOCABULARY.predicates.tag}> "no label".`;
      pod.put('/c/a', `${turtle('good')} ${bad}`);
      await poll();
      expect(await served()).toEqual(['b', 'good']);
      const reasons = [expect.stringContaining('label is missing')];
      expect((await document('/c/a'))?.invalid).toEqual([{ subject: 'https://c.example/bad.js', reasons }]);
    });

    it('reads JSON-LD, and fetches no context', async () => {
      const json = { '@id': 'https://c.example/j.js', [VOCABULARY.predicates.label]: 'j' };
      pod.put('/c/j', JSON.stringify(json), { mediaType: 'application/ld+json; profile="x"' });
      const context = { '@context': server.url('/context'), ...json };
      pod.put('/c/k', JSON.stringify(context), { mediaType: 'application/ld+json' });
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
      ['is HTML', html],
      ['is not Turtle', inTurtle('<> <')],
      ['is no container', inTurtle('<> a <http://www.w3.org/ns/ldp#Resource>.')],
      ['leads elsewhere', redirect('/other/')],
      ['lists strangers only', inTurtle(STRANGERS)],
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

    it('goes eight containers deep, and says where it stops', async () => {
      const path = (depth: number) => `/c/${Array.from({ length: depth }, (_, i) => `${i}/`).join('')}`;
      pod.put(`${path(8)}last`, turtle('last'));
      pod.put(`${path(9)}lost`, turtle('lost'));
      await poll();
      expect(await served()).toEqual(['a', 'b', 'd', 'e', 'last']);
      expect((await document(path(9)))?.error).toContain('8 containers deep');
    });

    it('opens so many containers and no more, says so, and drops nothing of the others', async () => {
      for (const name of ['t1', 't2', 't3', 't4']) pod.put(`/c/${name}/x`, turtle(name));
      await poll();
      pod.delete('/c/t4/x');
      pod.delete('/c/b');
      pod.seen();
      await poll('/c/', { maxDocuments: 3 });
      expect(pod.seen().filter((line) => /^\/c\/\w+\/ /.test(line))).toHaveLength(3);
      expect(await served()).toEqual(['a', 'b', 'd', 'e', 't1', 't2', 't3', 't4']);
      expect((await document('/c/'))?.error).toContain('more than 3 documents');
      await poll();
      expect(await served()).toEqual(['a', 'd', 'e', 't1', 't2', 't3']);
    });

    it('reads so many documents and no more, the same each time, and still notices deletions', async () => {
      const three = () => poll('/c/', { maxDocuments: 3 });
      await three();
      expect(await served()).toEqual(['a', 'b', 'd']);
      expect((await document('/c/'))?.error).toContain('more than 3 documents');
      for (let i = 0; i < 5; i++) pod.put(`/c/0${i}`, turtle(`early${i}`));
      pod.seen();
      expect((await three()).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200', '/c/sub/ 200']);
      pod.delete('/c/sub/d');
      await three();
      expect(await served()).toEqual(['a', 'b', 'early0']);
    });

    it('gives the places of what is gone to what is new in the same poll, of no folder that cannot be read', async () => {
      const four = () => poll('/c/', { maxDocuments: 4 });
      await four();
      pod.faults.set('/c/sub/deep/', { status: 500 });
      for (const name of ['a', 'b', 'd']) pod.put(`/c/new/${name}`, turtle(`new-${name}`));
      for (const path of ['/c/a', '/c/b']) pod.delete(path);
      // The first time it cannot be read, and then it is what failed the last time.
      for (let i = 0; i < 2; i++) {
        await four();
        expect(await served()).toEqual(['d', 'e', 'new-a', 'new-b']);
      }
      pod.faults.clear();
      pod.delete('/c/sub/deep/e');
      await four();
      expect(await served()).toEqual(['d', 'new-a', 'new-b', 'new-d']);
      expect(await document('/c/')).toBeUndefined();
    });
  });

  describe('as one document', () => {
    it('may become a container, and what was a container a document', async () => {
      await poll();
      pod.faults.set('/c/', inTurtle(turtle('index')));
      await poll();
      expect(await served()).toEqual(['index']);
      pod.faults.clear();
      await poll();
      expect(await served()).toEqual(['a', 'b']);
    });

    it('is a container when a Link header says so', async () => {
      const link = '<http://www.w3.org/ns/ldp#Container>; rel="type"';
      const body = '<> <http://www.w3.org/ns/ldp#contains> <a>.';
      pod.faults.set('/c/', { body, headers: { link, 'content-type': 'text/turtle' } });
      await poll();
      expect(await served()).toEqual(['a']);
    });
  });
});
