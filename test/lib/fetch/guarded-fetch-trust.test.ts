import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer, redirect } from '../../support/fake-server.js';
import { configured, door, failure, learned } from '../../support/guarded-doors.js';

let pod: FakeServer;
let other: FakeServer;

beforeEach(async () => {
  pod = await fakeServer();
  other = await fakeServer();
});

describe('addresses', () => {
  const everywhere = async () => [{ address: '127.0.0.1', family: 4 }];
  const LOOPBACK = [
    ...['127.0.0.1', '2130706433', '0x7f.1', '017700000001', '127.0.0.1.', '[::ffff:127.0.0.1]'],
    ...['localhost', 'localhost.', 'pod.test'],
  ];
  it.each(LOOPBACK)('keeps learned URLs from %s, which leads to loopback', async (host) => {
    const asked = door({ lookup: everywhere })(`http://${host}:${pod.port}/`, learned);
    await expect(asked).rejects.toThrow(failure('refused'));
    expect(pod.accepted).toBe(0);
  });

  it('does not lend a learned URL the open connection of a configured one', async () => {
    const fetch = door({ lookup: everywhere });
    const url = `http://pod.test:${pod.port}/`;
    await (await fetch(url, configured)).text();
    expect(pod.connections).toBe(1);
    await expect(fetch(url, learned)).rejects.toThrow(failure('refused'));
    expect(pod.requests).toHaveLength(1);
  });

  it('tells a name without addresses from a host that does not answer', async () => {
    const fetch = door({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(fetch('http://pod.test/', configured)).rejects.toThrow(failure('unresolved'));
    await pod.close();
    await expect(fetch(pod.url('/'), configured)).rejects.toThrow(failure('connection'));
    await pod.open();
  });
});

describe('redirects', () => {
  it('follows five, not six', async () => {
    for (let n = 0; n < 6; n++) pod.on(`/${n}`, redirect(`/${n + 1}`));
    const answer = await door()(pod.url('/1'), configured);
    expect(answer.url).toBe(pod.url('/6'));
    await expect(door()(pod.url('/0'), configured)).rejects.toThrow(failure('redirects'));
    await expect(door()(pod.url('/a/../0'), configured)).rejects.toThrow(`${pod.url('/0')} leads to`);
  });

  it('sends nothing but GET and HEAD on', async () => {
    pod.on('/a', redirect('/b', 307));
    await expect(door()(pod.url('/a'), { ...configured, method: 'POST' })).rejects.toThrow(
      failure('redirects'),
    );
    expect(pod.count('/b')).toBe(0);
  });

  it('lets no configured pod send the node to an address that only the operator may name', async () => {
    pod.on('/a', redirect(other.url('/secrets')));
    await expect(door()(pod.url('/a'), configured)).rejects.toThrow(failure('refused'));
    expect(other.accepted).toBe(0);
  });

  it('covers all hops with one deadline', async () => {
    pod.everything({ ...redirect('/again'), delayMs: 60 });
    await expect(door({ timeoutMs: 150 })(pod.url('/'), configured)).rejects.toThrow(failure('timeout'));
  });
});

describe('credentials', () => {
  const authorize = async ({ url, method }: { url: string; method: string }) => ({
    authorization: 'DPoP token',
    dpop: `${method} ${url}`,
  });
  const request = {
    ...configured,
    credentials: { authorize },
    headers: { cookie: 'a=b', accept: 'text/turtle' },
  };

  it('are made for each hop within the origin', async () => {
    pod.on('/a', redirect('/b'));
    await door()(pod.url('/a'), request);
    expect(pod.requests.map(({ headers }) => headers.dpop)).toEqual([
      `GET ${pod.url('/a')}`,
      `GET ${pod.url('/b')}`,
    ]);
  });

  it('never leave it, and do not come back', async () => {
    pod.on('/a', redirect(other.url('/b'))).on('/c', { body: 'here' });
    other.on('/b', redirect(pod.url('/c')));
    await door({ allowPrivate: true })(pod.url('/a'), request);
    const seen = [...other.requests, ...pod.requests.slice(1)];
    expect(seen.map(({ url }) => url)).toEqual(['/b', '/c']);
    for (const { headers } of seen) {
      expect(headers.accept).toBe('text/turtle');
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/authorization|dpop|cookie/)]),
      );
    }
  });

  it('are renewed once when the origin refuses them, and not when one refuses that has not got them', async () => {
    let renewed = 0;
    const invalidate = () => {
      renewed += 1;
    };
    const ask = (path: string) =>
      door({ allowPrivate: true })(pod.url(path), { ...request, credentials: { authorize, invalidate } });
    pod
      .on('/private', { status: 401 })
      .on('/a', redirect(other.url('/b')))
      .on('/c', redirect(other.url('/d')));
    other.on('/b', { status: 401 }).on('/d', redirect(pod.url('/private')));
    for (const path of ['/a', '/c']) expect([(await ask(path)).status, renewed]).toEqual([401, 0]);
    expect([(await ask('/private')).status, renewed, pod.count('/private')]).toEqual([401, 1, 3]);
  });

  it('that cannot be had keep the request back', async () => {
    const failing = async () => Promise.reject(new Error('the issuer is down'));
    const asked = door()(pod.url('/a'), { ...configured, credentials: { authorize: failing } });
    await expect(asked).rejects.toMatchObject({ reason: 'refused', message: /the issuer is down/ });
    expect(pod.accepted).toBe(0);
  });

  it.each(['two\nlines', 'λ'])('that no header can hold are not sent, nor told: %j', async (token) => {
    const asked = door()(pod.url('/a'), { ...configured, headers: { authorization: `Bearer ${token}` } });
    const error = await asked.catch((failed: Error) => failed);
    expect(error).toMatchObject({
      reason: 'refused',
      message: expect.not.stringContaining(token),
      cause: undefined,
    });
    expect(pod.accepted).toBe(0);
  });
});
