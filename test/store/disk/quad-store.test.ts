import type { Quad } from '@rdfjs/types';
import { AbstractChainedBatch } from 'abstract-level';
import fc from 'fast-check';
import { DataFactory } from 'n3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Level } from '../../../src/store/disk/database/level.js';
import type { QuadStore } from '../../../src/store/disk/database/quad-store.js';
import { hostileText, iri } from '../../support/arbitrary.js';
import { openQuadStore, PLACES, type Place } from '../../support/stores.js';

const { namedNode, literal, blankNode, quad } = DataFactory;
const s = namedNode('http://s');
const p = namedNode('http://p');
const g = namedNode('http://g');

const term = fc.oneof(
  iri.map((value) => namedNode(value)),
  hostileText.map((value) => literal(value)),
  fc.tuple(hostileText, fc.constantFrom('en', 'de-at')).map(([value, language]) => literal(value, language)),
  fc
    .tuple(
      hostileText,
      fc
        .constantFrom('integer', 'dateTime', 'boolean', 'double', 'date')
        .map((type) => `http://www.w3.org/2001/XMLSchema#${type}`),
    )
    .map(([value, type]) => literal(value, namedNode(type))),
  fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/).map((label) => blankNode(label)),
);
const anyQuad = fc
  .tuple(iri, iri, term, iri)
  .map(
    ([subject, predicate, object, graph]) =>
      quad(namedNode(subject), namedNode(predicate), object, namedNode(graph)) as Quad,
  );

