import { describe, expect, it } from 'vitest';
import {
  createDiscovery,
  type Discovered,
  type DiscoveryRules,
  type Introductions,
} from '../../src/core/discovery.js';
import type { NetworkLists } from '../../src/core/network-lists.js';
import { publicRefusals, RefusalTally } from '../../src/core/refusal.js';
import { DISCOVERY, discovered } from '../support/discovered.js';

/** Names stand for addresses: the peer `a` is https://a.example, the pod `a` is https://a.example/. */
const node = (name: string) => (/[:/]/.test(name) ? name : `https://${name}.example`);
const pod = (name: string) => (/[:/]/.test(name) ? name : `https://${name}.example/`);
const nameOf = (url: string) => url.replace(/^https:\/\/(\w+)\.example\/?$/, '$1');
const words = (text = '') => text.split(' ').filter(Boolean);
/** A list in short: `a b+2` are the address of a, and that of b with 2 hops. */
function listed(text: string | undefined, urlOf = pod): NetworkLists['peers'] {
  const parts = words(text).map((word) => word.split('+'));
  return parts.map(([name = '', hops = '0']) => ({ url: urlOf(name), hops: Number(hops), via: [] }));
}
/** What peers say, in short: their lists of peers and of pods, with `|` between. */
function introductions(said: Readonly<Record<string, string>>): Introductions {
  const lists = Object.entries(said).map(([name, text]) => {
    const [peers, storage] = text.split('|');
    return [node(name), { peers: listed(peers, node), storage: listed(storage) }] as const;
  });
  return new Map(lists);
}

type More = Partial<DiscoveryRules['discovery']>;
function rulesWith(more: More = {}, other: Partial<DiscoveryRules> = {}): DiscoveryRules {
  return {
    ...{ baseUrl: 'https://me.example', network: { allowPrivate: false }, mode: 'registry' },
    ...{ peers: [{ url: node('honest') }, { url: node('liar') }], pods: [{ url: pod('mine') }] },
    ...{ discovery: { ...DISCOVERY, ...more }, ...other },
  };
}
const discover = (said: Introductions, rules: DiscoveryRules) => discovered(createDiscovery(rules), said);
/** What is learned, in short: `far 2 honest near` has two hops, by these two peers; pods behind a slash. */
function learned({ lists }: Discovered): string {
  const told = ({ url, hops, via }: NetworkLists['peers'][number]) =>
    hops > 0 ? [nameOf(url), hops, ...via.map(nameOf)].join(' ') : [];
  return [lists.peers, lists.storage].map((list) => list.flatMap(told).join(', ')).join(' / ');
}

const WAY = { honest: 'near there+2 | p q+1 r+2', near: 'far | s p', far: 'beyond | t' };
const [NEAR, FAR] = ['near 1 honest', 'far 2 honest near'];
const [PODS, BEYOND] = [
  'p 1 honest, q 2 honest, s 2 honest near',
  'beyond 3 honest near far, there 3 honest',
];
const DROPPED = { peers: [{ url: node('liar') }] };
const DOCUMENT = 'https://x.example/d';
const PRIVATE = 'http://127.1 http://[::ffff:127.0.0.1] http://node.localhost';

