import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareUri, type Metadata } from '../../src/component/metadata.js';
import { precedenceOf, type Source } from '../../src/component/precedence.js';
import { BLOCK_BYTES } from '../../src/store/block-writer.js';
import type { Registry } from '../../src/store/registry.js';
import { listingObject } from '../support/listing-object.js';
import { BASE_URL, component, memoryRegistry, VOCABULARY } from '../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const naming = { baseUrl: BASE_URL, vocabulary: VOCABULARY };

/** So long that thirty of them need more than one block. */
const LONG = 'long '.repeat(3000).trim();

let registry: Registry;
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

function wholeText(): string {
  const { pieces = [] } = registry.catalog.select({});
  return Buffer.concat(pieces).toString();
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
        const expected = [...winners.values()].sort((one, other) => compareUri(one.uri, other.uri));
        expect(JSON.parse(wholeText())).toEqual(
          JSON.parse(JSON.stringify(expected.map((one) => listingObject(one, naming)))),
        );
        for (const version of ['1', '2']) {
          const found = registry.catalog.select({ tag: [version] }).entries.map(({ uri }) => uri);
          expect(found).toEqual(expected.filter((one) => one.version === version).map(({ uri }) => uri));
        }
        for (const one of expected) expect(registry.catalog.get(one.uri)?.metadata).toEqual(one);
      }),
      { numRuns: 25 },
    );
  });

  it('shares the blocks in which nothing changes', async () => {
    const many = Array.from({ length: 90 }, (_, i) => component(`c${100 + i}`, { description: LONG }));
    await registry.upsertLocal(many);
    const before = registry.catalog.select({}).pieces ?? [];
    expect(before.length).toBeGreaterThan(4);
    await registry.upsertLocal([component('c100', { description: 'short' })]);
    const after = registry.catalog.select({}).pieces ?? [];
    expect(after.at(-2)?.buffer).toBe(before.at(-2)?.buffer);
    expect(Math.max(...after.map(({ length }) => length))).toBeLessThan(3 * BLOCK_BYTES);
  });

  it('finds by several values at once, in lists of very different lengths', async () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      component(`c${1000 + i}`, {
        tag: ['all', ...(i % 2 === 0 ? ['even'] : []), ...(i % 97 === 0 ? ['rare'] : [])].sort(),
        author: i % 3 === 0 ? ['three'] : [],
      }),
    );
    await registry.upsertLocal(many);
    const names = (query: object) => registry.catalog.select(query).entries.map(({ uri }) => uri);
    const expected = (holds: (i: number) => boolean) => many.filter((_, i) => holds(i)).map(({ uri }) => uri);
    expect(names({ tag: ['all', 'even'] })).toEqual(expected((i) => i % 2 === 0));
    expect(names({ tag: ['rare', 'even'] })).toEqual(expected((i) => i % 194 === 0));
    expect(names({ tag: ['all', 'rare'], author: ['three'] })).toEqual(expected((i) => i % 291 === 0));
    expect(names({ tag: ['all', 'nobody'] })).toEqual([]);
  });

  it('finds texts by what they are, not by what they contain', async () => {
    const quoting = component('a', { label: 'x","label":"y', description: '"label":"y"' });
    await registry.upsertLocal([quoting, component('b', { label: 'y' })]);
    const names = (query: object) => registry.catalog.select(query).entries.map(({ uri }) => uri);
    expect(names({ label: 'y' })).toEqual([component('b').uri]);
    expect(names({ label: 'x","label":"y' })).toEqual([quoting.uri]);
    expect(names({ description: '"label":"y"' })).toEqual([quoting.uri]);
  });
});
