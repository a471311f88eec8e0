import type { NamedNode, Quad } from '@rdfjs/types';
import fc from 'fast-check';
import { DataFactory } from 'n3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { withoutPause } from '../../src/lib/pace.js';
import type {
  OpenRecords,
  RecordRow,
  RecordStore,
  RecordStoreOptions,
} from '../../src/store/record-store.js';
import { UnusableData } from '../../src/store/unusable-data.js';
import { waitFor } from '../support/wait-for.js';

const { blankNode, literal, namedNode, quad } = DataFactory;

/** Data of an engine's own, for the contract suite. */
export interface RecordEngine {
  readonly open: OpenRecords;
  /** Removes the data. */
  remove(): Promise<void>;
}

const options = (schema = 2): RecordStoreOptions => ({
  layout: { schema, kept: ['letter'], cached: 'document', losses: { latest: 'letters', cache: 'documents' } },
  clock: systemClock,
  pace: withoutPause,
  log: { warn: () => undefined, info: () => undefined },
});

const A: NamedNode = namedNode('urn:graph:a');
const B: NamedNode = namedNode('urn:graph:b');
const says = (name: string, graph: NamedNode = A): Quad =>
  quad(namedNode(`urn:s:${name}`), namedNode('urn:p'), literal(name), graph) as Quad;
const texts = (quads: readonly Quad[]) => quads.map((one) => JSON.stringify(one));
const row = (key: string, value?: unknown, table = 'letter'): RecordRow => ({ table, key, value });

/**
 * What every engine does with records: `RecordStore`, sentence by sentence. Call it in the test file of an engine.
 * `isShared`: may several processes have the same records open?
 */
