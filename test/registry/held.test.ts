import { expect, it } from 'vitest';
import { component, memoryRegistry } from '../support/registry.js';
import { OK, PEER } from './sources.js';

const urlOf = (i: number) => `https://pod.example/doc${i}`;
const saying = (i: number, label: string) => ({
  url: urlOf(i),
  components: [component(`c${i}`, { label })],
  record: { etag: `"${label}"` },
});

it('leaves who has asked before with what was stored then, and shares with it what stays', async () => {
  const registry = await memoryRegistry();
  const documents = Array.from({ length: 500 }, (_, i) => saying(i, 'one'));
  await registry.commit({ source: PEER, documents, record: OK });
  const before = (await registry.source(PEER))?.documents;
  const gone = { url: urlOf(8), record: null };
  const more = { ...saying(7, 'other'), components: [component('c7'), component('another')] };
  await registry.commit({ source: PEER, documents: [more, gone, saying(500, 'new')], record: OK });
  const after = (await registry.source(PEER))?.documents;
  expect([before?.size, after?.size]).toEqual([500, 500]);
  expect([before?.get(urlOf(7)), after?.get(urlOf(7))]).toEqual([
    { etag: '"one"', components: 1 },
    { etag: '"other"', components: 2 },
  ]);
  expect([before?.has(urlOf(8)), after?.has(urlOf(8))]).toEqual([true, false]);
  expect([before?.has(urlOf(500)), after?.has(urlOf(500))]).toEqual([false, true]);
  expect(after?.get(urlOf(9))).toBe(before?.get(urlOf(9)));
  const same = [...(after ?? [])].filter(([url, stored]) => before?.get(url) === stored);
  expect(same).toHaveLength(498);
  await registry.close();
});