describe('what a node learns from its peers', () => {
  it.each<[string, said: Record<string, string>, learned: string, More?, Partial<DiscoveryRules>?]>([
    ['nothing, where it wants nothing', WAY, ' / ', { depth: 0 }],
    ['what is within one hop', WAY, `${NEAR} / p 1 honest`, { depth: 1 }],
    ['within two', WAY, `${NEAR}, ${FAR} / ${PODS}`, { depth: 2 }],
    ['and three', WAY, `${NEAR}, ${FAR}, ${BEYOND} / ${PODS}, r 3 honest, t 3 honest near far`],
    ['nothing that its last sponsor drops', WAY, ' / ', {}, DROPPED],
    ['each node once', { liar: 'https://a.example/ a HTTPS://A.example:443' }, 'a 1 liar / '],
    ['each document once', { liar: `| ${DOCUMENT} https://X.example/d` }, ` / ${DOCUMENT} 1 liar`],
    ['not itself', { liar: 'HTTPS://ME.example:443/' }, ' / '],
    ['nothing that looks private', { liar: PRIVATE }, ' / '],
    ['of several, the closest', { liar: 'y+1 x', honest: 'y' }, 'x 1 liar, y 1 honest / '],
    ['and of those the first', { liar: 'x', honest: 'x' }, 'x 1 honest / '],
    ['from each its part', { liar: '| b a', honest: '| y z' }, ' / a 1 liar, y 1 honest', { maxPods: 2 }],
    ['in turns', { liar: '| b a c', honest: '| y' }, ' / a 1 liar, b 1 liar, y 1 honest', { maxPods: 3 }],
    ['the closest first', { liar: '| a+1 b', honest: '| y' }, ' / b 1 liar, y 1 honest', { maxPods: 2 }],
  ])('%s', (_, said, expected, more, other) => {
    expect(learned(discover(introductions(said), rulesWith(more, other)))).toBe(expected);
  });

  it('is on a mirror what its upstreams list, in their words, each address once', () => {
    const other = 'c https://b.example/ | https://P.example https://p.example/x q';
    const said = introductions({ honest: 'b a+1 | p q+2', liar: other });
    const { lists } = discover(said, rulesWith({}, { mode: 'mirror' }));
    expect(lists).toEqual({ peers: listed('b a+1 c', node), storage: listed('p q https://p.example/x') });
  });
});

