import { describe, expect, test } from 'vitest';
import { NO_NETWORK } from '../../src/core/network-lists.js';
import type { SourceStatus } from '../../src/explain/source-status.js';
import { networkGraph } from '../../src/pages/network/graph.js';
import { picture } from '../../src/pages/network/picture.js';
import { LOOKS, lookOf, shapeOf } from '../../src/pages/shell/source-look.js';

const source = (url: string, more: Partial<SourceStatus> = {}): SourceStatus => ({
  ...{ url, kind: 'pod', configured: true, hops: 0, via: [], state: 'ok' },
  ...{ failures: 0, components: 1, documents: 1, invalid: [], failing: [] },
  ...more,
});
const ALPHA = 'https://alpha.example';
const BETA = 'https://beta.example';
const POD = 'https://pod.example/';
const me = { baseUrl: 'https://me.example', mode: 'registry', lists: NO_NETWORK };

/** The graph in words: its columns, and who leads to whom. */
function told(state: Parameters<typeof networkGraph>[0]) {
  const { columns, edges } = networkGraph(state);
  const lines = edges.map(({ from, to, what }) => `${to.label} ${what} ${from.label}`);
  return { columns: columns.map((column) => column.map(({ label }) => label)), edges: lines.sort() };
}

describe('the picture of the network', () => {
  test('leads from the pods through the nodes that know them to this node', () => {
    const sources = [
      source(POD, { hops: 2, via: [BETA, ALPHA] }),
      source(BETA, { kind: 'peer' }),
      source(ALPHA, { kind: 'peer', hops: 1, via: [BETA] }),
      source('urn:registry:local', { kind: 'local' }),
    ];
    expect(told({ ...me, sources })).toEqual({
      columns: [['pod.example'], ['alpha.example'], ['beta.example'], ['me.example']],
      edges: [
        'alpha.example knows pod.example',
        'beta.example knows alpha.example',
        'me.example reads alpha.example',
        'me.example reads beta.example',
        'me.example reads pod.example',
      ],
    });
  });

  test('of a mirror shows what its upstream knows, as far as it does', () => {
    const lists = {
      peers: [{ url: ALPHA, hops: 0, via: [] }],
      storage: [{ url: POD, hops: 1, via: [ALPHA] }],
    };
    const state = { ...me, mode: 'mirror', lists, sources: [source(BETA, { kind: 'peer' })] };
    expect(told(state)).toEqual({
      columns: [['pod.example'], ['alpha.example'], ['beta.example'], ['me.example']],
      edges: [
        'alpha.example knows pod.example',
        'beta.example knows alpha.example',
        'me.example reads beta.example',
      ],
    });
    expect(String(picture(state))).toContain('known through others');
  });

  test('has room for those of a thousand that need attention', () => {
    const sources = Array.from({ length: 1000 }, (_, i) =>
      source(
        `https://p${i}.example/`,
        i === 700
          ? { state: 'failing' }
          : i === 800
            ? { invalid: [{ document: 'd', subject: 's', reasons: [] }] }
            : {},
      ),
    );
    const [pods = []] = networkGraph({ ...me, sources }).columns;
    expect(pods.map(({ label, look }) => [label, look])).toEqual([
      ['p700.example', 'failing'],
      ['p800.example', 'attention'],
      ...[0, 1, 2, 3].map((i) => [`p${i}.example`, 'ok']),
      ['994 more pods', 'ok'],
    ]);
    expect(String(picture({ ...me, sources })).length).toBeLessThan(12_000);
  });

  test('says in words what it shows, and has a legend of the shapes in it', () => {
    const text = String(
      picture({ ...me, sources: [source(POD, { state: 'failing' }), source(BETA, { kind: 'peer' })] }),
    );
    expect(text).toContain('This node reads 1 pod and 1 node; 1 of them fails.');
    expect(text).toMatch(/role="img" aria-labelledby="wide-title wide-words"/);
    expect(text.match(/<li>.*?<\/li>/gs)?.map((line) => line.replaceAll(/<[^>]*>/g, '').trim())).toEqual([
      'ok',
      'failing',
    ]);
  });

  test('is not drawn of a node alone', () => {
    expect(String(picture({ ...me, sources: [] }))).not.toContain('<svg');
  });
});

describe('the look of a source', () => {
  test.each([
    [{}, 'ok'],
    [{ invalid: [{ document: 'd', subject: 's', reasons: [] }] }, 'attention'],
    [{ failing: [{ url: 'd', error: 'e' }] }, 'attention'],
    [{ state: 'limited' }, 'attention'],
    [{ state: 'failing', invalid: [{ document: 'd', subject: 's', reasons: [] }] }, 'failing'],
    [{ state: 'held' }, 'held'],
    [{ state: 'waiting' }, 'waiting'],
  ] as const)('%j is %s', (more, look) => expect(lookOf(source(POD, more))).toBe(look));

  test('has a shape of its own', () => {
    expect(new Set(LOOKS.map(shapeOf)).size).toBe(LOOKS.length);
  });
});
