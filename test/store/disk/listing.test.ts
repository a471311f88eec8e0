import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { compareText } from '../../../src/lib/compare-text.js';
import { IN_MEMORY } from '../../../src/store/disk/listing/block-space.js';
import { listingObject } from '../../support/listing-object.js';
import {
  BASE_URL,
  component,
  memoryRegistry,
  type TestRegistry,
  VOCABULARY,
} from '../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const naming = { baseUrl: BASE_URL, vocabulary: VOCABULARY };

/** So long that thirty of them need more than one block. */
const LONG = 'long '.repeat(3000).trim();

let registry: TestRegistry;
beforeEach(async () => {
  registry = await memoryRegistry({ precedence: precedenceOf({ pods: [POD.url], peers: [PEER.url] }) });
});
afterEach(() => registry.close());

const say = (source: Source, components: Metadata[]) =>
  registry.commit({
    source,
    documents: [{ url: `${source.url}doc`, components, record: {} }],
    record: { failures: 0 },
  });

async function pieces(): Promise<Uint8Array[]> {
  const { json } = await registry.catalog.page({});
  return [...(json?.pieces() ?? [])];
}

describe('the listing in blocks', () => {
  const name = fc.integer({ min: 0, max: 80 }).map((n) => `c${n}`);
  const described = fc.tuple(
    name,
    fc.constantFrom(LONG, 'short', LONG.toUpperCase()),
    fc.constantFrom('1', '2'),
  );
  const step = fc.record({
    source: fc.constantFrom(POD, PEER),
    components: fc.uniqueArray(described, { selector: ([id]) => id, maxLength: 70 }),
  });

  it('is the JSON array of what is served, whatever came and went', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const said = new Map<Source, Metadata[]>();
        for (const source of [POD, PEER]) await registry.forget(source);
        for (const { source, components } of steps) {
          const list = components.map(([id, description, version]) =>
            component(id, { description, version, tag: [version] }),
          );
          await say(source, list);
          said.set(source, list);
        }
        const winners = new Map<string, Metadata>();
        for (const source of [PEER, POD]) for (const one of said.get(source) ?? []) winners.set(one.uri, one);
        const expected = [...winners.values()].sort((one, other) => compareText(one.uri, other.uri));
        const objects = JSON.parse(Buffer.concat(await pieces()).toString()) as Record<string, unknown>[];
        // Who says it, and since when, has tests of its own.
        expect(objects.map(({ source: _, since: __, ...object }) => object)).toEqual(
          JSON.parse(JSON.stringify(expected.map((one) => listingObject(one, naming)))),
        );
        for (const version of ['1', '2']) {
          const found = (await registry.list({ tag: [version] })).map(({ uri }) => uri);
          expect(found).toEqual(expected.filter((one) => one.version === version).map(({ uri }) => uri));
        }
        for (const one of expected) expect(await registry.get(one.uri)).toEqual(one);
      }),
      { numRuns: 25 },
    );
  });

  it('shares the blocks in which nothing changes', async () => {
    const many = Array.from({ length: 90 }, (_, i) => component(`c${100 + i}`, { description: LONG }));
    await registry.upsertLocal(many);
    const before = await pieces();
    expect(before.length).toBeGreaterThan(4);
    await registry.upsertLocal([component('c100', { description: 'short' })]);
    const after = await pieces();
    // The very same objects, on which the compressed copy goes by.
    for (const place of [-1, -2]) expect(after.at(place)).toBe(before.at(place));
    await registry.upsertLocal([component('c189', { description: 'short' })]);
    for (const place of [0, 1]) expect((await pieces())[place]).toBe(after[place]);
    expect(Math.max(...after.map(({ length }) => length))).toBeLessThan(3 * IN_MEMORY.blockBytes);
  });

  it('finds by several values at once, in lists of very different lengths', async () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      component(`c${1000 + i}`, {
        tag: ['all', ...(i % 2 === 0 ? ['even'] : []), ...(i % 97 === 0 ? ['rare'] : [])].sort(),
        author: i % 3 === 0 ? ['three'] : [],
      }),
    );
    await registry.upsertLocal(many);
    const names = async (query: object) => (await registry.list(query)).map(({ uri }) => uri);
    const expected = (holds: (i: number) => boolean) => many.filter((_, i) => holds(i)).map(({ uri }) => uri);
    expect(await names({ tag: ['all', 'even'] })).toEqual(expected((i) => i % 2 === 0));
    expect(await names({ tag: ['rare', 'even'] })).toEqual(expected((i) => i % 194 === 0));
    expect(await names({ tag: ['all', 'rare'], author: ['three'] })).toEqual(expected((i) => i % 291 === 0));
    expect(await names({ tag: ['all', 'nobody'] })).toEqual([]);
  });

  it('finds texts by what they are, not by what they contain', async () => {
    const quoting = component('a', { label: 'x","label":"y', description: '"label":"y"' });
    await registry.upsertLocal([quoting, component('b', { label: 'y' })]);
    const names = async (query: object) => (await registry.list(query)).map(({ uri }) => uri);
    expect(await names({ label: 'y' })).toEqual([component('b').uri]);
    expect(await names({ label: 'x","label":"y' })).toEqual([quoting.uri]);
    expect(await names({ description: '"label":"y"' })).toEqual([quoting.uri]);
  });
});
