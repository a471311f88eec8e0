import { beforeEach, expect, test } from 'vitest';
import { largeBodyTurns } from '../../../src/http/components/large-body-turns.js';
import { VirtualClock } from '../../support/virtual-time.js';

const LIMIT = 1_000_000;
/** Bodies of the largest size that there is room for. */
const AT_A_TIME = 4;

function request(bytes: number | undefined, signal: AbortSignal | null = null): Request {
  const headers: Record<string, string> = bytes === undefined ? {} : { 'content-length': String(bytes) };
  return new Request('http://node.example/', { method: 'POST', headers, signal });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

let clock: VirtualClock;
let turns: ReturnType<typeof largeBodyTurns>;
/** Ends of the bodies that are being read: they come when the test says so. */
let reading: (() => void)[];
beforeEach(() => {
  clock = new VirtualClock();
  turns = largeBodyTurns({ clock, limit: LIMIT, room: AT_A_TIME * LIMIT });
  reading = [];
});
const read = () => new Promise<string>((resolve) => reading.push(() => resolve('body')));
/** Sends a body of this size, which is done as soon as it is read. */
const send = (bytes: number | undefined) => turns(request(bytes), read, async () => 'done');

test.each<[what: string, sizes: (number | undefined)[], atATime: number]>([
  ['of the largest size, as there is room for', Array(24).fill(LIMIT), AT_A_TIME],
  ['of a tenth of that, ten times as many', Array(50).fill(LIMIT / 10), AT_A_TIME * 10],
  ['of unknown length, as of the largest size', Array(8).fill(undefined), AT_A_TIME],
  ['and a short one, which never waits', [...Array(AT_A_TIME).fill(LIMIT), 99_999], AT_A_TIME + 1],
  ['and one too large, to be refused', [...Array(AT_A_TIME).fill(LIMIT), LIMIT + 1], AT_A_TIME + 1],
])('so many bodies are read at a time %s', async (_, sizes, atATime) => {
  const all = sizes.map(send);
  let most = 0;
  for (const _ of all) {
    await turn();
    most = Math.max(most, reading.length);
    reading.shift()?.();
  }
  expect(await Promise.all(all)).toEqual(all.map(() => 'done'));
  expect(most).toBe(atATime);
});

test('a few that come slowly hinder nobody', async () => {
  turns = largeBodyTurns({ clock, limit: LIMIT });
  for (let i = 0; i < 3; i++) void send(LIMIT);
  await turn();
  expect(reading).toHaveLength(3);
});

test('when too many wait, the next one is told to come again', async () => {
  for (let i = 0; i < AT_A_TIME + 64; i++) void send(LIMIT);
  await expect(send(LIMIT)).rejects.toMatchObject({ name: 'PoolBusy' });
});

test('a large body that does not come makes way for others after a while, with 408', async () => {
  const slow = Array.from({ length: AT_A_TIME }, () => send(LIMIT));
  const refused = Promise.all(slow.map((one) => expect(one).rejects.toMatchObject({ status: 408 })));
  const patient = turns(request(LIMIT), read, async (body) => body);
  await turn();
  expect(reading).toHaveLength(AT_A_TIME);
  clock.pass(20_000);
  await refused;
  await turn();
  reading[AT_A_TIME]?.();
  expect(await patient).toBe('body');
});

test('who goes while their body is worked on leaves the room when that work is done, and while it waits, at once', async () => {
  const gone = new AbortController();
  const working: (() => void)[] = [];
  const work = (signal?: AbortSignal) => {
    const task = () => new Promise<string>((resolve) => working.push(() => resolve('done')));
    return turns(request(LIMIT, signal), async () => 'body', task);
  };
  const [first, , third] = [work(gone.signal), work(), work(gone.signal), work()];
  const refused = expect(third).rejects.toMatchObject({ name: 'AbortError' });
  await turn();
  expect(working).toHaveLength(2);
  gone.abort();
  await refused;
  await turn();
  expect(working).toHaveLength(2);
  working[0]?.();
  expect(await first).toBe('done');
  await turn();
  expect(working).toHaveLength(3);
});
