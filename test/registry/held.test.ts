import { expect, it } from 'vitest';
import { withoutPause } from '../../src/lib/pace.js';
import { Held, type HeldSource } from '../../src/registry/held.js';
import { LayeredMap } from '../../src/registry/layered-map.js';
import { partRowKey, sourceRowKey } from '../../src/registry/row-keys.js';
import { component, memoryRegistry } from '../support/registry.js';
import { OK, PEER, precedence } from './sources.js';

/** What a poll costs that finds one document changed, however many the source has (design, section 5). */

const urlOf = (i: number) => `https://pod.example/doc${i}`;
const saying = (i: number, label: string) => ({
  url: urlOf(i),
  components: [component(`c${i}`, { label })],
  record: { etag: `"${label}"` },
});

/** The stretches of work between which other work can come in, while one document of so many changes. */
async function stretchesOfOneChange(size: number): Promise<number> {
  let stretches = 0;
  const pace = () => () => {
    stretches += 1;
    return undefined;
  };
  const registry = await memoryRegistry({ pace });
  const documents = Array.from({ length: size }, (_, i) => saying(i, 'one'));
  await registry.commit({ source: PEER, documents, record: OK });
  stretches = 0;
  await registry.commit({ source: PEER, documents: [saying(7, 'other')], record: OK });
  await registry.close();
  return stretches;
}

it('costs what changes of a source, and not what it has', async () => {
  // A part of the listing is written anew, too: some hundred components.
  expect(await stretchesOfOneChange(4_000)).toBeLessThan(1_000);
});

it('walks through no documents that stay, when one of them changes and another goes', async () => {
  let walked = 0;
  const held = function* () {
    for (let i = 0; i < 4_000; i++) {
      walked += 1;
      yield [urlOf(i), { components: 1 }] as const;
    }
  };
  const all = Object.assign(new Map(held()), { [Symbol.iterator]: held });
  const source = new Held(precedence).current(PEER);
  const before: HeldSource = { ...source, documents: new LayeredMap(all) };
  const rowOf = (i: number) => ({ source: PEER, document: urlOf(i), record: { etag: 'new' } });
  const documents = new Map([
    [partRowKey(PEER, urlOf(7)), rowOf(7)],
    [partRowKey(PEER, urlOf(8)), undefined],
  ]);
  walked = 0;
  const after = await new Held(precedence, [[sourceRowKey(PEER), before]]).with(
    new Map([[sourceRowKey(PEER), { documents, hashes: new Map() }]]),
    withoutPause(),
  );
  expect(after.document(rowOf(7))).toEqual({ etag: 'new', components: 0 });
  expect(after.document(rowOf(8))).toBeUndefined();
  expect(walked).toBe(0);
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
