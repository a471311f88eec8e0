import { describe, expect, test } from 'vitest';
import type { SourceStatus } from '../../src/explain/source-status.js';
import { networkGraph } from '../../src/pages/network/picture.js';
import { LOOK, lookOf } from '../../src/pages/shell/source-look.js';
import { sourceStatus } from '../support/source-status.js';

const INVALID = [{ document: 'd', subject: 's', reasons: [] }];
const source = (url: string, more: Partial<SourceStatus> = {}) => sourceStatus({ url, ...more });
const ALPHA = 'https://alpha.example';
const BETA = 'https://beta.example';
const POD = 'https://pod.example/';
const ME = 'https://me.example';

/** The graph in words: its columns, and who leads to whom. */
function told(sources: readonly SourceStatus[]) {
  const { columns, edges } = networkGraph(sources, ME);
  const lines = edges.map(({ from, to, what }) => `${to.label} ${what} ${from.label}`);
  return { columns: columns.map((column) => column.map(({ label }) => label)), edges: lines.sort() };
}

const COLUMNS = [['pod.example'], ['alpha.example'], ['beta.example'], ['me.example']];
const KNOWN = ['alpha.example knows pod.example', 'beta.example knows alpha.example'];

describe('the picture of the network', () => {
  test('leads from the pods through the nodes that know them to this node', () => {
    const sources = [
      source(POD, { hops: 2, via: [BETA, ALPHA] }),
      source(BETA, { kind: 'peer' }),
      source(ALPHA, { kind: 'peer', hops: 1, via: [BETA] }),
      source('urn:registry:local', { kind: 'local' }),
    ];
    const read = ['alpha', 'beta', 'pod'].map((name) => `me.example reads ${name}.example`);
    expect(told(sources)).toEqual({ columns: COLUMNS, edges: [...KNOWN, ...read] });
  });

  test('has room for those of a thousand that need attention', () => {
    const odd: Readonly<Record<number, Partial<SourceStatus>>> = {
      700: { state: 'failing' },
      800: { invalid: INVALID },
    };
    const sources = Array.from({ length: 1000 }, (_, i) => source(`https://p${i}.example/`, odd[i]));
    const { columns, edges } = networkGraph(sources, ME);
    expect(columns[0]?.map(({ label, look }) => [label, look])).toEqual([
      ['p700.example', 'failing'],
      ['p800.example', 'attention'],
      ...[0, 1, 2, 3].map((i) => [`p${i}.example`, 'ok']),
      ['994 more pods', 'ok'],
    ]);
    expect(edges).toHaveLength(7);
  });
});

describe('the look of a source', () => {
  test.each([
    [{}, 'ok'],
    [{ invalid: INVALID }, 'attention'],
    [{ failing: [{ url: 'd', error: 'e' }] }, 'attention'],
    [{ state: 'limited' }, 'attention'],
    [{ state: 'failing', invalid: INVALID }, 'failing'],
    [{ state: 'held' }, 'held'],
    [{ state: 'waiting' }, 'waiting'],
  ] as const)('%j is %s', (more, look) => expect(lookOf(source(POD, more))).toBe(look));

  test('has a shape of its own', () => {
    const shapes = Object.values(LOOK).map(({ shape }) => shape);
    expect(new Set(shapes).size).toBe(shapes.length);
  });
});
