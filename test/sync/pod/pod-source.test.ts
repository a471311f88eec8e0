import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../src/component/precedence.js';
import { type ClosableFetch, createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import type { DocumentChange } from '../../../src/registry/source-change.js';
import { createPodSource, type PodOptions } from '../../../src/sync/pod/pod-source.js';
import { type PollProgress, type PollResult, PollTimeout } from '../../../src/sync/sync-source.js';
import { FakePod, turtle } from '../../support/fake-pod.js';
import { type FakeAnswer, type FakeServer, fakeServer, redirect } from '../../support/fake-server.js';
import { pollProgress } from '../../support/poll-progress.js';
import { memoryRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const html: FakeAnswer = { body: '<p>Log in</p>', headers: { 'content-type': 'text/html' } };
const ttl = (body: string): FakeAnswer => ({ body, headers: { 'content-type': 'text/turtle' } });

describe('a pod', () => {
  const clock = new VirtualClock();
  let server: FakeServer;
  let fetch: ClosableFetch;
  let registry: TestRegistry;
  let pod: FakePod;

  beforeEach(async () => {
    server = await fakeServer();
    fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: false, maxBytes: 20_000, timeoutMs: 300 });
    registry = await memoryRegistry({ clock });
    pod = new FakePod(server);
    pod.put('/c/a', turtle('a'));
    pod.put('/c/b', turtle('b'));
  });
  afterEach(async () => {
    await fetch.close();
    await server.close();
    await registry.close();
  });

  const source = (path = '/c/'): Source => ({ kind: 'pod', url: server.url(path) });
  async function poll(
    path = '/c/',
    more: Partial<PodOptions> = {},
    signal = new AbortController().signal,
    progress: Partial<PollProgress> = {},
  ) {
    const { url } = source(path);
    const requests = new HostQueues(2);
    const options = { url, fetch, trust: 'configured', clock, requests, vocabulary: VOCABULARY } as const;
    const podSource = createPodSource({
      ...options,
      pool: inProcess(withoutPause),
      maxDocuments: 1000,
      ...more,
    });
    const result: PollResult = await podSource.poll(
      await registry.source(source(path)),
      pollProgress(signal, progress),
    );
    await registry.commit({ source: source(path), documents: result.documents, record: { failures: 0 } });
    return result;
  }
  const served = () => registry.labels();
  const document = async (path: string, of = '/c/') =>
    (await registry.source(source(of)))?.documents.get(server.url(path));
  const bodies = () => pod.seen().filter((line) => line.endsWith(' 200'));

  describe('of which the node keeps no more', () => {
    const full = { full: true };

    it('is not asked for documents that are not known, and they are counted', async () => {
      pod.seen();
      expect(await poll('/c/', {}, undefined, full)).toMatchObject({ documents: [], unread: 2 });
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('is read on where it is known, edits and deletions included', async () => {
      await poll();
      pod.put('/c/a', turtle('a2'));
      pod.delete('/c/b');
      await poll('/c/', {}, undefined, full);
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
        await poll('/c/', {}, undefined, full);
        expect(await served()).toEqual(['b']);
        expect(bodies()).not.toContain('/c/a 304');
        await poll();
        expect(await served()).toEqual(['a', 'b']);
      },
    );
  });

  it('is stored in portions when it brings more than one poll may gather', async () => {
    const large = (name: string) => Array.from({ length: 6000 }, (_, i) => turtle(`${name}${i}`)).join('\n');
    await fetch.close();
    fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: false, maxBytes: 2e6, timeoutMs: 5000 });
    for (const name of ['a', 'b', 'c']) pod.put(`/c/${name}`, large(name));
    const portions: number[][] = [];
    const store = async (documents: readonly DocumentChange[]) => {
      portions.push(documents.map(({ components }) => components?.length ?? 0));
    };
    const result = await poll('/c/', { trust: 'configured' }, undefined, { store });
    expect(portions).toEqual([[6000, 6000]]);
    expect(result.documents).toHaveLength(1);
  });

  it('keeps what was read when the time of its poll is over', async () => {
    await poll();
    pod.delete('/c/a');
    pod.put('/c/b', turtle('b2'));
    pod.put('/c/c', turtle('c'), { fault: { hang: 'answer' } });
    const time = new AbortController();
    let bodies = 0;
    const beforeParsing = async () => {
      bodies += 1;
    };
    const polled = poll('/c/', {}, time.signal, { beforeParsing });
    // The listing and one of the two documents.
    await waitFor(() => bodies === 2 && server.count('/c/c') === 1);
    time.abort(new PollTimeout('over'));
    expect(await polled).toMatchObject({ failure: { message: expect.stringContaining('cut short') } });
    expect(await served()).toEqual(['b2']);
    // It was being asked for, and has no fault.
    expect(await document('/c/c')).toBeUndefined();
  });

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
    const cutShort = { documents: [], failure: { message: expect.stringContaining('cut short') } };
    expect(await poll('/c/', { pool }, time.signal)).toMatchObject(cutShort);
    expect(await served()).toEqual(['a', 'b', 'd']);
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

    it('brings what its documents describe, each from the URL that it is listed by', async () => {
      expect(await poll()).not.toHaveProperty('failure');
      expect(await served()).toEqual(['a', 'b']);
      expect(await document('/c/a')).toMatchObject({
        components: 1,
        readAt: clock.now(),
        modified: expect.any(String),
      });
      expect(server.requests.map(({ headers }) => headers.accept)).toEqual(
        Array(3).fill('text/turtle, application/ld+json;q=0.9'),
      );
    });

    it('asks for its listing alone when nothing was modified, without conditions, and changes nothing', async () => {
      await poll();
      pod.seen();
      expect((await poll()).documents).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200']);
      expect(server.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
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
      expect((await poll()).documents).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('asks for each member, conditionally, when the listing does not tell when they were modified', async () => {
      pod.listsModified = false;
      await poll();
      pod.seen();
      expect((await poll()).documents).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200', '/c/a 304', '/c/b 304']);
    });

    it('compares bodies when the server gives neither times nor tags', async () => {
      [pod.listsModified, pod.tags] = [false, false];
      await poll();
      expect((await poll()).documents).toEqual([]);
      pod.put('/c/a', turtle('a2'));
      await poll();
      expect(await served()).toEqual(['a2', 'b']);
    });

    it('drops what a complete listing does not name any more', async () => {
      await poll();
      pod.delete('/c/b');
      await poll();
      expect(await served()).toEqual(['a']);
      expect(await document('/c/b')).toBeUndefined();
    });

    it.each([404, 410, 401, 403])('drops a member that answers %i', async (status) => {
      await poll();
      pod.break('/c/b', { status });
      expect(await poll()).not.toHaveProperty('failure');
      expect(await served()).toEqual(['a']);
      expect(await document('/c/b')).toBeUndefined();
      expect((await poll()).documents).toEqual([]);
    });

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
      expect(await poll()).not.toHaveProperty('failure');
      expect(await served()).toEqual(['a2', 'b']);
      expect(await document('/c/b')).toMatchObject({
        components: 1,
        error: expect.stringMatching(reason),
        failingSince: clock.now(),
      });

      pod.put('/c/b', turtle('b2'));
      await poll();
      expect(await served()).toEqual(['a2', 'b2']);
      expect(await document('/c/b')).not.toHaveProperty('error');
    });

    it('asks again for a member that failed, though nothing says that it was modified since', async () => {
      await poll();
      pod.put('/c/b', turtle('b2'), { fault: { status: 500 } });
      await poll();
      const failing = pod.documents.get('/c/b');
      if (failing) delete failing.fault;
      await poll();
      expect(await served()).toEqual(['a', 'b2']);
    });

    it('asks again for a member that failed, though its listing names an earlier time than then', async () => {
      await poll();
      const restored = pod.documents.get('/c/b')?.modified ?? new Date();
      pod.break('/c/b', { status: 500 });
      await poll();
      pod.put('/c/b', turtle('b'), { modified: restored });
      await poll();
      expect(await document('/c/b')).not.toHaveProperty('error');
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
      expect((await poll()).documents).toEqual([]);
      expect(pod.seen()).toEqual(['/c/ 200', '/c/broken 304']);
    });

    it('remembers what is broken while the server is down in between', async () => {
      pod.put('/c/broken', 'this is not Turtle');
      await poll();
      const error = (await document('/c/broken'))?.error;
      const broken = pod.documents.get('/c/broken');
      if (broken) broken.fault = { status: 503 };
      await poll();
      expect((await document('/c/broken'))?.error).toBe('answers 503');
      if (broken) delete broken.fault;
      await poll();
      expect((await document('/c/broken'))?.error).toBe(error);
    });

    it('reads again in full what was modified in the second it was read, where clocks tick in seconds', async () => {
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      pod.put('/c/a', turtle('a'), { modified: now });
      await poll();
      pod.put('/c/a', turtle('a2'), { modified: now });
      await poll();
      expect(await served()).toEqual(['a2', 'b']);
    });

    it('asks again, and moves no body, where they tick in milliseconds', async () => {
      pod.put('/c/a', turtle('a'), { modified: new Date(Math.floor(Date.now() / 1000) * 1000 + 7) });
      await poll();
      pod.seen();
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200', '/c/a 304']);
    });

    it('leaves images alone, whoever says that they are', async () => {
      pod.put('/c/photo', 'PNG', { type: 'image/png' });
      await poll();
      expect(pod.seen()).not.toContain('/c/photo 200');
      pod.listsTypes = false;
      await poll();
      expect(pod.seen()).toContain('/c/photo 200');
      expect(await document('/c/photo')).not.toHaveProperty('error');
      await poll();
      expect(pod.seen()).toEqual(['/c/ 200']);
    });

    it('remembers documents that are empty or speak of other things', async () => {
      pod.put('/c/empty', '');
      pod.put('/c/other', '<#me> <http://xmlns.com/foaf/0.1/name> "Alice".');
      await poll();
      pod.seen();
      expect((await poll()).documents).toEqual([]);
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

    it('resolves relative IRIs against the URL that answered, and keeps the listed one as name', async () => {
      pod.put('/c/b', '', { fault: { ...redirect('/elsewhere/doc') } });
      pod.put('/elsewhere/doc', `<module.js> <${VOCABULARY.predicates.label}> "moved".`);
      await poll();
      const [entry] = await registry.catalog.statements(server.url('/elsewhere/module.js'));
      expect(entry?.document).toBe(server.url('/c/b'));
    });
  });

  describe('with containers in containers', () => {
    beforeEach(() => {
      pod.put('/c/sub/d', turtle('d'));
      pod.put('/c/sub/deep/e', turtle('e'));
    });

    it('reads three levels, and forgets a level that is gone', async () => {
      await poll();
      expect(await served()).toEqual(['a', 'b', 'd', 'e']);
      pod.put('/c/sub/d', turtle('d2'));
      await poll();
      expect(await served()).toEqual(['a', 'b', 'd2', 'e']);
      pod.delete('/c/sub/deep/e');
      await poll();
      expect(await served()).toEqual(['a', 'b', 'd2']);
    });

    it.each<[string, FakeAnswer]>([
      ['answers 500', { status: 500 }],
      ['closes the connection', { drop: true }],
      ['is HTML', html],
      ['is not Turtle', ttl('<> <')],
      ['is no container', ttl('<> a <http://www.w3.org/ns/ldp#Resource>.')],
      ['leads elsewhere', redirect('/other/')],
      [
        'lists strangers only',
        ttl('<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <http://x/y>.'),
      ],
    ])('drops nothing below a listing that %s, says so, and goes on elsewhere', async (_, fault) => {
      await poll();
      pod.put('/other/x', turtle('x'));
      pod.delete('/c/sub/d');
      pod.delete('/c/b');
      pod.faults.set('/c/sub/', fault);
      expect(await poll()).not.toHaveProperty('failure');
      expect(await served()).toEqual(['a', 'd', 'e']);
      expect(await document('/c/sub/')).toMatchObject({ error: expect.any(String), components: 0 });
      expect((await poll()).documents).toEqual([]);

      pod.faults.clear();
      await poll();
      expect(await served()).toEqual(['a', 'e']);
      expect(await document('/c/sub/')).toBeUndefined();
    });

    it.each([401, 403, 404, 410])('asks one by one below a listing that answers %i', async (status) => {
      await poll();
      pod.delete('/c/sub/d');
      pod.faults.set('/c/sub/', { status });
      pod.seen();
      await poll();
      expect(await served()).toEqual(['a', 'b', 'e']);
      expect(pod.seen()).toEqual(['/c/ 200', `/c/sub/ ${status}`, '/c/sub/d 404', '/c/sub/deep/e 304']);
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
      expect((await poll('/c/', { maxDocuments: 3 })).documents).toEqual([]);
      pod.put('/c/0', turtle('zero'));
      pod.delete('/c/sub/d');
      await poll('/c/', { maxDocuments: 3 });
      expect(await served()).toEqual(['a', 'b', 'zero']);
    });
  });

  describe('as one document', () => {
    it('is read conditionally', async () => {
      await poll('/c/a');
      expect(await served()).toEqual(['a']);
      pod.seen();
      expect((await poll('/c/a')).documents).toEqual([]);
      expect(pod.seen()).toEqual(['/c/a 304']);
      pod.put('/c/a', turtle('a2'));
      await poll('/c/a');
      expect(await served()).toEqual(['a2']);
    });

    it('may become a container, and what was a container a document, without losing what is still there', async () => {
      await poll();
      pod.faults.set('/c/', ttl(turtle('index')));
      pod.delete('/c/b');
      await poll();
      expect(await served()).toEqual(['a', 'index']);
      pod.faults.clear();
      await poll();
      expect(await served()).toEqual(['a']);
    });

    it('is a container when a Link header says so', async () => {
      const link = '<http://www.w3.org/ns/ldp#Container>; rel="type"';
      const body = '<> <http://www.w3.org/ns/ldp#contains> <a>.';
      pod.faults.set('/c/', { body, headers: { link, 'content-type': 'text/turtle' } });
      await poll();
      expect(await served()).toEqual(['a']);
    });
  });

  describe('whose own URL fails', () => {
    it.each<[string, FakeAnswer, RegExp]>([
      ['answers 401', { status: 401 }, /401.*add "auth" to this pod's entry/],
      ['answers 403', { status: 403 }, /403.*no access/],
      ['answers 404', { status: 404 }, /404.*check its URL/],
      ['answers 410', { status: 410 }, /410.*check its URL/],
      ['answers 500', { status: 500 }, /answers 500.*tried again/],
      ['is HTML', html, /text\/html.*Is it the URL of a container/],
      ['is not Turtle', ttl('<> <'), /cannot be read/],
      ['closes the connection', { drop: true }, /no answer/],
      ['breaks off', { ...ttl(turtle('x')), truncate: 'length' }, /broke off/],
      ['says nothing', { hang: 'answer' }, /./],
      [
        'lists strangers only',
        ttl('<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <http://x/y>.'),
        /public URL/,
      ],
    ])('keeps its data when it %s, and says what to do', async (_, fault, message) => {
      await poll();
      pod.faults.set('/c/', fault);
      const { documents, failure } = await poll();
      expect(documents).toEqual([]);
      expect(failure?.message).toMatch(message);
      expect(await served()).toEqual(['a', 'b']);
    });

    it('waits as long as Retry-After says', async () => {
      pod.faults.set('/c/', { status: 503, headers: { 'retry-after': '120' } });
      expect((await poll()).failure?.notBefore).toBe(clock.now() + 120_000);
    });

    it('is gone altogether', async () => {
      await poll();
      await server.close();
      expect((await poll()).failure?.message).toMatch(/no answer/);
      expect(await served()).toEqual(['a', 'b']);
      server = await fakeServer(server.port);
    });
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

  it('is asked two things at once, and no more, however many poll it', async () => {
    let [running, most] = [0, 0];
    const requests = new HostQueues(2);
    const counted: PodOptions['fetch'] = async (url, request) => {
      running += 1;
      most = Math.max(most, running);
      try {
        return await fetch(url, request);
      } finally {
        running -= 1;
      }
    };
    for (let i = 0; i < 10; i++) pod.put(`/c/m${i}`, turtle(`m${i}`));
    await Promise.all([
      poll('/c/', { requests, fetch: counted }),
      poll('/c/m1', { requests, fetch: counted }),
    ]);
    expect(most).toBe(2);
    expect(await served()).toHaveLength(12);
  });

  it('shows its credentials everywhere, and asks once more with new ones after a 401', async () => {
    let [token, forgotten] = [1, 0];
    const credentials = {
      authorize: async () => ({ authorization: `DPoP ${token}` }),
      invalidate: () => {
        token += 1;
        forgotten += 1;
      },
    };
    server.everything(({ url, headers }) => {
      if (headers.authorization !== 'DPoP 2') return { status: 401 };
      if (url !== '/c/') return ttl(turtle('secret'));
      return ttl('<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <private>.');
    });
    expect((await poll()).failure?.message).toContain('"auth"');
    await poll('/c/', { credentials });
    expect(await served()).toEqual(['secret']);
    expect(forgotten).toBe(1);
    server.everything({ status: 401 });
    expect((await poll('/c/', { credentials })).failure?.message).toContain(
      'does not accept the credentials',
    );
  });

  it('keeps what it has when credentials cannot be had', async () => {
    await poll();
    const credentials = {
      authorize: () => Promise.reject(new Error('the issuer is down')),
      invalidate: () => undefined,
    };
    expect((await poll('/c/', { credentials })).failure?.message).toContain('the issuer is down');
    expect(await served()).toEqual(['a', 'b']);
  });

  it('ends at once when the poll is aborted', async () => {
    server.everything({ hang: 'answer' });
    const abort = new AbortController();
    const polled = poll('/c/', {}, abort.signal);
    await waitFor(() => server.requests.length === 1);
    abort.abort(new Error('stopping'));
    await expect(polled).rejects.toThrow('stopping');
  });

  it('polls a thousand unchanged documents quickly', async () => {
    for (let i = 0; i < 998; i++) pod.put(`/c/m${i}`, turtle(`m${i}`));
    const generous = createGuardedFetch({
      userAgent: 't',
      allowPrivate: false,
      maxBytes: 1e7,
      timeoutMs: 5000,
    });
    await poll('/c/', { fetch: generous });
    expect(await served()).toHaveLength(1000);
    pod.seen();
    const start = performance.now();
    expect((await poll('/c/', { fetch: generous })).documents).toEqual([]);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(pod.seen()).toEqual(['/c/ 200']);
    await generous.close();
  });
});
