import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, SAMPLES, type Source } from '../../src/component/source.js';
import {
  type Authority,
  compareStandings,
  precedenceOf,
  STATEMENT_CLASSES,
  type Statement,
  sameAuthority,
} from '../../src/core/precedence.js';

const pod = (url: string): Source => ({ kind: 'pod', url });
const peer = (url: string): Source => ({ kind: 'peer', url });
const Y = peer('https://y.example');
const WITHIN = 'https://host.example/within/';
const PODS = ['https://z.example/', 'https://b.example/', WITHIN];
const precedence = precedenceOf({ pods: PODS, peers: [Y.url] });

const said = (source: Source, graph = LOCAL.url): Statement => ({
  source,
  document: source.kind === 'peer' ? takenFrom(source.url, graph) : source.url,
});

/** Of each class in the order of the design, who is served first. */
const ORDER: readonly (readonly [name: string, Statement])[] = [
  ['configured-pod', said(pod('https://z.example/'))],
  ['configured-pod', said(pod('https://b.example/'))],
  ['own', said(LOCAL)],
  ['configured-peer', said(Y)],
  ['configured-peer', said(Y, 'https://z.example/doc')],
  ['learned-pod', said(pod('https://a.example/'))],
  ['learned-pod', said(pod('https://c.example/'))],
  ['passed-on', said(Y, 'https://stranger.example/doc')],
  ['passed-on', said(Y, `${WITHIN}../stranger/doc`)],
  ['learned-peer', said(peer('https://a.example'))],
  ['learned-peer', said(peer('https://b.example'), 'https://z.example/doc')],
  ['sample', said(SAMPLES)],
];
const STATEMENTS = ORDER.map(([, statement]) => statement);
const inOrder = (statements: readonly Statement[], by = precedence) =>
  [...statements].sort((one, other) => compareStandings(by.standing(one), by.standing(other)));

describe('precedence', () => {
  it('is that of the design, in whatever order the statements arrive', () => {
    expect(STATEMENTS.map((one) => precedence.standing(one).class)).toEqual(ORDER.map(([name]) => name));
    const sorted = fc.shuffledSubarray(STATEMENTS, { minLength: STATEMENTS.length });
    fc.assert(
      fc.property(sorted, (shuffled) => {
        const classes = inOrder(shuffled).map((one) => precedence.standing(one).class);
        expect(classes).toEqual(ORDER.map(([name]) => name));
      }),
    );
  });

  it.each([
    [said(pod('https://a.example/')), said(pod('https://b2.example/'))],
    [said(Y, 'https://stranger.example/1'), said(Y, 'https://stranger.example/2')],
  ])('decides between equals by their addresses, whoever came first', (one, other) => {
    expect(inOrder([one, other])).toEqual([one, other]);
    expect(inOrder([other, one])).toEqual([one, other]);
  });

  it('is told by the ranks of sources and those within them', () => {
    const told = ({ source, ...one }: Statement) =>
      precedence.rank(source) + precedence.rankWithin({ source, ...one });
    for (const one of STATEMENTS) expect(told(one)).toBe(precedence.standing(one).rank);
    for (const one of STATEMENTS) expect(precedence.rankWithin(one)).toBeGreaterThanOrEqual(0);
  });

  it('counts a source that is written twice where it stands first', () => {
    const twice = ['https://a.example/', 'https://b.example/', 'https://a.example/'];
    const { rank } = precedenceOf({ pods: twice, peers: [] });
    expect(rank(pod('https://a.example/'))).toBeLessThan(rank(pod('https://b.example/')));
  });
});