export function recordStoreContract(
  name: string,
  createEngine: () => Promise<RecordEngine>,
  { isShared } = { isShared: false },
): void {
  describe(`the record store contract: ${name}`, () => {
    let engine: RecordEngine;
    let store: RecordStore;

    beforeEach(async () => {
      engine = await createEngine();
      store = await engine.open('data', options());
    });
    afterEach(async () => {
      await store.close();
      await engine.remove();
    });

    async function reopen(schema?: number): Promise<void> {
      await store.close();
      store = await engine.open('data', options(schema));
    }
    async function write(rows: readonly RecordRow[], quads: { add?: Quad[]; remove?: Quad[] } = {}) {
      const prepared = await store.prepare(quads);
      await prepared.write(rows);
    }
    async function rows(table = 'letter'): Promise<(readonly [string, unknown])[]> {
      const found: (readonly [string, unknown])[] = [];
      for await (const one of store.rows(table)) found.push(one);
      return found;
    }
    /** As texts: engines mark quads with symbols of their own. */
    async function quads(graph = A): Promise<string[]> {
      const found: string[] = [];
      for await (const slice of store.quads(graph)) found.push(...texts(slice));
      return found;
    }

    it('is empty at first, and can write', async () => {
      expect([await rows(), await quads(), store.trouble]).toEqual([[], [], undefined]);
    });

    it('holds any JSON under any key, before and after it is opened again', async () => {
      // JSON has no -0.
      const value = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)) as unknown);
      const table = fc.dictionary(fc.string({ unit: 'grapheme' }), value, { noNullPrototype: true });
      await fc.assert(
        fc.asyncProperty(table, async (wanted) => {
          await write((await rows()).map(([key]) => row(key)));
          await write(Object.entries(wanted).map(([key, one]) => row(key, one)));
          expect(Object.fromEntries(await rows())).toEqual(wanted);
          await reopen();
          expect(Object.fromEntries(await rows())).toEqual(wanted);
        }),
        { numRuns: 25 },
      );
    });

    it('reads a table in the order of the UTF-8 bytes of its keys, and no other table', async () => {
      // In UTF-16, which JavaScript compares, the last two are the other way round.
      const keys = ['a', 'a b', 'b', 'é', '\uff5e', '🦄'];
      await write([...keys].reverse().map((key) => row(key, key)));
      await write([row('c', 'other', 'letters'), row('a', 'other', 'envelope')]);
      expect((await rows()).map(([key]) => key)).toEqual(keys);
    });

    it('replaces and removes rows', async () => {
      await write([row('a', 1), row('b', 2)]);
      await write([row('a', { n: 3 }), row('b')]);
      expect(await rows()).toEqual([['a', { n: 3 }]]);
      await write([row('never there')]);
      expect(await rows()).toEqual([['a', { n: 3 }]]);
    });

    it('holds what was written, whatever happens to the object afterwards', async () => {
      const value = { names: ['a'] };
      await write([row('a', value)]);
      value.names.push('b');
      const [[, read] = []] = await rows();
      (read as typeof value).names.push('c');
      expect(await rows()).toEqual([['a', { names: ['a'] }]]);
    });

    it('holds every kind of term apart from every other', async () => {
      const objects = [
        namedNode('urn:x'),
        literal('urn:x'),
        literal('urn:x', 'en'),
        literal('urn:x', 'de'),
        literal('urn:x', namedNode('urn:type')),
        literal(''),
        literal('line\nbreak "quoted" 🦄'),
        blankNode('b0'),
        blankNode('b1'),
      ];
      const all = objects.map((object) => quad(blankNode('b0'), namedNode('urn:p'), object, A) as Quad);
      await write([], { add: all });
      expect((await quads()).sort()).toEqual(texts(all).sort());
      await write([], { remove: all.slice(1, 2) });
      await reopen();
      expect((await quads()).sort()).toEqual(texts(all.filter((_, i) => i !== 1)).sort());
    });

    it('holds each quad once, and in its own graph', async () => {
      await write([], { add: [says('a'), says('a'), says('a', B)] });
      await write([], { add: [says('a')], remove: [says('a', B), says('never there')] });
      expect([await quads(), await quads(B)]).toEqual([texts([says('a')]), []]);
    });

    it('adds a quad that the same change removes', async () => {
      await write([], { add: [says('a'), says('b')] });
      await write([], { remove: [says('a'), says('b')], add: [says('a')] });
      expect(await quads()).toEqual(texts([says('a')]));
    });

    it('reads a graph in an order that does not depend on when its quads were added', async () => {
      const some = ['c', 'a', 'd', 'b'].map((each) => says(each));
      await write([], { add: some });
      const before = await quads();
      await write([], { remove: some });
      for (const one of [...some].reverse()) await write([], { add: [one] });
      expect(await quads()).toEqual(before);
    });

    it('refuses terms that it could not give back, and stores nothing of the change', async () => {
      const quoted = quad(says('inner') as never, namedNode('urn:p'), literal('a'), A) as Quad;
      const broken = quad(namedNode('urn:s'), namedNode('urn:p'), literal('\ud83d'), A) as Quad;
      for (const one of [quoted, broken])
        await expect(store.prepare({ add: [says('a'), one] })).rejects.toThrow(TypeError);
      expect(await quads()).toEqual([]);
    });

    it('writes rows and quads together, and only when they are written', async () => {
      const prepared = await store.prepare({ add: [says('a')] });
      const discarded = await store.prepare({ add: [says('b')] });
      expect([await rows(), await quads()]).toEqual([[], []]);
      await discarded.discard();
      await prepared.write([row('a', 1)]);
      expect([await rows(), await quads()]).toEqual([[['a', 1]], texts([says('a')])]);
    });

    it('takes changes in the order in which they are written, not prepared', async () => {
      const [first, second] = [
        await store.prepare({ remove: [says('a')] }),
        await store.prepare({ add: [says('a')] }),
      ];
      await second.write([row('a', 'second')]);
      await first.write([row('a', 'first')]);
      expect([await rows(), await quads()]).toEqual([[['a', 'first']], []]);
    });

    it('goes on reading what was there when reading began', async () => {
      const many = Array.from({ length: 200 }, (_, i) => String(i).padStart(3, '0'));
      const add = many.map((each) => says(each));
      await write(
        many.map((key) => row(key, 'before')),
        { add },
      );
      const [readRows, readQuads] = [store.rows('letter'), store.quads(A)].map((all) =>
        all[Symbol.asyncIterator](),
      );
      const found = [await readRows?.next(), await readQuads?.next()];
      await write([row('199'), row('100', 'after'), row('200', 'after')], { remove: add.slice(100) });
      const rest = async (iterator: AsyncIterator<unknown> | undefined, first: unknown) => {
        const all = [(first as IteratorResult<unknown>).value];
        for (let next = await iterator?.next(); next && !next.done; next = await iterator?.next())
          all.push(next.value);
        return all;
      };
      expect(await rest(readRows, found[0])).toEqual(many.map((key) => [key, 'before']));
      expect(((await rest(readQuads, found[1])) as Quad[][]).flat()).toHaveLength(200);
      expect([(await rows()).length, (await quads()).length]).toEqual([200, 100]);
    });

    if (isShared) {
      it('tells others what was written, one change at a time', async () => {
        const other = await engine.open('data', options());
        try {
          const told: RecordRow[] = [];
          other.shared?.watch((some) => told.push(...some));
          await write([row('a', 1), row('b', 2)]);
          await write([row('a')]);
          await waitFor(() => told.length >= 2);
          expect(new Map(told.map(({ key, value }) => [key, value]))).toEqual(
            new Map([
              ['a', undefined],
              ['b', 2],
            ]),
          );
          let counter = 0;
          const count = (at: RecordStore) =>
            at.shared?.exclusively(async () => {
              for await (const [key, value] of at.rows<number>('letter'))
                if (key === 'count') counter = value;
              await (await at.prepare({})).write([row('count', counter + 1)]);
            });
          await Promise.all([store, other, store, other, store].map(count));
          expect(new Map(await rows()).get('count')).toBe(5);
        } finally {
          await other.close();
        }
      });

      it('stores nothing of a task that fails', async () => {
        const failing = store.shared?.exclusively(async () => {
          await write([row('a', 1)], { add: [says('a')] });
          throw new Error('decided otherwise');
        });
        await expect(failing).rejects.toThrow('decided otherwise');
        expect([await rows(), await quads()]).toEqual([[], []]);
      });
    } else {
      it('belongs to one at a time', async () => {
        await expect(engine.open('data', options())).rejects.toThrow(UnusableData);
        await write([row('a', 1)]);
        expect(await rows()).toEqual([['a', 1]]);
      });
    }

    it('is not opened by a release that does not know its layout', async () => {
      await write([row('a', 1)]);
      await reopen(2);
      await store.close();
      const older = engine.open('data', options(1));
      await expect(older).rejects.toThrow(/newer release \(layout 2, this one knows 1\)/);
      await expect(older).rejects.toThrow(UnusableData);
      store = await engine.open('data', options(2));
      expect(await rows()).toEqual([['a', 1]]);
    });

    it('rejects everything once it is closed', async () => {
      await write([row('a', 1)], { add: [says('a')] });
      const prepared = await store.prepare({ add: [says('b')] });
      await store.close();
      await expect(prepared.write([row('b', 1)])).rejects.toThrow();
      await expect(store.prepare({})).rejects.toThrow();
      await expect(rows()).rejects.toThrow();
      await expect(quads()).rejects.toThrow();
      store = await engine.open('data', options());
      expect([await rows(), await quads()]).toEqual([[['a', 1]], texts([says('a')])]);
    });
  });
}
