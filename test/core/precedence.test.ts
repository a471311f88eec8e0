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

  it('decides between equals by their addresses, whoever came first', () => {
    const [a, b] = [said(pod('https://a.example/')), said(pod('https://b2.example/'))];
    for (const arrived of [
      [a, b],
      [b, a],
    ])
      expect(inOrder(arrived)).toEqual([a, b]);
    const [one, other] = [said(Y, 'https://stranger.example/1'), said(Y, 'https://stranger.example/2')];
    for (const arrived of [
      [one, other],
      [other, one],
    ])
      expect(inOrder(arrived)).toEqual([one, other]);
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
