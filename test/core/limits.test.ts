import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf } from '../../src/component/component-size.js';
import type { Metadata } from '../../src/component/metadata.js';
import { type Amount, isWithin, larger } from '../../src/core/amount.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { allowance, amountOfAll, fitsMore } from '../../src/core/limits.js';
import { batchOf, ENOUGH, Judged, most, reading } from './judged.js';

const INVALID = [{ subject: 's', reasons: ['r'] }];

it.each<[what: string, steps: readonly (string | Amount)[], stored: string]>([
  ['uris tell what is left out', [most(4), 'd: a b; e: z y x'], 'd: a b; e: x y (1 left out)'],
  ['what is stored stays before what comes', [most(3), 'd: m n o', 'd: a m n o'], 'd: m n o (1 left out)'],
  ['also before other documents', [most(2), 'd: m n', 'e: a'], 'd: m n; e: (1 left out)'],
  ['what goes gives its room to what comes', [most(3), 'd: a b; e: c', 'f: x y; -d'], 'e: c; f: x y'],
  ['nothing is taken behind what has no room', [most(9, 1000), 'd: a! b'], 'd: (2 left out)'],
  ['what a reader has left out is counted', [most(1), 'd: a b (3 left out)'], 'd: a (4 left out)'],
  ['what has no room is counted on', [most(3), 'd+ a b z', 'd+ c d', 'd+ e -a'], 'd: b e z (2 left out)'],
  ['a limit never withdraws', [ENOUGH, 'd: a b; e+ x y', most(1, 100), 'd: a! b; e+ x!'], 'd: a b; e: x y'],
  ['what takes no more room is news', [ENOUGH, 'd: a b; e+ x', most(1, 100), 'd: a=A'], 'd: a=A; e: x'],
])('%s', async (_, steps, stored) => {
  const source = new Judged();
  for (const step of steps) {
    if (typeof step === 'string') await source.poll(step);
    else source.limit = step;
  }
  expect(source.stored).toBe(stored);
});

