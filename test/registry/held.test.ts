import { expect, it } from 'vitest';
import { withoutPause } from '../../src/lib/pace.js';
import { Held } from '../../src/registry/held.js';
import { partRowKey, sourceRowKey } from '../../src/registry/row-keys.js';
import { POD_A, POD_B, precedence } from './sources.js';

const NONE = { sources: new Map(), hashes: new Map(), documents: new Map() };

function sourceRows(position: number, ...sources: (typeof POD_A)[]) {
  return new Map(
    sources.map((source) => [
      sourceRowKey(source),
      { source, record: { failures: 0 }, rank: 0, position, seals: 0 },
    ]),
  );
}

function documentRows(source: typeof POD_A, ...documents: string[]) {
  return new Map(
    documents.map((document) => [partRowKey(source, document), { source, document, record: {} }]),
  );
}

it('shares with what was held before what a commit does not change, and leaves that as it was', async () => {
  const breathe = withoutPause();
  const documents = new Map([...documentRows(POD_A, 'a'), ...documentRows(POD_B, 'b')]);
  const first = await new Held(precedence).with(
    { ...NONE, sources: sourceRows(1, POD_A, POD_B), documents },
    breathe,
  );
  const viewOf = (held: Held, source: typeof POD_A) => {
    const known = held.source(source);
    return known && held.stored(known, () => 1);
  };
  const [a, b] = [viewOf(first, POD_A), viewOf(first, POD_B)];
  const again = await first.with({ ...NONE, sources: sourceRows(2, POD_A) }, breathe);
  expect(again.source(POD_A)?.documents).toBe(first.source(POD_A)?.documents);
  expect(viewOf(again, POD_A)).not.toBe(a);
  const more = { ...NONE, sources: sourceRows(3, POD_A), documents: documentRows(POD_A, 'more') };
  const second = await again.with(more, breathe);
  expect(viewOf(second, POD_B)).toBe(b);
  expect([...(viewOf(second, POD_A)?.documents.keys() ?? [])]).toEqual(['a', 'more']);
  expect([...(viewOf(first, POD_A)?.documents.keys() ?? [])]).toEqual(['a']);
  expect(first.source(POD_A)?.position).toBe(1);
});
