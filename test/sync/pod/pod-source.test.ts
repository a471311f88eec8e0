import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeServer, inTurtle } from '../../support/fake-server.js';
import { type FakePod, turtle } from '../../support/pod/fake-pod.js';
import { html, polledPod } from '../../support/pod/polled-pod.js';

describe('a pod', () => {
  const { fresh, clock, poll, served } = polledPod();
  let pod: FakePod;
  let server: FakeServer;
  beforeEach(() => {
    ({ pod, server } = fresh);
  });

  describe('as one document', () => {
    it('is read conditionally', async () => {
      await poll('/c/a');
      expect(await served()).toEqual(['a']);
      pod.seen();
      expect((await poll('/c/a')).put).toEqual([]);
      expect(pod.seen()).toEqual(['/c/a 304']);
      pod.put('/c/a', turtle('a2'));
      await poll('/c/a');
      expect(await served()).toEqual(['a2']);
    });

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

  describe('whose own URL fails', () => {
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
      [
        'lists strangers only',
        inTurtle(
          '<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <http://x/y>.',
        ),
        /public URL/,
      ],
    ])('keeps its data when it %s, and says what to do', async (_, fault, message) => {
      await poll();
      pod.faults.set('/c/', fault);
      const { put, failure } = await poll();
      expect(put).toEqual([]);
      expect(failure?.message).toMatch(message);
      expect(await served()).toEqual(['a', 'b']);
    });

    it('waits as long as Retry-After says', async () => {
      pod.faults.set('/c/', { status: 503, headers: { 'retry-after': '120' } });
      expect((await poll()).failure?.notBefore).toBe(clock.now() + 120_000);
    });
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
      if (url !== '/c/') return inTurtle(turtle('secret'));
      return inTurtle(
        '<> a <http://www.w3.org/ns/ldp#Container>; <http://www.w3.org/ns/ldp#contains> <private>.',
      );
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
});
