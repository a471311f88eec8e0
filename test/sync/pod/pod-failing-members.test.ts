import { beforeEach, describe, expect, it } from 'vitest';
import { TaskTimeout } from '../../../src/lib/faults.js';
import { decoded, inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import { PollTimeout } from '../../../src/sync/source-reader.js';
import { type FakeAnswer, type FakeServer, inTurtle, redirect } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { html, polledPod } from '../../support/pod/polled-pod.js';

describe('a pod', () => {
  const { fresh, clock, source, poll, served, document } = polledPod();
  let pod: FakePod;
  let server: FakeServer;
  beforeEach(() => {
    ({ pod, server } = fresh);
  });
  const putMany = (fault?: FakeAnswer) => {
    for (let i = 0; i < 20; i++) pod.put(`/c/m${i}`, turtle(`m${i}`), fault && { fault });
  };

  it.each([404, 410, 401, 403])(
    'drops a member that answers %i, and what is below a container that does',
    async (status) => {
      for (const path of ['sub/d', 'sub/deep/e']) pod.put(`/c/${path}`, turtle(path));
      await poll();
      pod.break('/c/b', { status });
      pod.faults.set('/c/sub/', { status });
      expect(await poll()).not.toHaveProperty('failure', expect.anything());
      expect(await served()).toEqual(['a']);
      expect(await document('/c/b')).toBeUndefined();
    },
  );

  it.each<[string, FakeAnswer, RegExp]>([
    ['answers 500', { status: 500 }, /answers 500/],
    ['closes the connection', { status: 200, drop: true }, /no answer/],
    ['is HTML', html, /is text\/html: Turtle or JSON-LD is needed/],
    ['has no content type', { headers: { 'content-type': '' } }, /no Content-Type/],
    ['is an image where components were', { headers: { 'content-type': 'image/png' } }, /is image\/png/],
    ['is not Turtle', { body: '<a> <b> "' }, /./],
    ['answers 304 unasked', { status: 304 }, /^answers 304$/],
  ])('serves the last good data of a member that %s, says why, and recovers', async (_, fault, reason) => {
    if (fault.status === 304) pod.tags = false;
    await poll();
    pod.put('/c/a', turtle('a2'));
    pod.break('/c/b', fault);
    expect(await poll()).not.toHaveProperty('failure', expect.anything());
    expect(await served()).toEqual(['a2', 'b']);
    const failing = { components: 1, error: expect.stringMatching(reason), failingSince: clock.now() };
    expect(await document('/c/b')).toMatchObject(failing);
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

  it('does not write the same failure twice, nor move a broken body twice', async () => {
    pod.put('/c/broken', 'this is not Turtle');
    await poll();
    expect(await document('/c/broken')).toMatchObject({ error: expect.any(String), components: 0 });
    pod.seen();
    expect((await poll()).put).toEqual([]);
    expect(pod.seen()).toEqual(['/c/ 200', '/c/broken 304']);
  });

  it('reads on when this node stumbles over a member, keeps what it said, and logs the stack', async () => {
    await poll();
    pod.put('/c/a', turtle('a2'));
    pod.put('/c/b', turtle('b2'));
    const pool = stumblingOver('b2');
    expect(await poll('/c/', { pool })).not.toHaveProperty('failure', expect.anything());
    expect(await served()).toEqual(['a2', 'b']);
    expect((await document('/c/b'))?.error).toMatch(/this node stumbled over it.*b2 is too much/);
    expect(fresh.logged).toMatchObject([{ document: server.url('/c/b'), err: expect.any(TypeError) }]);
    await poll();
    expect(await served()).toEqual(['a2', 'b2']);
    const listing = stumblingOver('contains');
    expect((await poll('/c/', { pool: listing })).failure?.message).toMatch(/stumbled/);
    expect(await served()).toEqual(['a2', 'b2']);
  });

  it.each([404, 403])('keeps everything when it answers %i from the middle of a poll on', async (status) => {
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
  });

  it.each<[string, FakeAnswer, RegExp]>([
    ['answers 401', { status: 401 }, /401.*add "auth" to this pod's entry/],
    ['answers 403', { status: 403 }, /403.*no access/],
    ['answers 404', { status: 404 }, /404.*check its URL/],
    ['answers 500', { status: 500 }, /answers 500.*tried again/],
    ['is HTML', html, /text\/html.*Is it the URL of a container/],
    ['is not Turtle', inTurtle('<> <'), /cannot be read/],
    [
      'is too large',
      { ...inTurtle(`# ${'x'.repeat(5_000)}`), endless: true },
      /^The pod's URL is too large: .* \(sync\.maxBytes\)\. /,
    ],
  ])('whose own URL %s keeps its data, and says what to do', async (_, fault, message) => {
    await poll();
    pod.faults.set('/c/', { ...fault, headers: { ...fault.headers, 'retry-after': '120' } });
    const { put, failure } = await poll();
    expect(put).toEqual([]);
    expect(failure?.message).toMatch(message);
    if (fault.status === 500) expect(failure?.notBefore).toBe(clock.now() + 120_000);
    expect(await served()).toEqual(['a', 'b']);
  });

  it.each([429, 503])(
    'a member of which asks for a pause (%i) is left alone, and read on later',
    async (status) => {
      putMany();
      // Both are asked at once: the longer pause counts.
      const pauses = { '/c/m10': '10', '/c/m11': '60' };
      for (const [path, pause] of Object.entries(pauses))
        pod.break(path, { status, headers: { 'retry-after': pause } });
      const { failure } = await poll();
      const message = expect.stringContaining(String(status));
      expect(failure).toMatchObject({ message, notBefore: clock.now() + 60_000 });
      const before = (await served()).length;
      expect(before).toBeLessThan(20);
      for (const path of ['/c/m10', '/c/m11']) pod.put(path, turtle(path.slice(3)));
      pod.seen();
      await poll();
      expect(await served()).toHaveLength(22);
      expect(pod.seen().filter((line) => line.endsWith(' 200'))).toHaveLength(1 + 22 - before);
    },
  );

  it('a container and members of which always ask for a pause hides nothing else, waits, and loses what is deleted', async () => {
    const asking = { status: 503, headers: { 'retry-after': '60' } };
    const later = { notBefore: clock.now() + 60_000 };
    pod.put('/c/shut/s', turtle('s'));
    pod.put('/c/sub/d', turtle('d'));
    await poll();
    pod.faults.set('/c/shut/', asking);
    pod.put('/c/sub/e', turtle('e'));
    expect(await poll()).toMatchObject({ complete: false, failure: later });
    pod.delete('/c/a');
    expect(await poll()).toMatchObject({ complete: true, failure: undefined, ...later });
    expect(await served()).toEqual(['b', 'd', 'e', 's']);
    for (const member of ['m0', 'm1', 'm2']) pod.put(`/c/${member}`, turtle(member), { fault: asking });
    for (let polls = 0; polls < 3; polls++) await poll();
    pod.put('/c/b', turtle('new'));
    pod.delete('/c/sub/d');
    expect(await poll()).toMatchObject({ complete: true, failure: undefined, ...later });
    expect(await served()).toEqual(['e', 'new', 's']);
    const { record } = (await fresh.registry.source(source())) ?? {};
    expect(record).toMatchObject({ failures: 0, firstSuccess: clock.now(), lastSuccess: clock.now() });
  });

  it('many containers of which never answer is read all the same, loses what is deleted, and hears of one that is back', async () => {
    const silent = Array.from({ length: 6 }, (_, i) => `/c/${i}/`);
    for (const path of silent) pod.put(`${path}d`, turtle(path));
    await poll();
    for (const path of silent) pod.faults.set(path, { drop: true });
    await poll();
    pod.delete('/c/a');
    pod.put('/c/b', turtle('new'));
    pod.seen();
    expect(await poll()).not.toHaveProperty('failure', expect.anything());
    expect(await served()).toEqual([...silent, 'new']);
    expect(pod.seen().filter((line) => silent.some((path) => line.startsWith(path)))).toHaveLength(3);
    pod.faults.delete('/c/5/');
    pod.delete('/c/5/d');
    for (let polls = 0; polls < silent.length; polls++) {
      clock.pass(1);
      await poll();
    }
    expect(await served()).toEqual([...silent.slice(0, 5), 'new']);
  });

  it('that has stopped answering is left alone for now', async () => {
    putMany({ drop: true });
    expect((await poll()).failure?.message).toContain('stopped answering');
    expect(pod.server.answered.length).toBeLessThan(12);
  });

  it('that answers is not taken for a silent one, however many members lead nowhere', async () => {
    for (let i = 0; i < 20; i++) pod.put(`/c/0${i}`, turtle(`${i}`), { fault: redirect(`/c/0${i}`) });
    expect(await poll()).not.toHaveProperty('failure', expect.anything());
    expect(await served()).toEqual(['a', 'b']);
  });

  it.each(['/c/', '/c/sub/'])('does not blame a container for the end of its poll: %s', async (path) => {
    pod.put('/c/sub/d', turtle('d'));
    await poll();
    const time = new AbortController();
    const pool: TaskPool = {
      async run(task, input, options) {
        if (JSON.stringify(input).includes(server.url(path))) time.abort(new PollTimeout('over'));
        return inProcess.run(task, input, options);
      },
    };
    const cutShort = { put: [], failure: { message: expect.stringContaining('cut short') } };
    expect(await poll('/c/', { pool }, { time: time.signal })).toMatchObject(cutShort);
    expect(await served()).toEqual(['a', 'b', 'd']);
  });

  it('does not parse what takes too long again until it changes', async () => {
    await poll();
    pod.put('/c/b', turtle('b2'));
    let parsed = 0;
    const pool: TaskPool = {
      async run(task, input, options) {
        if (!JSON.stringify(decoded(input)).includes('b2')) return inProcess.run(task, input, options);
        parsed += 1;
        throw new TaskTimeout('more than 20 s');
      },
    };
    for (let polls = 0; polls < 3; polls++) await poll('/c/', { pool });
    const error = 'cannot be read: more than 20 s';
    expect([parsed, await served(), await document('/c/b')]).toMatchObject([1, ['a', 'b'], { error }]);
    pod.put('/c/b', turtle('b3'));
    await poll();
    expect(await served()).toEqual(['a', 'b3']);
  });

  it('with credentials shows them everywhere, and says when they are not accepted, or cannot be had', async () => {
    const credentials = { authorize: async () => ({ authorization: 'DPoP 1' }) };
    pod.answerAll((request) =>
      request.headers.authorization === 'DPoP 1' ? pod.answer(request) : { status: 401 },
    );
    await poll('/c/', { credentials });
    expect(await served()).toEqual(['a', 'b']);
    pod.answerAll({ status: 401 });
    const refused = await poll('/c/', { credentials });
    expect(refused.failure?.message).toContain('does not accept the credentials');
    const authorize = () => Promise.reject(new Error('the issuer is down'));
    expect((await poll('/c/', { credentials: { authorize } })).failure?.message).toContain(
      'the issuer is down',
    );
    expect(await served()).toEqual(['a', 'b']);
  });
});

/** A pool with a fault: it throws what no rule foresees when a document has this text in it. */
function stumblingOver(text: string): TaskPool {
  return {
    async run(task, input, options) {
      if (JSON.stringify(decoded(input)).includes(text)) throw new TypeError(`${text} is too much`);
      return inProcess.run(task, input, options);
    },
  };
}
