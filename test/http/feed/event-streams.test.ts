import { beforeEach, describe, expect, it } from 'vitest';
import { EventStreams } from '../../../src/http/feed/event-streams.js';
import { Problem } from '../../../src/lib/http/problem.js';
import { VirtualClock } from '../../support/virtual-time.js';

let clock: VirtualClock;
let lines: EventStreams;
beforeEach(() => {
  clock = new VirtualClock();
  lines = new EventStreams({ clock, most: 1000 });
  lines.moved('e.1.a');
});

/** Lets everything happen that needs no time. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.pass(50);
    await settle();
  }
}

/** A reader that takes everything at once. */
class Reader {
  text = '';
  readonly #iterator: AsyncIterator<string>;

  constructor(known?: string) {
    this.#iterator = lines.open(known)[Symbol.asyncIterator]();
    void this.#read();
  }

  get events(): string[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
  }

  go(): Promise<unknown> | undefined {
    return this.#iterator.return?.();
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#iterator.next();
      if (done) return;
      this.text += value;
    }
  }
}

describe('EventStreams', () => {
  it('tell nothing to a reader that knows it, and the new one to a reader that resumes', async () => {
    const [current, former] = [new Reader('e.1.a'), new Reader('e.0.z')];
    await pass(1000);
    expect([current.events, former.events]).toEqual([[], ['e.1.a']]);
  });

  it('tell a slow reader the latest alone', async () => {
    const line = lines.open('e.1.a')[Symbol.asyncIterator]();
    expect(await line.next()).toEqual({ done: false, value: ':\n\n' });
    for (let i = 2; i < 12; i++) {
      lines.moved(`e.${i}.b`);
      await pass(200);
    }
    expect(await line.next()).toEqual({ done: false, value: 'id: e.11.b\ndata: e.11.b\n\n' });
  });

  it('spread a hint: a few readers hear of it at once, at most 250 a second, all within 6 s', async () => {
    const readers = Array.from({ length: 1000 }, () => new Reader('e.1.a'));
    await settle();
    lines.moved('e.2.b');
    await settle();
    const told = () => readers.filter(({ events }) => events.includes('e.2.b')).length;
    expect(told()).toBeGreaterThan(0);
    let before = 0;
    for (let second = 0; second < 4; second++) {
      expect(told() - before).toBeLessThanOrEqual(275);
      before = told();
      await pass(1000);
    }
    expect(told()).toBe(1000);
  });

  it('send a comment every 60 s', async () => {
    const reader = new Reader('e.1.a');
    await pass(59_900);
    expect(reader.text).toBe(':\n\n');
    await pass(200);
    expect(reader.text).toBe(':\n\n'.repeat(2));
    await pass(240_500);
    expect(reader.text).toBe(':\n\n'.repeat(6));
  });

  it('are not opened any more when they have been closed', () => {
    lines.close();
    expect(() => lines.open(undefined)).toThrow(Problem);
  });

  it('are at most as many as allowed: 503 with Retry-After for the next', async () => {
    lines = new EventStreams({ clock, most: 2 });
    const [first] = [new Reader(), new Reader()];
    const refused = { status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]/) } };
    expect(() => lines.open(undefined)).toThrow(expect.objectContaining(refused));
    await first?.go();
    expect(lines.count).toBe(1);
    lines.open(undefined);
  });

  it.each([
    ['this process', () => undefined, 100],
    ['this machine', () => '127.0.0.1', 100],
    ['a proxy in a private network', () => '::ffff:172.18.0.1', 100],
    ['an address in both spellings', (i: number) => (i % 2 === 0 ? '203.0.114.9' : '::ffff:cb00:7209'), 10],
    ['an IPv6 network', (i: number) => `2a00:1:2:3:${i.toString(16)}::1`, 10],
    ['many addresses', (i: number) => `203.0.${i}.9`, 100],
  ])('of a hundred, %s gets its share', (_, address, expected) => {
    lines = new EventStreams({ clock, most: 100 });
    for (let i = 0; i < 150; i++) {
      try {
        lines.open(undefined, address(i));
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
      }
    }
    expect(lines.count).toBe(expected);
  });
});
