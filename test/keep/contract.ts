import type { NamedNode, Quad } from '@rdfjs/types';
import fc from 'fast-check';
import { DataFactory } from 'n3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeadUnknown, KeepDamaged, LeaseLost } from '../../src/keep/faults.js';
import type { Head, Keep, Place, Reads, Row, RowBatch, Writes } from '../../src/keep/keep.js';
import { sealOf } from '../../src/keep/stored-row.js';

const { blankNode, defaultGraph, literal, namedNode, quad, variable } = DataFactory;

/** Data of an engine's own, for the contract suite, gone with the test. */
export interface KeepEngine {
  /** Opens the data as one more node, or again after it was closed. */
  open(): Promise<Place>;
  /** May several nodes have it open? */
  readonly isShared: boolean;
  /** Lets so much time pass that leases end that nobody has renewed meanwhile. */
  expireLeases(): Promise<void>;
  /** Changes the value of a stored row behind the back of the engine; nobody has the data open. Absent for what is in memory. */
  readonly damage?: (service: string, row: Row) => Promise<void>;
  /** Notes all that is stored, and puts it back when the function is called that is returned. Absent where a node alone has it open. */
  readonly backup?: () => Promise<() => Promise<unknown>>;
}

export const A = namedNode('urn:graph:a');
const B = namedNode('urn:graph:b');
export const says = (name: string, graph: Quad['graph'] = A): Quad =>
  quad(namedNode(`urn:s:${name}`), namedNode('urn:p'), literal(name), graph) as Quad;
export const texts = (quads: readonly Quad[]) => quads.map((one) => JSON.stringify(one));
export const row = (key: string, value?: string, table = 'letter'): Row => ({ table, key, value });
const plain = ({ table, key, value }: Row): Row => ({ table, key, value });

/** The head of what is stored. */
export async function headOf(keep: Keep): Promise<Head> {
  for await (const { head } of keep.rows(['none'])) return head;
  throw new Error('a table without a batch');
}

/** Writes on top of whatever is stored. */
export async function write(keep: Keep, writes: Writes): Promise<Head> {
  return keep.commit(await headOf(keep), () => writes);
}

export async function rowsOf(keep: Reads, table = 'letter', prefix?: string): Promise<Row[]> {
  const found: Row[] = [];
  for await (const { rows } of keep.rows([table], prefix)) found.push(...rows.map(plain));
  return found;
}

/** As texts. */
export async function quadsOf(keep: Reads, ...graphs: NamedNode[]): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of keep.quads(graphs.length > 0 ? graphs : [A])) found.push(...texts(batch));
  return found;
}

const text = fc.string({ unit: 'binary' }).map((one) => one.toWellFormed().replaceAll('\0', ''));
const anyRow = fc.record({
  table: fc.constantFrom('letter', 'letters'),
  // In UTF-16, which JavaScript compares, the last two are the other way round than in UTF-8.
  key: fc.oneof(
    fc.constantFrom('a', 'a b', 'b', 'é', '\uff5e', '\u{1f984}'),
    text.filter((one) => one !== ''),
  ),
  value: fc.option(text, { nil: undefined }),
});
const INTEGER = namedNode('http://www.w3.org/2001/XMLSchema#integer');
const anyQuad = fc
  .tuple(
    fc.constantFrom(namedNode('urn:s:a'), blankNode('b0'), namedNode('urn:s'), namedNode('urn:s:b')),
    fc.constantFrom(namedNode('urn:p'), namedNode('urn:p:a')),
    fc.constantFrom(
      ...[
        namedNode('urn:x'),
        blankNode('b0'),
        blankNode('urn:x'),
        literal('urn:x'),
        literal(''),
        literal('en'),
      ],
      ...[literal('urn:x', 'en'), literal('urn:x', 'de'), literal('urn:x', namedNode('urn:type'))],
      ...[literal('1', INTEGER), literal('01', INTEGER), literal('line\nbreak "quoted" \u{1f984}')],
    ),
    fc.constantFrom(A, B, blankNode('urn:graph:a'), defaultGraph()),
  )
  .map(([subject, predicate, object, graph]) => quad(subject, predicate, object, graph) as Quad);
