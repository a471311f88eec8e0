import { expect, it } from 'vitest';
import { eventsIn } from '../../../src/sync/push/event-stream.js';

/** The ids of the events in a stream that comes in these pieces. */
async function idsIn(...pieces: string[]): Promise<string[]> {
  const body = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  const ids: string[] = [];
  for await (const id of eventsIn(body)) ids.push(id);
  return ids;
}

it('an event is what has data, and ends with an empty line', async () => {
  expect(await idsIn('id: e.1.0\ndata: e.1.0\n\n')).toEqual(['e.1.0']);
  // An id stands until there is another one.
  const pieces = ['data: a\n\nid: 2\ndata: b\n\n', ': comment\n\n', 'data: c\n\n'];
  expect(await idsIn(...pieces)).toEqual(['', '2', '2']);
  expect(await idsIn(': comment\n\nid: 1\n\nevent: x\n\ndata:\n\n')).toEqual([]);
  expect(await idsIn('data: unfinished\n')).toEqual([]);
});

it('lines may end in three ways, and pieces anywhere', async () => {
  expect(await idsIn('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).toHaveLength(3);
  expect(await idsIn(...'data: a\r\n\r\ndata: b\n\n')).toHaveLength(2);
});

it('a line without an end is not kept', async () => {
  await expect(idsIn('data: '.padEnd(5000, 'x'))).rejects.toThrow('more than 4096 characters');
  await expect(idsIn(...Array(100).fill('x'.repeat(100)))).rejects.toThrow('more than 4096 characters');
});
