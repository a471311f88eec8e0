import { describe, expect, it } from 'vitest';
import { createDiscovery, type DiscoveryRules, type Introductions } from '../../src/core/discovery.js';
import type { NetworkLists } from '../../src/core/network-lists.js';
import { DISCOVERY, discovered } from '../support/discovered.js';

describe('what a node learns from its peers', () => {
  const HONEST = 'https://honest.example';
  const LIAR = 'https://liar.example';
  const rules: DiscoveryRules = {
    baseUrl: 'https://me.example',
    peers: [{ url: HONEST }, { url: LIAR }],
    pods: [{ url: 'https://mine.example/pod/' }],
    discovery: DISCOVERY,
    network: { allowPrivate: false },
    mode: 'registry',
  };
  const listsOf = (rules: DiscoveryRules, said: Introductions) =>
    discovered(createDiscovery(rules), said).lists;
  const entry = (url: string, hops = 0) => ({ url, hops, via: [] });
  const learn = (said: Partial<NetworkLists>) => {
    const lists = listsOf(rules, new Map([[LIAR, { peers: [], storage: [], ...said }]]));
    const learned = (entries: NetworkLists['peers']) => entries.filter(({ hops }) => hops > 0);
    return { peers: learned(lists.peers), storage: learned(lists.storage) };
  };
  const peersFrom = (...urls: string[]) => learn({ peers: urls.map((url) => entry(url)) }).peers;

  it.each(['HTTPS://ME.example:443/', 'http://127.1', 'http://[::ffff:127.0.0.1]/', 'http://node.localhost'])(
    'is neither itself nor private by its looks: %s',
    (url) => expect(peersFrom(url)).toEqual([]),
  );

  it('has each address once: a slash at the end names the same node, but another document', () => {
    expect(peersFrom('https://a.example/', 'https://a.example', 'HTTPS://A.example:443')).toEqual([
      { url: 'https://a.example', hops: 1, via: [LIAR] },
    ]);
    const pods = ['https://a.example/x', 'https://a.example/x/', 'https://A.example/x/'];
    expect(learn({ storage: pods.map((url) => entry(url)) }).storage.map(({ url }) => url)).toEqual([
      'https://a.example/x',
      'https://a.example/x/',
    ]);
  });

  it('is as far away as the way to it is long, and within reach only as far as `depth` says', () => {
    const [near, far, beyond] = ['https://near.example', 'https://far.example', 'https://beyond.example'];
    const storage = [
      entry('https://p.example/'),
      entry('https://q.example/', 1),
      entry('https://r.example/', 2),
    ];
    const said: Introductions = new Map([
      [HONEST, { peers: [entry(near), entry('https://there.example', 2)], storage }],
      [near, { peers: [entry(far)], storage: [entry('https://s.example/'), entry('https://p.example/')] }],
      [far, { peers: [entry(beyond)], storage: [entry('https://t.example/')] }],
    ]);
    const reach = (depth: number, configured: Partial<DiscoveryRules> = {}) => {
      const lists = listsOf({ ...rules, discovery: { ...DISCOVERY, depth }, ...configured }, said);
      const told = [...lists.peers, ...lists.storage].filter(({ hops }) => hops > 0);
      return told.map(({ url, hops, via }) => [url, hops, ...via].join(' '));
    };
    const one = [`${near} 1 ${HONEST}`, `https://p.example/ 1 ${HONEST}`];
    expect([reach(0), reach(1)]).toEqual([[], one]);
    expect(reach(2)).toEqual([
      ...[`${near} 1 ${HONEST}`, `${far} 2 ${HONEST} ${near}`, `https://p.example/ 1 ${HONEST}`],
      ...[`https://q.example/ 2 ${HONEST}`, `https://s.example/ 2 ${HONEST} ${near}`],
    ]);
    expect(
      reach(3)
        .filter((line) => / 3 /.test(line))
        .map((line) => line.split(' ')[0]),
    ).toEqual([...[beyond, 'https://there.example', 'https://r.example/', 'https://t.example/']]);
    // What its last sponsor drops is nobody's any more.
    expect(reach(3, { peers: [{ url: LIAR }] })).toEqual([]);
  });

  it('counts as introduced by the closest, and among those by the first', () => {
    const lists = listsOf(
      rules,
      new Map([
        [LIAR, { peers: [entry('https://x.example'), entry('https://y.example', 1)], storage: [] }],
        [HONEST, { peers: [entry('https://y.example'), entry('https://x.example')], storage: [] }],
      ]),
    );
    expect(lists.peers.slice(2).map(({ url, hops, via }) => [url, hops, ...via])).toEqual([
      ['https://x.example', 1, HONEST],
      ['https://y.example', 1, HONEST],
    ]);
  });

  it('cannot be crowded out by a peer that lists thousands', () => {
    const many = Array.from({ length: 5000 }, (_, i) => entry(`https://0.example/${i}/`));
    const lists = listsOf(
      { ...rules, discovery: { ...DISCOVERY, maxPods: 10 } },
      new Map([
        [LIAR, { peers: [], storage: many }],
        [HONEST, { peers: [], storage: [entry('https://z.example/'), entry('https://zz.example/')] }],
      ]),
    );
    expect(lists.storage).toHaveLength(11);
    expect(lists.storage.filter(({ via }) => via[0] === HONEST)).toHaveLength(2);
  });

  it('is on a mirror what its upstreams list, in their words, each address once', () => {
    const one = {
      peers: [entry('http://b/'), entry('http://a', 1)],
      storage: [entry('http://p/'), entry('http://q/', 2)],
    };
    const other = {
      peers: [entry('http://c'), entry('http://b')],
      storage: [entry('http://p'), entry('http://p/x'), entry('http://q/')],
    };
    const said = new Map([
      [HONEST, one],
      [LIAR, other],
    ]);
    expect(listsOf({ ...rules, mode: 'mirror' }, said)).toEqual({
      peers: [...one.peers, entry('http://c')],
      storage: [entry('http://p/'), entry('http://q/'), entry('http://p/x')],
    });
  });
});