describe.each(Object.keys(PLACES))('the quad store in %s', (kind) => {
  let place: Place;
  let level: Level;
  let store: QuadStore;
  const iterators = { opened: 0, closed: 0 };

  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    await open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  async function open(): Promise<void> {
    level = counted(await place.open(), iterators);
    store = await openQuadStore(level);
  }
  const read = async (graph?: string) => {
    const quads: Quad[] = [];
    for await (const slice of store.read(graph)) quads.push(...slice);
    return quads;
  };

  it('gives back what was put in, hostile terms included, also after it was opened again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyQuad, { maxLength: 8 }), async (quads) => {
        await store.write({ add: quads, durable: false });
        const all = await read();
        for (const one of quads) expect(all.some((other) => other.equals(one))).toBe(true);
        await store.write({ remove: quads, durable: false });
        expect(await read()).toEqual([]);
      }),
      { numRuns: 60 },
    );
    await store.write({ add: [quad(s, p, literal('kept'), g) as Quad], durable: true });
    await store.close();
    await open();
    expect((await read()).map(({ object }) => object.value)).toEqual(['kept']);
  });

  it('removes before it adds, in one batch with its rows', async () => {
    const kept = quad(s, p, literal('kept'), g) as Quad;
    await store.write({
      remove: [kept],
      add: [kept],
      rows: [{ table: 't', key: 'k', value: { n: 1 } }],
      durable: true,
    });
    expect(await read()).toHaveLength(1);
    expect(await store.row('t', 'k')).toEqual({ n: 1 });
    await store.write({ rows: [{ table: 't', key: 'k' }], durable: true });
    expect(await store.row('t', 'k')).toBeUndefined();
  });

  it('has flushed to disk (fsync) what is to be durable, before it says so', async () => {
    const write = vi.spyOn(AbstractChainedBatch.prototype, 'write');
    const add = [quad(s, p, literal('flushed'), g) as Quad];
    await store.write({ add, durable: true });
    await store.write({ remove: add, durable: false });
    expect(write.mock.calls).toEqual([[{ sync: true }], [{ sync: false }]]);
    write.mockRestore();
  });

  it('writes nothing of a change that holds a term it cannot keep', async () => {
    const fine = quad(s, p, literal('fine'), g) as Quad;
    const quoted = quad(fine as never, p, literal('x'), g) as Quad;
    const half = quad(s, p, literal('\ud83e'), g) as Quad;
    await expect(store.write({ add: [fine, quoted], durable: false })).rejects.toThrow(TypeError);
    await expect(store.write({ add: [fine, half], durable: false })).rejects.toThrow(TypeError);
    expect(await read()).toEqual([]);
  });

  it('writes nothing of a change that is given up', async () => {
    const prepared = await store.prepare({ add: [quad(s, p, literal('x'), g) as Quad], durable: false });
    await prepared.discard();
    expect(await read()).toEqual([]);
  });

  it('tells IRIs, texts and languages apart', async () => {
    const objects = [
      namedNode('http://o'),
      literal('http://o'),
      literal('en'),
      literal('hello', 'en'),
      literal('http://o', 'en'),
    ];
    await store.write({ add: objects.map((object) => quad(s, p, object, g) as Quad), durable: false });
    const there = (await read()).map(({ object }) => object);
    expect(there).toHaveLength(objects.length);
    for (const object of objects) expect(there.filter((other) => other.equals(object))).toHaveLength(1);
  });

  it('reads graph by graph and subject by subject', async () => {
    const quads = ['g2', 'g1'].flatMap((graph) =>
      ['s2', 's1'].flatMap((subject) =>
        ['b', 'a'].map(
          (value) =>
            quad(namedNode(`http://${subject}`), p, literal(value), namedNode(`http://${graph}`)) as Quad,
        ),
      ),
    );
    await store.write({ add: quads, durable: false });
    const seen = (await read()).map(({ graph, subject }) => `${graph.value} ${subject.value}`);
    expect(seen).toEqual([...seen].sort());
    expect(await read('http://g1')).toHaveLength(4);
    expect(await read('http://g')).toEqual([]);
  });

  it('walks through a graph in whatever order its subjects are asked for', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `http://s/${i % 2 ? '' : 'ü\u{1f984}'}${i}`);
    const quads = names.flatMap((subject, i) =>
      Array.from({ length: 1 + (i % 40) }, (_, n) => quad(namedNode(subject), p, literal(`${n}`), g) as Quad),
    );
    const beside = ['http://g\u0001', 'http://f', 'http://gg'].map(
      (graph) => quad(namedNode('http://s/1'), p, literal('beside'), namedNode(graph)) as Quad,
    );
    await store.write({ add: [...quads, ...beside], durable: false });
    const inOrder = [...new Set((await read(g.value)).map(({ subject }) => subject.value))];
    const cursor = store.cursor(g.value);
    for (const order of [
      inOrder,
      [...inOrder].reverse(),
      names,
      ['http://s/none', 'http://s/1', 'http://s/1'],
    ]) {
      for (const name of order) {
        const expected = quads.filter(({ subject }) => subject.value === name);
        expect(await cursor.about(name), name).toHaveLength(expected.length);
      }
    }
    await cursor.close();
  });

  it('closes every iterator, also those of reads that are broken off', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => quad(s, p, literal(`${i}`), g) as Quad);
    await store.write({ add: many, durable: false });
    for (let i = 0; i < 50; i++) await read(g.value);
    const cursor = store.cursor(g.value);
    for (const subject of [s.value, 'http://r', s.value]) await cursor.about(subject);
    await cursor.close();
    for await (const _slice of store.read()) break;
    expect(iterators.opened).toBeGreaterThan(50);
    expect(iterators.closed).toBe(iterators.opened);
  });

  it('says when a read fails instead of ending early', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => quad(s, p, literal(`${i}`), g) as Quad);
    await store.write({ add: many, durable: false });
    const reading = (async () => {
      let count = 0;
      for await (const slice of store.read()) {
        count += slice.length;
        if (count <= 200) void level.close();
      }
      return count;
    })();
    await expect(reading).rejects.toThrow();
  });

  it('says why a read cannot begin', async () => {
    const closing = store.close();
    await expect(store.read().next()).rejects.toThrow(/not open/);
    await closing;
    await open();
  });

  it('keeps the order of two changes that are prepared side by side', async () => {
    const [a, b] = ['a', 'b'].map((value) => quad(s, p, literal(value), g) as Quad);
    if (!a || !b) throw new Error('unreachable');
    const [one, other] = await Promise.all([
      store.prepare({ add: [a], durable: true }),
      store.prepare({ remove: [a], add: [b], durable: true }),
    ]);
    await one.write();
    await other.write();
    expect((await read()).map(({ object }) => object.value)).toEqual(['b']);
  });
});

/** Counts the iterators that are opened and closed. */
function counted(level: Level, count: { opened: number; closed: number }): Level {
  const iterator = level.iterator.bind(level);
  return Object.assign(level, {
    iterator: (options: never) => {
      const made = iterator(options);
      const close = made.close.bind(made);
      let open = true;
      count.opened += 1;
      return Object.assign(made, {
        close: async () => {
          if (open) count.closed += 1;
          open = false;
          await close();
        },
      });
    },
  });
}
