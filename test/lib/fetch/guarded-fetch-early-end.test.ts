import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';
import { allClosed, configured, door, failure } from '../../support/guarded-doors.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

let pod: FakeServer;

beforeEach(async () => {
  pod = await fakeServer();
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