describe('what a node does not take from its peers', () => {
  const [VIA, few] = [node('liar'), { depth: 1, maxPods: 1, deny: ['*.denied.example', 'b.example'] }];
  const refusedOf = (peers: string, storage: string, more: More = few, other: Partial<DiscoveryRules> = {}) =>
    discover(introductions({ liar: `${peers} | ${storage}` }), rulesWith(more, other)).refused;

  it('is counted by its reason, and named with who told of it', () => {
    const peers = 'https://me.example/ http://127.0.0.1:3000 https://a.denied.example';
    const { refusals } = refusedOf(peers, 'far+3 a b c');
    const counts = { own: 1, 'private-address': 1, denied: 2, 'beyond-depth': 1, 'over-cap': 1 };
    expect(refusals.counts).toEqual(counts);
    expect(refusals.examples).toContainEqual({ url: pod('b'), kind: 'pod', via: VIA, reason: 'denied' });
    expect(refusals.examples).toContainEqual({ url: pod('c'), kind: 'pod', via: VIA, reason: 'over-cap' });
    const examples = refusals.examples.filter(({ url }) => !url.includes('127'));
    expect(publicRefusals(refusals)).toEqual({ counts, examples });
  });

  it('is nothing that the operator has named, however a peer came to know of it', () => {
    const own = { url: pod('mine'), hops: 0, via: [node('me')] };
    const said = new Map([[VIA, { peers: [], storage: [own] }]]);
    const { refusals, refusalsAbove } = discover(said, rulesWith()).refused;
    expect([refusals.counts, refusalsAbove([`${own.url}d`])]).toEqual([{}, []]);
  });

  it('is what lies just behind the horizon, as far as a peer at the edge tells it', () => {
    const said = introductions({ honest: 'edge', edge: 'behind' });
    const { refusals, unintendedBy } = discover(said, rulesWith({ depth: 1 })).refused;
    expect([refusals.counts, unintendedBy.size]).toEqual([{ 'beyond-depth': 1 }, 0]);
  });

  it('is named fifty times for each reason, however much there is, and found by what is below it', () => {
    const all = Array.from({ length: 5000 }, (_, i) => i);
    const peers = all.map((i) => `http://10.0.0.1/${i}`).join(' ');
    const pods = all.map((i) => `https://pod.example/${i}/`).join(' ');
    const { refusals, refusalsAbove, unintendedBy } = refusedOf(peers, pods);
    expect(refusals.counts).toEqual({ 'private-address': 5000, 'over-cap': 4999 });
    expect(refusals.examples).toHaveLength(100);
    expect([...unintendedBy]).toEqual([[VIA, 9999]]);
    const last = { url: 'https://pod.example/4999/', kind: 'pod', via: VIA, reason: 'over-cap' };
    for (const below of ['', 'a/document.ttl#it']) expect(refusalsAbove([last.url + below])).toEqual([last]);
    const both = ['http://10.0.0.1/4999/d', `${last.url}d`];
    expect(refusalsAbove(both)).toMatchObject([{ reason: 'private-address' }, last]);
    for (const none of ['https://pod.example/0/d', 'https://pod.example/50000/', 'https://pod.example/', 'x'])
      expect(refusalsAbove([none])).toEqual([]);
  });

  it('is found on a mirror as well, however much there is', () => {
    const storage = Array.from({ length: 60 }, (_, i) => `ftp://pod.example/${i}/`).join(' ');
    const { refusalsAbove } = refusedOf('', storage, {}, { mode: 'mirror' });
    const refusal = { kind: 'pod', via: VIA, reason: 'no-address' };
    expect(refusalsAbove(['ftp://pod.example/59/d'])).toEqual([{ url: 'ftp://pod.example/59/', ...refusal }]);
  });

  const [UNICODE, ASCII] = ['https://bücher.example/a/', 'https://xn--bcher-kva.example/a/'] as const;
  it.each<[hops: number, More, reason: string]>([
    [0, { maxPods: 0 }, 'over-cap'],
    [3, {}, 'beyond-depth'],
    [0, { deny: ['*.example'] }, 'denied'],
  ])('is found below a host whose name is longer in ASCII: %i hops, %o', (hops, more, reason) => {
    const { refusalsAbove } = refusedOf('', `${UNICODE}+${hops}`, more);
    for (const one of [UNICODE, ASCII])
      expect(refusalsAbove([`${one}d`])).toMatchObject([{ via: VIA, reason }]);
  });

  it('is counted once, and found below either, where it is told of in two spellings of its host', () => {
    for (const told of [
      [ASCII, UNICODE],
      [UNICODE, ASCII],
    ]) {
      const tally = new RefusalTally();
      for (const url of told) tally.add({ kind: 'pod', url, via: VIA, reason: 'denied' });
      expect(tally.refusals.counts).toEqual({ denied: 1 });
      for (const one of told) expect(tally.refusalsAbove([`${one}d`])).toMatchObject([{ url: told[0] }]);
    }
  });

  it('is found below a hundred folders of an address and no more, from its host on', () => {
    const folder = (depth: number) => `https://deep.example/${'folder/'.repeat(depth)}`;
    const told = [0, 60, 99, 100].map((depth) => `${folder(depth)}+3`).join(' ');
    const { refusalsAbove } = refusedOf('', told, {});
    const found = refusalsAbove([`${folder(300)}document`]).map(({ url }) => url);
    expect(found).toEqual([folder(0), folder(60), folder(99)]);
    expect(refusalsAbove(['https://deep.exampl'])).toEqual([]);
  });

  it.each([
    ['registry', VIA],
    ['mirror', VIA],
    ['registry', `${VIA}/`],
    ['mirror', `${VIA}/`],
  ] as const)('is what is cut off a list: %s of %s', (mode, via) => {
    // Another peer cannot hide that by naming the list itself.
    const other = 'https://other.example';
    const hiding = { url: `${VIA}/storage`, hops: 0, via: [] };
    const said = new Map([
      [other, { peers: [], storage: [hiding] }],
      [via, { peers: [], storage: [], cut: ['storage'] as const }],
    ]);
    const rules = rulesWith({ deny: ['*'] }, { mode, peers: [{ url: other }, { url: via }] });
    const { counts, examples } = discover(said, rules).refused.refusals;
    expect(counts).toEqual({ 'list-cut': 1 });
    expect(examples).toEqual([{ url: `${VIA}/storage`, kind: 'pod', via, reason: 'list-cut' }]);
  });
});
