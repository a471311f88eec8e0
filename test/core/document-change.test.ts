import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import {
  type DocumentChange,
  documentSteps,
  eachDocumentOnce,
  StepCount,
} from '../../src/core/document-change.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { component } from '../support/registry.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => component(name)) as [Metadata, Metadata, Metadata];
const b2 = component('b', { label: 'b, changed' });
const AUTHORITY = { kind: 'pod', url: 'https://pod.example/', class: 'learned-pod', place: 0 } as const;

function before(said: readonly Metadata[], record: DocumentRecord = {}) {
  return {
    record,
    said,
    find: (uri: string) => said.find((one) => one.uri === uri),
    metadataOf: (one: Metadata) => one,
  };
}

/** The steps in short, as in `changed b`. */
function steps(
  change: Omit<DocumentChange, 'url'>,
  said: readonly Metadata[],
  record?: DocumentRecord,
): string[] {
  return [...documentSteps(change, before(said, record))].map(
    ({ kind, before, after }) => `${kind} ${/(\w+)\.js$/.exec((after ?? before)?.uri ?? '')?.[1]}`,
  );
}

describe('what a change of a document does', () => {
  it.each<[string, Omit<DocumentChange, 'url'>, readonly Metadata[], string[]]>([
    ['a new document', { components: [a, b], record: {} }, [], ['added a', 'added b']],
    ['the first of several descriptions counts', { components: [b2, b], record: {} }, [b], ['changed b']],
    [
      'all that it says',
      { components: [a, b2], record: {} },
      [a, b, c],
      ['kept a', 'changed b', 'removed c'],
    ],
    ['a document that goes', { record: null }, [a, b], ['removed a', 'removed b']],
    ['what is remembered alone', { record: { of: '' } }, [a, b], []],
    [
      'an amendment',
      { amend: { put: [b2, c], remove: [a.uri, c.uri, a.uri] }, record: {} },
      [a, b],
      ['changed b', 'added c', 'removed a'],
    ],
    ['an amendment of what is not there', { amend: { remove: [c.uri] }, record: {} }, [a], []],
    [
      'another authority',
      { amend: { put: [b2], remove: [c.uri] }, record: { authority: AUTHORITY } },
      [a, b, c],
      ['changed b', 'removed c', 'moved a'],
    ],
    [
      'another authority with all that it says',
      { components: [a, b2], record: { authority: AUTHORITY } },
      [a, b, c],
      ['moved a', 'changed b', 'removed c'],
    ],
  ])('%s', (_name, change, said, expected) => {
    expect(steps(change, said)).toEqual(expected);
  });

  it('refuses that a document belongs to another source of a peer without all that it says', () => {
    expect(() => steps({ amend: { put: [b] }, record: { of: 'pod x' } }, [a])).toThrow(TypeError);
    expect(steps({ amend: { put: [b] }, record: { of: 'pod x' } }, [])).toEqual(['added b']);
    expect(steps({ components: [a], record: { of: 'pod x' } }, [a])).toEqual(['kept a']);
  });
});

describe('several changes of documents', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const said = fc.uniqueArray(fc.tuple(name, fc.constantFrom('1', '2')), { selector: ([one]) => one });
  const described = said.map((all) => all.map(([one, label]) => component(one, { label })));
  const change: fc.Arbitrary<DocumentChange> = fc.oneof(
    fc.record({ url: name, components: described, record: fc.constant({}) }),
    fc.record({ url: name, record: fc.constantFrom(null, {}) }),
    fc.record({ url: name, amend: fc.record({ put: described }), record: fc.constant({}) }),
    fc.record({
      url: name,
      amend: fc.record({ remove: fc.array(name.map((one) => component(one).uri)) }),
      record: fc.constant({}),
    }),
    fc.tuple(name, described, name, fc.nat(9)).map(([url, put, gone, etag]) => {
      const remove = [component(gone).uri];
      const amend = { put: put.filter(({ uri }) => !remove.includes(uri)), remove };
      return { url, amend, record: { etag: `${etag}` } };
    }),
  );
  /** What documents say after the changes, and what is remembered of them. */
  const applied = (changes: readonly DocumentChange[]) => {
    const documents = new Map<string, { said: Metadata[]; record: DocumentRecord }>();
    for (const url of ['a', 'b', 'c']) documents.set(url, { said: [a], record: {} });
    for (const one of changes) {
      const { said, record } = documents.get(one.url) ?? { said: [], record: {} };
      const steps = [...documentSteps(one, before(said, record))];
      const named = new Set(steps.map((step) => step.before ?? step.after));
      const after = [
        ...said.filter((each) => !named.has(each)),
        ...steps.flatMap((step) => step.after ?? []),
      ];
      documents.delete(one.url);
      if (one.record) documents.set(one.url, { said: after, record: one.record });
    }
    const sorted = [...documents].map(([url, { said, record }]) => [
      url,
      record,
      said.map(({ uri, label }) => uri + label).sort(),
    ]);
    return sorted.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  };

  it('come to the same as the changes with each document once', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const once = eachDocumentOnce(changes);
        expect(new Set(once.map(({ url }) => url)).size).toBe(once.length);
        expect(applied(once)).toEqual(applied(changes));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what steps do', () => {
  it('is counted, and the first few are named, with labels of a bearable length', () => {
    const count = new StepCount();
    const long = component('long', { label: 'x'.repeat(500) });
    for (const kind of ['added', 'added', 'changed', 'kept', 'moved', 'removed'])
      count.count(kind, () => long);
    expect([count.added, count.changed, count.removed]).toEqual([2, 1, 1]);
    expect(count.examples.added).toEqual(
      [1, 2].map(() => ({ uri: long.uri, label: `${'x'.repeat(100)} …` })),
    );
    for (let i = 0; i < 9; i++) count.count('removed', () => a);
    expect([count.removed, count.examples.removed.length]).toEqual([10, 3]);
  });
});