it('whatever a source says is stored as far as there is room, and what is stored stays', async () => {
  const documents = ['d', 'e', 'f'];
  const parts = fc.tuple(fc.constantFrom(...'abcdef'), fc.constantFrom('', '=news', '!'));
  const word = parts.map((all) => all.join(''));
  const words = fc.uniqueArray(word, { selector: ([name]) => name, maxLength: 6 });
  const gone = fc.uniqueArray(fc.constantFrom(...'abcdef'), { maxLength: 3 });
  const document = fc.tuple(fc.constantFrom(...documents), words, fc.option(gone)).map(([url, put, out]) => {
    const stays = put.filter(([name = '']) => !out?.includes(name));
    return `${url}${out ? '+' : ':'} ${[...stays, ...(out ?? []).map((name) => `-${name}`)].join(' ')}`;
  });
  const read = fc.uniqueArray(document, { selector: ([url]) => url, maxLength: 3 });
  const lost = fc.subarray(documents.map((url) => `-${url}`));
  const poll = fc.tuple(read, lost, fc.constantFrom('', '…')).map(([put, out, end]) => {
    const parts = [...put, ...out.filter(([, url]) => put.every(([one]) => one !== url))];
    return `${parts.join('; ')}${end}`;
  });
  const limit = fc.record({ components: fc.nat(12), bytes: fc.integer({ min: 200, max: 8000 }) });
  const said = ({ said }: Pick<Judged, 'said'>, url: string) => said.get(url) ?? new Map<string, Metadata>();

  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(limit, poll), { maxLength: 5 }), async (polls) => {
      // What is stored, and what would be if there were room for everything.
      const [source, all] = [Object.assign(new Judged(), { accepts: true }), new Judged()];
      for (const [limit, text] of polls) {
        const batch = batchOf(text);
        const { put, gone, complete } = batch;
        const [old, amount] = [{ said: new Map(source.said) }, amountOfAll(source.documents)];
        source.limit = limit;
        await source.poll(batch);
        all.store([...put, ...(complete ? gone : []).map((url) => ({ url, record: null }))]);
        expect(isWithin(amountOfAll(source.documents), larger(limit, amount))).toBe(true);
        for (const url of documents) {
          const [now, was, is] = [said(all, url), said(old, url), said(source, url)];
          for (const [uri, one] of is)
            expect([now.get(uri), now.has(uri) && was.get(uri)]).toContainEqual(one);
          for (const uri of was.keys()) expect(is.has(uri)).toBe(now.has(uri));
          const record = source.documents.get(url);
          expect(record?.size ?? 0).toBe([...is.values()].reduce((sum, one) => sum + sizeOf(one), 0));
          if (!record || put.every((one) => one.url !== url || !one.components)) continue;
          const left = [...now.keys()].filter((uri) => now.get(uri) !== is.get(uri)).sort();
          const omitted = left.filter((uri) => !was.has(uri));
          const [first] = [...left.filter((uri) => was.has(uri)), ...omitted];
          const sizeIn = (all: ReadonlyMap<string, Metadata>) => {
            const one = all.get(first ?? '');
            return one ? sizeOf(one) : 0;
          };
          const needs = first && sizeIn(now) - sizeIn(was);
          expect([record.omitted, record.firstOmitted]).toEqual([omitted.length || undefined, needs]);
          for (const uri of is.keys()) expect(was.has(uri) || !omitted.some((one) => one < uri)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

describe('a limit', () => {
  it('of components goes with one of bytes, in which a single one of the largest size has room', () => {
    expect([allowance(100_000), allowance(1)]).toEqual([most(100_000, 51_200_000), most(1, 1_000_000)]);
  });

  it('counts what it takes to remember a document, and what is wrong in it', () => {
    const bytes = (url: string, more: DocumentRecord) =>
      amountOfAll(new Map([[url, { components: 1, size: 50, ...more }]])).bytes;
    expect([bytes('', {}), bytes('12345', {})]).toEqual([250, 255]);
    expect(bytes('', { invalid: INVALID })).toBe(250 + JSON.stringify(INVALID).length);
  });

  it('is not crossed by news that are shorter, also where more of the document is invalid now', async () => {
    const source = await Judged.of({}, 'd: a=longer b');
    source.limit = amountOfAll(source.documents);
    await source.poll({ put: [reading('d', 'a b c', { invalid: INVALID })] });
    expect(source.stored).toBe('d: a b (1 left out)');
  });

  it('leaves out and counts documents that do not even fit by name', async () => {
    const source = await Judged.of({ limit: most(1000, 150) });
    expect(await source.poll({ put: [reading('d', 'a')], unread: 3 })).toMatchObject({ unread: 4 });
    expect(source.stored).toBe('');
  });

  it('is as it was for what is only remembered anew', async () => {
    const source = await Judged.of({ limit: most(2) }, 'd: a b c');
    const { size, firstOmitted } = source.records.get('d') ?? {};
    await source.poll({ put: [{ url: 'd', record: { etag: '"2"' } }] });
    expect(source.records.get('d')).toEqual({ etag: '"2"', omitted: 1, size, firstOmitted });
  });

  it.each([
    [{ omitted: 2, firstOmitted: 100 }, most(1, 100), true],
    [{ omitted: 2, firstOmitted: 100 }, most(1, 99), false],
    [{ omitted: 2, firstOmitted: 100 }, most(0, 100), false],
    [{ omitted: 2 }, most(1, 512), true],
    [{ omitted: 2 }, most(1, 511), false],
    [{}, most(9, 900), false],
    [{ firstOmitted: 100 }, most(0, 100), true],
    [{ firstOmitted: 100 }, most(0, 99), false],
  ])('is told from room for more: %o in %o: %s', (record, room, expected) => {
    expect(fitsMore(record, room)).toBe(expected);
  });
});
