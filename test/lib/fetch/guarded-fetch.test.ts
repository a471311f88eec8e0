import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer, gzipBomb } from '../../support/fake-server.js';
import { allClosed, configured, door, failure } from '../../support/guarded-doors.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

let pod: FakeServer;

beforeEach(async () => {
  pod = await fakeServer();
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

  it('to HEAD or with 304 has no body, whatever its header says', async () => {
    pod.on('/a', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('text'), etag: '"1"' });
    const head = await door()(pod.url('/a'), { ...configured, method: 'HEAD' });
    expect(await head.text()).toBe('');
    const unchanged = await door()(pod.url('/a'), { ...configured, headers: { 'if-none-match': '"1"' } });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  });
});

describe('bodies', () => {
  const body = 'x'.repeat(1000);
  it.each([
    ['announced too large', 'too-large', { body: 'x'.repeat(100_001) }],
    ['a bomb', 'too-large', gzipBomb(20_000_000)],
    ['shorter than announced', 'truncated', { body, truncate: 'length' }],
    ['without their last chunk', 'truncated', { body, truncate: 'chunks' }],
    [
      'without their last chunk on a last connection',
      'truncated',
      { body, truncate: 'chunks', headers: { connection: 'close' } },
    ],
  ] as const)('that are %s are never a short success: they are %s', async (_, reason, answer) => {
    pod.on('/a', answer);
    const read = async () => (await door()(pod.url('/a'), configured)).text();
    await expect(read()).rejects.toThrow(failure(reason));
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
    const clock = new VirtualClock();
    const answer = await door({ timeoutMs: 100, clock })(pod.url('/a'), configured);
    clock.pass(100);
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
});
