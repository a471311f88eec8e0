import { expect, it } from 'vitest';
import { eventsIn } from '../../../src/sync/push/event-stream.js';

/** How many events are in a stream that comes in these pieces. */
async function count(...pieces: string[]): Promise<{ events: number; heard: number }> {
  let [events, heard] = [0, 0];
  const body = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  for await (const _ of eventsIn(body, () => heard++)) events += 1;
  return { events, heard };
}

it('an event is what has data, and ends with an empty line', async () => {
  expect(await count('id: e.1.0\ndata: e.1.0\n\n')).toEqual({ events: 1, heard: 1 });
  expect(await count('data: a\n\nid: 2\ndata: b\n\n', ': comment\n\n', 'data: c\n\n')).toEqual({
    events: 3,
    heard: 3,
  });
  expect((await count(': comment\n\nid: 1\n\nevent: x\n\ndata:\n\n')).events).toBe(0);
  expect((await count('data: unfinished\n')).events).toBe(0);
});

it('lines may end in three ways, and pieces anywhere', async () => {
  expect((await count('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).events).toBe(3);
  expect((await count(...'data: a\r\n\r\ndata: b\n\n')).events).toBe(2);
});

it('a line without an end is not kept', async () => {
  await expect(count('data: '.padEnd(5000, 'x'))).rejects.toThrow('more than 4096 bytes');
  await expect(count(...Array(100).fill('x'.repeat(100)))).rejects.toThrow('more than 4096 bytes');
});
