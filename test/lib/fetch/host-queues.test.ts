import { describe, expect, it } from 'vitest';
import type { Trust } from '../../../src/lib/fetch/hop.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { fakeServer } from '../../support/fake-server.js';
import { configured, door, failure, learned } from '../../support/guarded-doors.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

/** Tasks that end when the test says so, and which of them have begun. */
class Tasks {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  task(name: string): () => Promise<void> {
    return () =>
      new Promise((resolve) => {
        this.begun.push(name);
        this.#ends.set(name, resolve);
      });
  }

  end(...names: string[]): void {
    for (const name of names) this.#ends.get(name)?.();
  }
}

describe('a queue of tasks for configured and learned sources', () => {
  it.each([
    [4, 2],
    [5, 2],
    [1, 1],
  ])('of %i slots gives learned ones %i, and all of them to configured ones', async (slots, most) => {
    const queue = new HostQueues(9, slots);
    const tasks = new Tasks();
    const run = (trust: Trust) =>
      Array.from({ length: 9 }, (_, i) => queue.run(`http://h${i}/`, tasks.task(`${trust} ${i}`), trust));
    void run('learned');
    await waitFor(() => queue.running === most);
    void run('configured');
    await waitFor(() => queue.running === slots);
    expect(tasks.begun.filter((name) => name.startsWith('learned'))).toHaveLength(most);
    tasks.end(tasks.begun[0] ?? '');
    await waitFor(() => tasks.begun.length === slots + 1);
    expect(tasks.begun.at(-1)).toMatch(/^configured/);
  });

  it('of the two slots of a host leaves one to configured ones', async () => {
    const queue = new HostQueues(2);
    const tasks = new Tasks();
    for (const name of ['a', 'b', 'c']) void queue.run('http://h/', tasks.task(name), 'learned');
    void queue.run('http://h/', tasks.task('mine'));
    await waitFor(() => tasks.begun.length === 2);
    expect(tasks.begun).toEqual(expect.arrayContaining(['a', 'mine']));
  });
});

/** Requests that strangers can have made at once, one after the other. */
const BURST = 60;

/** Answers nothing before it is let go. */
async function holding() {
  const server = await fakeServer();
  const seen = { now: 0, most: 0 };
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  server.everything(async () => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await held;
    seen.now -= 1;
    return { body: 'x' };
  });
  return { server, seen, letGo: () => letGo() };
}

describe('the turns of a host', () => {
  it('are those of the host that is really asked, also when others lead to it', async () => {
    const { server, seen, letGo } = await holding();
    const fetch = door({ perHost: 2, allowPrivate: true });
    const others = await Promise.all(Array.from({ length: 4 }, fakeServer));
    for (const [i, other] of others.entries())
      other.everything({ status: 302, headers: { location: server.url(`/${i}`) } });
    const asked = [
      ...others.map((other) => fetch(other.url('/'), configured)),
      ...[4, 5].map((i) => fetch(server.url(`/${i}`), learned)),
      ...[6, 7, 8].map((i) => fetch(server.url(`/${i}`), configured)),
    ].map(async (answer) => (await answer).text());
    await waitFor(() => others.every(({ requests }) => requests.length === 1));
    await waitFor(() => server.requests.length === 2);
    letGo();
    expect(await Promise.all(asked)).toEqual(Array(9).fill('x'));
    expect(seen.most).toBe(2);
  });

  it('let what strangers name wait until the host has been spared, and nothing else', async () => {
    const server = await fakeServer();
    server.everything({ body: 'x' });
    const clock = new VirtualClock();
    const fetch = door({ perHost: 2, allowPrivate: true, clock, timeoutMs: 60_000 });
    const named = Promise.all(
      Array.from({ length: BURST + 2 }, async (_, i) => (await fetch(server.url(`/${i}`), learned)).text()),
    );
    await waitFor(() => server.requests.length === BURST && clock.sleeping > 0);
    await (await fetch(server.url('/configured'), configured)).text();
    expect(server.requests).toHaveLength(BURST + 1);
    clock.pass(1000);
    await waitFor(() => server.requests.length === BURST + 2 && clock.sleeping > 0);
    clock.pass(1000);
    await named;
    const listed = { ...learned, turn: 'listed' } as const;
    for (let i = 0; i < 3; i++) await (await fetch(server.url(`/listed/${i}`), listed)).text();
    expect(server.requests).toHaveLength(BURST + 6);
  });

  it('are given back by whoever gives up, and taken by no line', async () => {
    const { server, letGo } = await holding();
    const fetch = door({ perHost: 1, allowPrivate: true });
    const first = fetch(server.url('/first'), configured);
    await waitFor(() => server.requests.length === 1);
    const gone = new AbortController();
    const waiting = fetch(server.url('/gone'), { ...configured, signal: gone.signal });
    gone.abort();
    await expect(waiting).rejects.toThrow(failure('aborted'));
    const line = fetch(server.url('/line'), { ...configured, turn: 'none' });
    await waitFor(() => server.requests.length === 2);
    const hasty = fetch(server.url('/late'), { ...configured, timeoutMs: 50, turn: 'none' });
    await expect(hasty).rejects.toThrow(failure('timeout'));
    letGo();
    await (await first).discard();
    await (await line).discard();
    await (await fetch(server.url('/next'), configured)).text();
    expect(server.requests.map(({ url }) => url)).toEqual(['/first', '/line', '/late', '/next']);
  });
});
