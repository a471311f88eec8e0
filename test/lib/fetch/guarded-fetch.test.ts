import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ClosableFetch,
  createGuardedFetch,
  type GuardedFetchOptions,
} from '../../../src/lib/fetch/guarded-fetch.js';
import { type FakeServer, fakeServer, gzipBomb, gzipped, redirect } from '../../support/fake-server.js';
import { waitFor } from '../../support/wait-for.js';

let pod: FakeServer;
let other: FakeServer;
const doors: ClosableFetch[] = [];

function door(options: Partial<GuardedFetchOptions> = {}): ClosableFetch {
  const made = createGuardedFetch({
    userAgent: 'test-node/1.0',
    allowPrivate: false,
    maxBytes: 100_000,
    timeoutMs: 5_000,
    ...options,
  });
  doors.push(made);
  return made;
}

const configured = { trust: 'configured' } as const;
const learned = { trust: 'learned' } as const;
const failure = (reason: string) => expect.objectContaining({ name: 'FetchFailure', reason });
const allClosed = (server: FakeServer) =>
  waitFor(() => server.connections === 0, { describe: 'the connections to close' });

beforeEach(async () => {
  pod = await fakeServer();
  other = await fakeServer();
});

afterEach(async () => {
  await Promise.all([...doors.splice(0), pod, other].map((opened) => opened.close()));
});

describe('an answer', () => {
  it('has status, headers, body and the URL that answered', async () => {
    pod.on('/a', { status: 203, headers: { 'content-type': 'text/turtle' }, body: 'é', etag: '"1"' });
    const answer = await door()(pod.url('/a?b#c'), configured);
    expect(answer).toMatchObject({ status: 203, url: pod.url('/a?b') });
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(await answer.text()).toBe('é');
  });

  it('is had for a request that names the node, and says what was asked', async () => {
    const headers = { accept: 'text/turtle', 'User-Agent': 'somebody else' };
    await door()(pod.url('/a'), { ...configured, method: 'POST', body: 'hello', headers });
    expect(pod.requests).toMatchObject([
      {
        method: 'POST',
        body: 'hello',
        headers: { accept: 'text/turtle', 'user-agent': 'test-node/1.0', 'accept-encoding': 'gzip, br' },
      },
    ]);
  });

  it.each([304, 404, 500])('may have any status: %i', async (status) => {
    pod.on('/a', { status, headers: { 'content-encoding': 'gzip' } });
    const answer = await door()(pod.url('/a'), configured);
    expect(answer.status).toBe(status);
    await answer.discard();
  });

  it('to HEAD or with 304 has no body, whatever its header says', async () => {
    pod.on('/a', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('text'), etag: '"1"' });
    const head = await door()(pod.url('/a'), { ...configured, method: 'HEAD' });
    expect(await head.text()).toBe('');
    const unchanged = await door()(pod.url('/a'), { ...configured, headers: { 'if-none-match': '"1"' } });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  });

  it('is read once, not silently empty the second time', async () => {
    pod.on('/a', { body: 'text' });
    const answer = await door()(pod.url('/a'), configured);
    await answer.text();
    await expect(answer.text()).rejects.toThrow('only once');
  });
});

