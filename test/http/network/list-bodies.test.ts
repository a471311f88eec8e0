import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ListBodies } from '../../../src/http/network/list-bodies.js';
import type { ScopedLists } from '../../../src/http/network/list-scopes.js';

/** A revision of the lists: only which one it is matters here. */
const lists = () => ({}) as ScopedLists;

/** Asks for a body of so many characters; `written` has the keys of those that had to be written. */
function asking(bodies: ListBodies) {
  const written: string[] = [];
  const ask = (of: ScopedLists, key: string, length: number, isCoded = false) =>
    bodies.get(of, key, {
      write: () => {
        written.push(key);
        return 'x'.repeat(length);
      },
      isCoded,
    });
  return { written, ask };
}

it('are written once for all who ask for the same of one revision, also those of a thousand entries', async () => {
  const { written, ask } = asking(new ListBodies());
  const [former, latest] = [lists(), lists()];
  for (const key of ['peers', 'peers', 'storage'])
    expect(await ask(former, key, 200_000)).toHaveProperty('text');
  const bodies = [await ask(former, 'peers', 200_000, true), await ask(former, 'peers', 200_000, true)];
  for (const body of bodies) expect('gzip' in body && gunzipSync(body.gzip).length).toBe(200_000);
  expect(written).toEqual(['peers', 'storage', 'peers']);
  await ask(latest, 'peers', 200_000);
  expect(written).toEqual(['peers', 'storage', 'peers', 'peers']);
});

it('are kept as far as there is room: the one that was written first goes first', async () => {
  const { written, ask } = asking(new ListBodies());
  const of = lists();
  for (const key of ['one', 'two', 'three']) await ask(of, key, 1_500_000);
  for (const key of ['two', 'three', 'one']) await ask(of, key, 1_500_000);
  expect(written).toEqual(['one', 'two', 'three', 'one']);
  await ask(of, 'whole', 5_000_000);
  await ask(of, 'one', 1_500_000);
  expect(written).toEqual(['one', 'two', 'three', 'one', 'whole']);
});