const anyWrites = fc.array(
  fc.record({
    by: fc.nat(1),
    how: fc.constantFrom('commit', 'commit', 'exclusively', 'reopen'),
    decides: fc.constantFrom('writes', 'writes', 'writes', 'writes', 'nothing', 'failure'),
    rows: fc.array(anyRow, { maxLength: 6 }),
    put: fc.array(anyQuad, { maxLength: 8 }),
    remove: fc.array(anyQuad, { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

type OneWrite = Parameters<Parameters<typeof anyWrites.map>[0]>[0][number];

/** What is stored, as a plain map of rows, by `nameOf`, and a plain map of quads, by their texts. */
class Model {
  readonly #rows = new Map<string, Row>();
  readonly #quads = new Map<string, Quad>();
  /** Names of the rows that the commits have written, in the order of commits. */
  readonly commits: string[][] = [];

  write(rows: readonly Row[], { remove, put }: { readonly remove: Quad[]; readonly put: Quad[] }): void {
    for (const one of rows) this.#rows.set(nameOf(one), one);
    for (const one of remove) this.#quads.delete(JSON.stringify(one));
    for (const one of put) this.#quads.set(JSON.stringify(one), one);
    this.commits.push(rows.map(nameOf));
  }

  /** What commits behind the first ones have written, each row once, as it is now. */
  since(commits: number): Row[] {
    const names = new Set(this.commits.slice(commits).flat());
    return [...names].map((name) => this.#rows.get(name) as Row);
  }

  rows(table: string): Row[] {
    const rows = [...this.#rows.values()].filter((one) => one.table === table && one.value !== undefined);
    return rows.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  }

  quads(...graphs: readonly NamedNode[]): Quad[] {
    return [...this.#quads.values()].filter(({ graph }) => graphs.some((one) => one.equals(graph)));
  }
}

const nameOf = ({ table, key }: Row) => JSON.stringify([table, key]);
const sorted = (rows: Iterable<Row>) => [...rows].map((one) => JSON.stringify(plain(one))).sort();

/** Is everything there that the model has, and nothing else? */
async function compare(keep: Reads, model: Model): Promise<void> {
  for (const table of ['letter', 'letters', 'none']) {
    const wanted = model.rows(table);
    expect(await rowsOf(keep, table)).toEqual(wanted);
    expect(await rowsOf(keep, table, 'a')).toEqual(wanted.filter(({ key }) => key.startsWith('a')));
    const found = await keep.get(table, [...wanted.map(({ key }) => key), 'nobody has written this']);
    expect(sorted(found.values())).toEqual(sorted(wanted));
    for (const [key, { value, seal }] of found) expect(seal).toBe(sealOf(table, key, value));
  }
  const [inA, inB] = [await quadsOf(keep), await quadsOf(keep, B)];
  expect([inA.toSorted(), inB.toSorted()]).toEqual([A, B].map((graph) => texts(model.quads(graph)).sort()));
  for (const found of [inA, inB]) {
    const subjects = found.map((one) => JSON.parse(one).subject.value);
    const groups = subjects.filter((subject, i) => subject !== subjects[i - 1]);
    expect(groups).toHaveLength(new Set(subjects).size);
  }
  expect(await quadsOf(keep, B, namedNode('urn:graph:'), A)).toEqual([...inB, ...inA]);
}

/** What every engine does: `Keep`, sentence by sentence. Call it in the test file of an engine. */
export function keepContract(
  name: string,
  createEngine: () => Promise<KeepEngine>,
  { canBeDamaged, canBeRestored }: { readonly canBeDamaged: boolean; readonly canBeRestored: boolean },
): void {
  describe(`the contract of a keep: ${name}`, () => {
    let engine: KeepEngine;
    let places: Place[];
    let place: Place;
    let keep: Keep;

    async function opened(): Promise<Place> {
      const one = await engine.open();
      places.push(one);
      return one;
    }
    /** Another keep of the same service: of another node, where nodes share the data. */
    async function another(): Promise<Keep> {
      return (engine.isShared ? await opened() : place).keep('connection');
    }
    async function reopen(): Promise<void> {
      await Promise.all(places.splice(0).map((one) => one.close()));
      place = await opened();
      keep = await place.keep('connection');
    }

    beforeEach(async () => {
      engine = await createEngine();
      places = [];
      await reopen();
    });
    afterEach(() => Promise.all(places.map((one) => one.close())));

    it('stores what a plain map would, whoever writes, and tells every keep what it has not heard of', async () => {
      const [model, first] = [new Model(), await headOf(keep)];
      let latest = first;
      const here = () => ({ head: latest, commits: model.commits.length });
      const writers = async () => (engine.isShared ? [keep, await another()] : [keep]);
      let keeps = await writers();
      const known = keeps.map(here);
      let heard = here();
      const writing = async ({ by, how, decides, rows, put, remove }: OneWrite) => {
        const at = by % known.length;
        if (how === 'reopen') {
          await reopen();
          keeps = await writers();
          heard = here();
          // Where one node alone has the data open, former heads are forgotten with it.
          if (!engine.isShared) known[at] = here();
        }
        const writer = keeps[at] as Keep;
        const { head, commits } = known[at] as ReturnType<typeof here>;
        const writes = { rows, quads: { remove, put } };
        const decide = () => {
          if (decides === 'failure') throw new RangeError('no');
          return decides === 'writes' ? writes : undefined;
        };
        const isExclusive = how === 'exclusively';
        const done = isExclusive
          ? writer.exclusively(async (now) => {
              await compare(now, model);
              return { ...decide(), result: undefined };
            })
          : writer.commit(head, async (since) => {
              expect(sorted(since.rows)).toEqual(sorted(model.since(commits)));
              return decide();
            });
        if (decides === 'failure') await expect(done).rejects.toThrow(RangeError);
        const led = decides === 'failure' ? undefined : await done;
        const isEmpty = rows.length + put.length + remove.length === 0;
        if (decides === 'writes' && !(isExclusive && isEmpty)) model.write(rows, writes.quads);
        latest = await headOf(writer);
        if (led) {
          expect(led).toEqual(latest);
          known[at] = here();
        }
        expect([latest.epoch, latest.version]).toEqual([first.epoch, first.version + model.commits.length]);
        // Another one than wrote, where there are others.
        await compare(keeps[(at + 1) % known.length] as Keep, model);
      };
      const property = fc.asyncProperty(anyWrites, async (writes) => {
        for (const one of writes) await writing(one);
        const { rows, head } = await keep.tail(heard.head);
        expect(head).toEqual(latest);
        expect(sorted(rows)).toEqual(sorted(model.since(heard.commits)));
        heard = here();
      });
      await fc.assert(property, { numRuns: 12, endOnFailure: true });
      // Quads come in the same order whenever they were put.
      const [all, before] = [model.quads(A, B), await quadsOf(keep, A, B)];
      await write(keep, { quads: { remove: all } });
      await write(keep, { quads: { put: all.toReversed() } });
      expect(await quadsOf(keep, A, B)).toEqual(before);
    });

    describe('rows', () => {
      it('of several tables are one state, and hinder nobody who writes or reads while many read them slowly', async () => {
        const many = Array.from({ length: 5_000 }, (_, i) => row(String(i).padStart(4, '0'), `value ${i}`));
        const head = await write(keep, { rows: [...many, row('a', 'early', 'stamp')] });
        const tables = ['stamp', 'none', 'letter'];
        const readers = Array.from({ length: 8 }, () => keep.rows(tables)[Symbol.asyncIterator]());
        const first = readers.map((reader) => reader.next());
        await first[0];
        const late = [row('late', '1'), row('a', 'late', 'stamp')];
        const next = await keep.commit(head, () => ({ rows: late }));
        expect(next.version).toBe(head.version + 1);
        expect((await keep.get('letter', ['late'])).size).toBe(1);
        expect(await keep.lease('source')).toBeDefined();
        for (const [i, reader] of readers.entries()) {
          const batches: RowBatch[] = [];
          for (let batch = await first[i]; batch && !batch.done; batch = await reader.next())
            batches.push(batch.value);
          // Each table tells at least once, also one that has nothing.
          expect([...new Set(batches.map(({ table }) => table))]).toEqual(tables);
          // Those that waited for their turn see what has been written since.
          const isLate = i > 0 && batches[0]?.head.mark === next.mark;
          for (const batch of batches) expect(batch.head).toEqual(isLate ? next : head);
          const [stamp, ...letters] = batches.flatMap(({ rows }) => rows.map(({ value }) => value));
          expect([stamp, letters.length]).toEqual(isLate ? ['late', 5_001] : ['early', 5_000]);
        }
      });

      if (canBeDamaged)
        it('that are not what was written are damage, wherever they are read', async () => {
          const before = await headOf(keep);
          await write(keep, { rows: [row('a', 'written'), row('b', 'written')] });
          await Promise.all(places.splice(0).map((one) => one.close()));
          await engine.damage?.('connection', row('a', 'writteN'));
          await reopen();
          await expect(rowsOf(keep)).rejects.toThrow(KeepDamaged);
          await expect(keep.get('letter', ['a'])).rejects.toThrow(/"a".*"letter"/);
          expect((await keep.get('letter', ['b'])).size).toBe(1);
          if (engine.isShared)
            await expect(keep.commit(before, () => undefined)).rejects.toThrow(KeepDamaged);
        });
    });

    it('quads by the thousand, while others change them or break off, are one state', async () => {
      const many = Array.from({ length: 3_000 }, (_, i) => says(String(i)));
      await write(keep, { quads: { put: many } });
      for (let i = 0; i < 30; i++) for await (const _batch of keep.quads([A])) break;
      const reading = keep.quads([A, B])[Symbol.asyncIterator]();
      const first = await reading.next();
      await write(keep, { quads: { remove: many, put: [says('late', B)] } });
      const found = [...first.value];
      for (let next = await reading.next(); !next.done; next = await reading.next())
        found.push(...next.value);
      expect(texts(found).sort()).toEqual(texts(many).sort());
      expect(await quadsOf(keep, A, B)).toEqual(texts([says('late', B)]));
    });

    describe('a commit', () => {
      it('refuses what could not be given back, and stores nothing of it', async () => {
        const before = await headOf(keep);
        const term = (object: Quad['object']) =>
          quad(namedNode('urn:s'), namedNode('urn:p'), object, A) as Quad;
        const bad: Writes[] = [
          { rows: [row('', 'a')] },
          { rows: [row('a', 'a', 'No Table')] },
          { rows: [row('a'.repeat(1_201), 'a')] },
          { rows: [row('half \ud83d', 'a')] },
          { rows: [row('a', 'half \ud83d')] },
          { rows: [row('a', 'nought \0')] },
          { quads: { put: [term(says('inner') as unknown as Quad['object'])] } },
          { quads: { put: [term(variable('a') as unknown as Quad['object'])] } },
          { quads: { put: [term(literal('half \ud83d'))] } },
          { quads: { put: [term(namedNode('urn:\0'))] } },
        ];
        for (const { rows = [], quads } of bad) {
          const writes = {
            rows: [row('good', '1'), ...rows],
            quads: { put: [says('a'), ...(quads?.put ?? [])] },
          };
          await expect(keep.commit(before, () => writes)).rejects.toThrow(TypeError);
          await expect(keep.exclusively(async () => ({ ...writes, result: 1 }))).rejects.toThrow(TypeError);
        }
        expect([await headOf(keep), await rowsOf(keep), await quadsOf(keep)]).toEqual([before, [], []]);
        const longest = row('é'.repeat(600), '1');
        await write(keep, { rows: [longest] });
        expect(await rowsOf(keep)).toEqual([longest]);
      });

      it('is made, as a task that runs exclusively is, while nobody else makes one', async () => {
        const keeps = [keep, await another(), await another()];
        const add = (count: string | undefined) => row('count', String(Number(count ?? 0) + 1));
        const counting = async (at: Keep, i: number) => {
          let [head, latest] = [await headOf(at), row('count')];
          for (let n = 0; n < 8; n++) {
            let next = latest;
            head = await at.commit(head, async ({ rows }) => {
              next = add((rows.find(({ key }) => key === 'count') ?? latest).value);
              await Promise.resolve();
              return { rows: [next, row(`${i}-${n}`, 'counted')] };
            });
            latest = next;
            await at.exclusively(async (now) => {
              const found = await now.get('letter', ['count']);
              return { rows: [add(found.get('count')?.value)], result: undefined };
            });
          }
        };
        await Promise.all(keeps.map(counting));
        expect((await rowsOf(keep)).find(({ key }) => key === 'count')?.value).toBe('48');
        expect(await rowsOf(keep)).toHaveLength(25);
      });

      it('upon a head that the data never had is refused, and another epoch has begun, without leases', async () => {
        const before = await headOf(keep);
        const lease = await (await another()).lease('source');
        const strange = { ...before, mark: 'never drawn' };
        const decide = vi.fn(() => ({}));
        await expect(keep.commit(strange, decide)).rejects.toThrow(HeadUnknown);
        expect(decide).not.toHaveBeenCalled();
        await expect(keep.tail(strange)).rejects.toThrow(HeadUnknown);
        const now = await headOf(keep);
        expect(now.version).toBe(before.version + 1);
        expect(now.epoch).not.toBe(before.epoch);
        await expect(keep.commit(strange, () => undefined)).rejects.toThrow(HeadUnknown);
        expect(await headOf(keep)).toEqual(now);
        await expect(keep.commit(now, decide, lease)).rejects.toThrow(LeaseLost);
        expect(await keep.commit(now, () => ({ rows: [row('a', '1')] }))).toMatchObject({ epoch: now.epoch });
      });
    });

    if (canBeRestored)
      it.each(['is behind', 'has overtaken'])(
        'another history that %s what a node knows is noticed by tails and commits: it is one new epoch',
        async (how) => {
          const other = await another();
          await write(keep, { rows: [row('a', '1')] });
          const restore = await engine.backup?.();
          const lost = await write(keep, { rows: [row('a', '2'), row('b', '2')] });
          await restore?.();
          if (how === 'has overtaken')
            for (let i = 0; i < 3; i++) await write(await another(), { rows: [row('c', `${i}`)] });
          const before = await headOf(keep);
          expect(before.epoch).toBe(lost.epoch);
          await expect(other.tail(lost)).rejects.toThrow(HeadUnknown);
          for (const one of [other, keep])
            await expect(one.commit(lost, () => ({ rows: [row('a', '3')] }))).rejects.toThrow(HeadUnknown);
          const now = await headOf(keep);
          expect([now.version, now.epoch === lost.epoch]).toEqual([before.version + 1, false]);
          expect((await keep.get('letter', ['a'])).get('a')?.value).toBe('1');
          await write(keep, { rows: [row('a', '3')] });
        },
      );

    describe('a lease', () => {
      it('has one owner, whoever asks and however many, until it is given back', async () => {
        const keeps = [keep, await another(), await another(), await another()];
        for (let round = 0; round < 5; round++) {
          const taken = (await Promise.all(keeps.map((one) => one.lease('source')))).filter((one) => one);
          expect(taken).toHaveLength(1);
          expect(await keep.lease('source')).toBeUndefined();
          expect(await keep.lease(`other ${round}`)).toBeDefined();
          await taken[0]?.release();
        }
      });

      it('lets its owner commit, and nobody who had it before', async () => {
        const other = await another();
        const lease = await keep.lease('source');
        let head = await keep.commit(await headOf(keep), () => ({ rows: [row('a', '0')] }), lease);
        await engine.expireLeases();
        // It has ended, and is still good until somebody else takes the name.
        head = await keep.commit(head, () => ({ rows: [row('a', '1')] }), lease);
        const taken = await other.lease('source');
        expect(taken?.fence).not.toBe(lease?.fence);
        const late = vi.fn(() => ({ rows: [row('a', 'late')] }));
        await expect(keep.commit(head, late, lease)).rejects.toThrow(LeaseLost);
        expect([late.mock.calls, await rowsOf(keep)]).toEqual([[], [row('a', '1')]]);
        // What the one before gives back is not its own any more.
        await lease?.release();
        await other.commit(head, () => ({ rows: [row('a', '2')] }), taken);
        await taken?.release();
        await expect(other.commit(head, () => ({}), taken)).rejects.toThrow(LeaseLost);
      });
    });

    it('services have rows, heads, leases and tails of their own', async () => {
      const registry = await place.keep('registry');
      const before = await headOf(registry);
      await write(keep, { rows: [row('a', 'private')] });
      expect([await headOf(registry), await rowsOf(registry)]).toEqual([before, []]);
      expect(await keep.lease('source')).toBeDefined();
      expect(await registry.lease('source')).toBeDefined();
      const both = [registry, keep];
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => write(both[i % 2] as Keep, { rows: [row(`k${i}`, 'x')] })),
      );
      expect([(await rowsOf(registry)).length, (await rowsOf(keep)).length]).toEqual([10, 11]);
    });

    it('closing waits for commits under way, and rejects everything afterwards', async () => {
      const head = await headOf(keep);
      const writing = keep.commit(head, () => ({ rows: [row('a', '1')] }));
      await keep.close();
      await writing;
      await keep.close();
      await expect(keep.commit(head, () => ({}))).rejects.toThrow('closed');
      await expect(keep.exclusively(async () => ({ result: 1 }))).rejects.toThrow('closed');
      await expect(keep.get('letter', ['a'])).rejects.toThrow('closed');
      await expect(rowsOf(keep)).rejects.toThrow('closed');
      await expect(quadsOf(keep)).rejects.toThrow('closed');
      await expect(keep.lease('a')).rejects.toThrow('closed');
      await reopen();
      expect(await rowsOf(keep)).toEqual([row('a', '1')]);
    });
  });
}