describe('what is configured', () => {
  it('are the sources that the operator has named, and what is of this node', () => {
    const named = [pod(WITHIN), Y, LOCAL, SAMPLES];
    const others = [pod('https://a.example/'), pod(Y.url), peer('https://a.example'), peer(WITHIN)];
    expect(named.map(precedence.isConfigured)).toEqual([true, true, true, true]);
    expect(others.map(precedence.isConfigured)).toEqual([false, false, false, false]);
  });

  it.each([
    ['https://p.example/a', 'configured-peer'],
    ['https://p.example/a/x', 'passed-on'],
    ['https://p.example/b/', 'configured-peer'],
    ['https://p.example/b/x', 'configured-peer'],
    ['https://p.example/b/../c', 'passed-on'],
    ['https://p.example/%62/x', 'passed-on'],
    ['https://p.example/c', 'passed-on'],
    ['https://P.example/b/x', 'passed-on'],
  ])(
    'is, of what a peer passes on, what is within a configured pod to the letter: %s is %s',
    (graph, name) => {
      const pods = ['https://p.example/a', 'https://p.example/b/'];
      expect(precedenceOf({ pods, peers: [Y.url] }).standing(said(Y, graph)).class).toBe(name);
    },
  );
});

describe('precedence on a mirror', () => {
  const upstreams = [peer('https://second.example'), peer('https://first.example')] as const;
  const mirror = precedenceOf({ pods: [], peers: upstreams.map(({ url }) => url) });
  const from = (upstream: Source, name: Authority['class'], of: Source, place = 0): Statement => ({
    ...{ source: upstream, document: 'https://stranger.example/doc' },
    authority: { ...of, class: name, place },
  });

  it('is that of the upstream: trust first, then the upstreams, then their orders', () => {
    const [one, other] = upstreams;
    const A = pod('https://a.example/');
    const order = [
      from(one, 'configured-pod', A, 0),
      from(one, 'configured-pod', A, 1),
      from(other, 'configured-pod', A, 0),
      from(one, 'own', LOCAL),
      from(other, 'own', LOCAL),
      from(other, 'configured-peer', Y),
      from(one, 'learned-pod', A),
      from(other, 'learned-peer', Y),
    ];
    expect(inOrder(order.toReversed(), mirror)).toEqual(order);
    const told = order.map((one) => mirror.rank(one.source) + mirror.rankWithin(one));
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it('keeps the classes apart, however many sources and upstreams there are', () => {
    const many = Array.from({ length: 1100 }, (_, i) => `https://${i}.example`);
    const last = peer('https://1099.example');
    const order = [
      from(last, 'configured-pod', LOCAL, 5_000_000),
      from(peer('https://0.example'), 'own', LOCAL),
    ];
    expect(inOrder(order.toReversed(), precedenceOf({ pods: [], peers: many }))).toEqual(order);
  });

  it('knows when the authority of a document is another one', () => {
    const one: Authority = { kind: 'pod', url: 'https://a.example/', class: 'learned-pod', place: 1 };
    const others: (Authority | undefined)[] = [
      ...[undefined, { ...one, kind: 'peer' as const }, { ...one, url: 'https://b.example/' }],
      ...[
        { ...one, class: 'configured-pod' as const },
        { ...one, place: 2 },
      ],
    ];
    for (const other of others) expect(sameAuthority(one, other)).toBe(false);
    expect([sameAuthority(one, { ...one }), sameAuthority(undefined, undefined)]).toEqual([true, true]);
    expect(sameAuthority(undefined, one)).toBe(false);
  });

  it('shows who says it at the upstream; what is its own counts as configured', () => {
    const [upstream] = upstreams;
    const trustIn = (name: Authority['class']) => mirror.standing(from(upstream, name, LOCAL)).trust;
    expect(STATEMENT_CLASSES.map(({ name }) => trustIn(name))).toEqual([
      ...['configured', 'configured', 'configured', 'learned', 'learned', 'learned', 'configured'],
    ]);
    const shared = {
      ...from(upstream, 'learned-pod', pod('https://a.example/')),
      document: takenFrom('pod https://a.example/', 'https://a.example/in/doc'),
    };
    const { source, document } = mirror.standing(shared);
    expect([source, document]).toEqual([pod('https://a.example/'), 'https://a.example/in/doc']);
  });
});
