import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { type DocumentChange, documentSteps, StepCount } from '../../src/core/document-change.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { component } from './component.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => component(name)) as [Metadata, Metadata, Metadata];
const b2 = component('b', { label: 'b, changed' });
const AMEND = { put: [b2, c], remove: [a.uri, c.uri, a.uri] };
const AUTHORITY = { kind: 'pod', url: 'https://pod.example/', class: 'learned-pod', place: 0 } as const;

/** The steps in short, as in `changed b`. */
function steps(
  change: Omit<DocumentChange, 'url'>,
  before: readonly Metadata[],
  record: DocumentRecord = {},
): string[] {
  const said = before.map((metadata) => ({ uri: metadata.uri, metadata }));
  const find = (uri: string) => said.find((one) => one.uri === uri);
  return [...documentSteps(change, record, { said, find })].map((step) => {
    const { uri } = step.after ?? step.before;
    return `${step.kind} ${/(\w+)\.js$/.exec(uri)?.[1]}`;
  });
}

const AGAIN = { authority: AUTHORITY };
describe('what a change of a document does', () => {
  it.each<[string, Omit<DocumentChange, 'url'>, readonly Metadata[], steps: string]>([
    ['a new document', { components: [a, b], record: {} }, [], 'added a, added b'],
    ['the first description of several', { components: [b2, b], record: {} }, [b], 'changed b'],
    ['all that it says', { components: [a, b2], record: {} }, [a, b, c], 'kept a, changed b, removed c'],
    ['a document that goes', { record: null }, [a, b], 'removed a, removed b'],
    ['what is remembered alone', { record: { of: '' } }, [a, b], ''],
    ['an amendment', { amend: AMEND, record: {} }, [a, b], 'changed b, added c, removed a'],
    ['an amendment of nothing', { amend: { remove: [c.uri] }, record: {} }, [a], ''],
    ['another authority', { record: AGAIN }, [a, b], 'moved a, moved b'],
    ['that and an amendment', { amend: AMEND, record: AGAIN }, [a, b], 'changed b, added c, removed a'],
    ['that and all else', { amend: { put: [b2] }, record: AGAIN }, [a, b, c], 'changed b, moved a, moved c'],
    ['that and all that it says', { components: [a, b2], record: AGAIN }, [a, b], 'moved a, changed b'],
  ])('%s', (_, change, said, expected) => {
    expect(steps(change, said)).toEqual(expected.split(', ').filter(Boolean));
  });

  it('refuses that a document belongs to another source of a peer without all that it says', () => {
    expect(() => steps({ amend: { put: [b] }, record: { of: 'pod x' } }, [a])).toThrow(TypeError);
    expect(steps({ amend: { put: [b] }, record: { of: 'pod x' } }, [])).toEqual(['added b']);
    expect(steps({ components: [a], record: { of: 'pod x' } }, [a])).toEqual(['kept a']);
  });
});

it('what steps do is counted, and the first few are named, with labels of a bearable length', () => {
  const count = new StepCount();
  const long = component('long', { label: 'x'.repeat(500) });
  for (const kind of ['added', 'added', 'changed', 'kept', 'moved', 'removed']) count.count(kind, () => long);
  expect([count.added, count.changed, count.removed]).toEqual([2, 1, 1]);
  const named = { uri: long.uri, label: `${'x'.repeat(100)} …` };
  expect(count.examples).toEqual({ added: [named, named], changed: [named], removed: [named] });
  for (let i = 0; i < 9; i++) count.count('removed', () => a);
  expect([count.removed, count.examples.removed.length]).toEqual([10, 3]);
});