describe('addresses', () => {
  const everywhere = async () => [{ address: '127.0.0.1', family: 4 }];
  const spellings = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '127.1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
  ];

  it.each(spellings)('keeps learned URLs from %s', async (host) => {
    await expect(door()(`http://${host}:${pod.port}/`, learned)).rejects.toThrow(failure('refused'));
    expect(pod.accepted).toBe(0);
  });

  it.each(['localhost', 'localhost.', 'pod.test'])(
    'keeps learned URLs from %s, which leads to loopback',
    async (host) => {
      const fetch = door({ lookup: everywhere });
      await expect(fetch(`http://${host}:${pod.port}/`, learned)).rejects.toThrow(failure('refused'));
      expect(pod.accepted).toBe(0);
    },
  );

  it('lets learned URLs there when the operator allows it', async () => {
    const fetch = door({ lookup: everywhere, allowPrivate: true });
    expect((await fetch(`http://pod.test:${pod.port}/`, learned)).status).toBe(404);
    expect((await fetch(pod.url('/'), learned)).status).toBe(404);
  });

  it('does not lend a learned URL the open connection of a configured one', async () => {
    const fetch = door({ lookup: everywhere });
    const url = `http://pod.test:${pod.port}/`;
    await (await fetch(url, configured)).text();
    expect(pod.connections).toBe(1);
    await expect(fetch(url, learned)).rejects.toThrow(failure('refused'));
    expect(pod.requests).toHaveLength(1);
  });

  it('asks for the addresses of a name once a connection', async () => {
    let lookups = 0;
    const fetch = door({
      lookup: async () => {
        lookups++;
        return everywhere();
      },
    });
    await (await fetch(`http://pod.test:${pod.port}/`, configured)).text();
    expect(lookups).toBe(1);
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
  it.each([301, 302, 303, 307, 308])('follows %i', async (status) => {
    pod.on('/a', redirect('/b', status)).on('/b', { body: 'here' });
    const answer = await door()(pod.url('/a'), configured);
    expect(answer.url).toBe(pod.url('/b'));
    expect(await answer.text()).toBe('here');
  });

  it('follows five, not six', async () => {
    for (let n = 0; n < 6; n++) pod.on(`/${n}`, redirect(`/${n + 1}`));
    const answer = await door()(pod.url('/1'), configured);
    expect(answer.url).toBe(pod.url('/6'));
    await expect(door()(pod.url('/0'), configured)).rejects.toThrow(failure('redirects'));
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
  const request = { ...configured, authorize, headers: { cookie: 'a=b', accept: 'text/turtle' } };

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

  it('that cannot be had keep the request back', async () => {
    const failing = async () => Promise.reject(new Error('the issuer is down'));
    const asked = door()(pod.url('/a'), { ...configured, authorize: failing });
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

  it('count towards the deadline', async () => {
    const never = () => new Promise<Record<string, string>>(() => undefined);
    const asked = door()(pod.url('/a'), { ...configured, authorize: never, timeoutMs: 50 });
    await expect(asked).rejects.toThrow(failure('timeout'));
  });
});

describe('bodies', () => {
  const text = async (path: string, options: Partial<GuardedFetchOptions> = {}) =>
    (await door(options)(pod.url(path), configured)).text();

  it('are decompressed', async () => {
    pod.on('/a', gzipped('small'));
    expect(await text('/a')).toBe('small');
  });

  it.each([
    ['announced too large', { body: 'x'.repeat(100_001) }],
    ['endless', { body: 'x'.repeat(1_000), endless: true }],
    ['a bomb', gzipBomb(20_000_000)],
  ])('that are %s are cut off', async (_, answer) => {
    pod.on('/a', answer);
    await expect(text('/a')).rejects.toThrow(failure('too-large'));
  });

  const gzip = gzipSync('x'.repeat(1000));
  it.each([
    ['shorter than announced', { body: 'x'.repeat(1000), truncate: 'length' }],
    [
      'shorter than announced on a last connection',
      { body: 'x'.repeat(1000), truncate: 'length', headers: { connection: 'close' } },
    ],
    ['without their last chunk', { body: 'x'.repeat(1000), truncate: 'chunks' }],
    [
      'without their last chunk on a last connection',
      { body: 'x'.repeat(1000), truncate: 'chunks', headers: { connection: 'close' } },
    ],
    [
      'without the end of their gzip',
      { body: gzip.subarray(0, 20), headers: { 'content-encoding': 'gzip' } },
    ],
    ['not the gzip they say', { body: 'text', headers: { 'content-encoding': 'gzip' } }],
    ['encoded in an unknown way', { body: 'text', headers: { 'content-encoding': 'zstd' } }],
  ] as const)('that are %s are never a short success', async (_, answer) => {
    pod.on('/a', answer);
    await expect(text('/a')).rejects.toThrow(failure('truncated'));
  });

  it('obey the bounds of the request before those of the door', async () => {
    pod.on('/a', { body: 'x'.repeat(20) });
    const asked = await door()(pod.url('/a'), { ...configured, maxBytes: 10 });
    await expect(asked.text()).rejects.toThrow(failure('too-large'));
  });
});

describe('an exchange that ends early', () => {
  const endless = { body: 'x'.repeat(1_000), endless: true };

  it('closes its connection when its reader breaks off', async () => {
    pod.on('/a', endless);
    for await (const chunk of (await door()(pod.url('/a'), configured)).body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await allClosed(pod);
  });

  it('closes its connection when its body is discarded', async () => {
    pod.on('/a', endless);
    await (await door()(pod.url('/a'), configured)).discard();
    await allClosed(pod);
  });

  it('keeps its connection for the next one when there was no body to discard', async () => {
    pod.on('/a', { etag: '"1"' });
    const fetch = door();
    for (let n = 0; n < 3; n++) {
      const answer = await fetch(pod.url('/a'), { ...configured, headers: { 'if-none-match': '"1"' } });
      await answer.discard();
    }
    expect(pod.accepted).toBe(1);
  });

  it.each(['answer', 'body'] as const)(
    'fails in time when the other side hangs before its %s',
    async (hang) => {
      pod.on('/a', { body: 'half of this', hang });
      const asked = door({ timeoutMs: 100 })(pod.url('/a'), configured).then((answer) => answer.text());
      await expect(asked).rejects.toThrow(failure('timeout'));
      await allClosed(pod);
    },
  );

  it('closes its connection in time when nobody reads its body', async () => {
    pod.on('/a', { body: 'half of this', hang: 'body' });
    const answer = await door({ timeoutMs: 100 })(pod.url('/a'), configured);
    await allClosed(pod);
    await expect(answer.text()).rejects.toThrow(failure('timeout'));
  });

  it.each(['answer', 'body'] as const)('stops when it is aborted before its %s', async (hang) => {
    pod.on('/a', { body: 'half of this', hang });
    const caller = new AbortController();
    const asked = door()(pod.url('/a'), { ...configured, signal: caller.signal }).then((answer) =>
      answer.text(),
    );
    const failed = expect(asked).rejects.toMatchObject({ reason: 'aborted', cause: 'stopping' });
    await waitFor(() => pod.count('/a') === 1);
    caller.abort('stopping');
    await failed;
    await allClosed(pod);
  });

  it('does not begin when it is aborted before', async () => {
    const asked = door()(pod.url('/a'), { ...configured, signal: AbortSignal.abort() });
    await expect(asked).rejects.toThrow(failure('aborted'));
    expect(pod.requests).toHaveLength(0);
  });

  it.each(['answer', 'body'] as const)('ends with the door before its %s', async (hang) => {
    pod.on('/a', { body: 'half of this', hang });
    const fetch = door();
    const asked = fetch(pod.url('/a'), configured).then((answer) => answer.text());
    const failed = expect(asked).rejects.toThrow(failure('aborted'));
    await waitFor(() => pod.count('/a') === 1);
    await fetch.close();
    await failed;
    await allClosed(pod);
    await expect(fetch(pod.url('/a'), configured)).rejects.toThrow(failure('aborted'));
  });

  it('stays shut when it was closed before anybody went through', async () => {
    const fetch = door();
    await fetch.close();
    await expect(fetch(pod.url('/a'), configured)).rejects.toThrow(failure('aborted'));
    expect(pod.requests).toHaveLength(0);
  });

  it('fails when the connection breaks before the answer', async () => {
    pod.on('/a', { drop: true });
    await expect(door()(pod.url('/a'), configured)).rejects.toThrow(failure('connection'));
  });
});
