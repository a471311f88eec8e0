import fc from 'fast-check';
import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, SAMPLES, type Source } from '../../src/component/source.js';
import {
  compareStandings,
  type Precedence,
  precedenceOf,
  STATEMENT_CLASSES,
  type Statement,
  type StatementClass,
  sameAuthority,
} from '../../src/core/precedence.js';
import { expectLinear } from '../support/processor-time.js';

const pod = (url: string): Source => ({ kind: 'pod', url });
const peer = (url: string): Source => ({ kind: 'peer', url });
const [Y, A] = [peer('https://y.example'), pod('https://a.example/')];
const WITHIN = 'https://host.example/within/';
const PODS = ['https://z.example/', 'https://b.example/', WITHIN];
const order = precedenceOf({ pods: PODS, peers: [Y.url] });

function said(source: Source, graph = LOCAL.url): Statement {
  return { source, document: source.kind === 'peer' ? takenFrom(source.url, graph) : source.url };
}

/** Who is served first, of each class in the order of the design, and of one class by address. */
const ORDER: readonly (readonly [name: StatementClass, Statement])[] = [
  ['configured-pod', said(pod('https://z.example/'))],
  ['configured-pod', said(pod('https://b.example/'))],
  ['own', said(LOCAL)],
  ['configured-peer', said(Y, 'https://z.example/doc')],
  ['configured-peer', said(Y)],
  ['learned-pod', said(A)],
  ['learned-pod', said(pod('https://c.example/'))],
  ['passed-on', said(Y, 'https://stranger.example/1')],
  ['passed-on', said(Y, 'https://stranger.example/2')],
  ['learned-peer', said(peer('https://a.example'))],
  ['learned-peer', said(peer('https://b.example'), 'https://z.example/doc')],
  ['sample', said(SAMPLES)],
];
const STATEMENTS = ORDER.map(([, statement]) => statement);

/** On a mirror of two nodes: by what the upstream says, then by upstream, then by place there. */
const [FIRST, SECOND] = [peer('https://second.example'), peer('https://first.example')];
const mirror = precedenceOf({ pods: [], peers: [FIRST.url, SECOND.url] });
function from(upstream: Source, name: StatementClass, of: Source, place = 0): Statement {
  const authority = { ...of, class: name, place };
  return { source: upstream, document: 'https://stranger.example/doc', authority };
}
const MIRRORED = [
  from(FIRST, 'configured-pod', A, 0),
  from(FIRST, 'configured-pod', A, 1),
  from(SECOND, 'configured-pod', A, 0),
  from(FIRST, 'own', LOCAL),
  from(SECOND, 'own', LOCAL),
  from(SECOND, 'configured-peer', Y),
  from(FIRST, 'learned-pod', A),
  from(SECOND, 'learned-peer', Y),
];
const compareBy =
  ({ standing }: Precedence) =>
  (one: Statement, other: Statement) =>
    compareStandings(standing(one), standing(other));

it.each<[where: string, Precedence, readonly Statement[]]>([
  ['of the design', order, STATEMENTS],
  ['of the upstream on a mirror', mirror, MIRRORED],
])('the order is that %s, whatever comes first, and ranks tell it', (_, by, all) => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...all], { minLength: all.length }), (shuffled) => {
      expect(shuffled.sort(compareBy(by))).toEqual(all);
    }),
  );
  const told = all.map((one) => by.rank(one.source) + by.rankWithin(one));
  expect(told).toEqual(told.toSorted((one, other) => one - other));
  if (by === order) expect(told).toEqual(all.map((one) => by.standing(one).rank));
  for (const one of all) expect(by.rankWithin(one)).toBeGreaterThanOrEqual(0);
});

it('classes are kept apart, however many sources and upstreams there are', () => {
  const many = Array.from({ length: 1100 }, (_, i) => `https://${i}.example`);
  const compare = compareBy(precedenceOf({ pods: [], peers: many }));
  const last = from(peer('https://1099.example'), 'configured-pod', LOCAL, 5_000_000);
  expect(compare(last, from(peer('https://0.example'), 'own', LOCAL))).toBeLessThan(0);
});

it('a statement stands in its class, and a source that is written twice where it stands first', () => {
  expect(STATEMENTS.map((one) => order.standing(one).class)).toEqual(ORDER.map(([name]) => name));
  const { rank } = precedenceOf({ pods: [A.url, 'https://b.example/', A.url], peers: [] });
  expect(rank(A)).toBeLessThan(rank(pod('https://b.example/')));
});

it('what the operator has named is configured, and what is of this node', () => {
  const named = [pod(WITHIN), Y, LOCAL, SAMPLES];
  const others = [A, pod(Y.url), peer('https://a.example'), peer(WITHIN)];
  expect(named.map(order.isConfigured)).toEqual([true, true, true, true]);
  expect(others.map(order.isConfigured)).toEqual([false, false, false, false]);
});

it.each<[document: string, isTrusted: boolean]>([
  ['https://p.example/a', true],
  ['https://p.example/a/x', false],
  ['https://p.example/b/', true],
  ['https://p.example/b/x', true],
  ['https://p.example/b/../c', false],
  ['https://p.example/%62/x', false],
  ['https://p.example/c', false],
  ['https://P.example/b/x', false],
  ['https://p.example:99999/b/x', false],
])('a peer passes on what is within a configured pod, to the letter: %s %s', (graph, isTrusted) => {
  const pods = ['https://p.example/a', 'https://p.example/b/', 'https://p.example:99999/b/'];
  const { standing } = precedenceOf({ pods, peers: [Y.url] });
  expect(standing(said(Y, graph)).class).toBe(isTrusted ? 'configured-peer' : 'passed-on');
});

it('the authority of a document is another one when its source, class or place is', () => {
  const one = { ...A, class: 'learned-pod', place: 1 } as const;
  const others = [{ kind: 'peer' }, { url: 'https://b.example/' }, { class: 'own' }, { place: 2 }] as const;
  for (const other of others) expect(sameAuthority(one, { ...one, ...other })).toBe(false);
  expect([sameAuthority(undefined, one), sameAuthority(one, undefined)]).toEqual([false, false]);
  expect([sameAuthority(one, { ...one }), sameAuthority(undefined, undefined)]).toEqual([true, true]);
});

it('a mirror shows who says it at the upstream; what is its own counts as configured', () => {
  const trusts = STATEMENT_CLASSES.map(({ name }) => mirror.standing(from(FIRST, name, LOCAL)).trust);
  const [c, l] = ['configured', 'learned'];
  expect(trusts).toEqual([c, c, c, l, l, l, c]);
  const shared = takenFrom(`pod ${A.url}`, 'https://a.example/in/doc');
  const standing = mirror.standing({ ...from(FIRST, 'learned-pod', A), document: shared });
  expect(standing).toMatchObject({ source: A, document: 'https://a.example/in/doc' });
});

it('the order of what is passed on costs what there is to order, however many pods are named', async () => {
  await expectLinear(1_500, (count) => {
    const pods = Array.from({ length: count }, (_, i) => `https://host.example/${i}/`);
    const { standing } = precedenceOf({ pods, peers: [Y.url] });
    const classes = pods.map((one) => standing(said(Y, `${one}doc`)).class);
    expect(new Set(classes)).toEqual(new Set(['configured-peer']));
  });
});
