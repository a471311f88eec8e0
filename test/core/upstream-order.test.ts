import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { unknownOrder, upstreamOrder } from '../../src/core/upstream-order.js';

const UPSTREAM = 'https://upstream.example';
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const FAR: Source = { kind: 'peer', url: 'https://far.example' };
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };
const listed = ({ url }: Source, hops: number) => ({ url, hops, via: [] });

/** An upstream that has configured one pod and one peer, behind whom it has learned. */
const authorityOf = upstreamOrder(
  {
    peers: [listed(FAR, 1), listed(PEER, 0)],
    storage: [listed(STRANGER, 2), listed({ kind: 'pod', url: 'https://first.example/' }, 0), listed(POD, 0)],
  },
  (document) => [POD, STRANGER].find(({ url }) => document.startsWith(url))?.url,
);

const DOCUMENTS = {
  own: LOCAL.url,
  pod: `${POD.url}doc`,
  stranger: `${STRANGER.url}doc`,
  unlisted: 'https://unlisted.example/doc',
  peer: takenFrom(PEER.url, LOCAL.url),
  'pod by peer': takenFrom(PEER.url, `${POD.url}doc`),
  'stranger by peer': takenFrom(PEER.url, `${STRANGER.url}doc`),
  'learned peer': takenFrom(FAR.url, LOCAL.url),
};
const EXPECTED: Record<keyof typeof DOCUMENTS, readonly [Source, string, number]> = {
  own: [LOCAL, 'own', 0],
  pod: [POD, 'configured-pod', 1],
  stranger: [STRANGER, 'learned-pod', 0],
  unlisted: [{ kind: 'pod', url: DOCUMENTS.unlisted }, 'learned-pod', 0],
  peer: [PEER, 'configured-peer', 0],
  'pod by peer': [PEER, 'configured-peer', 0],
  'stranger by peer': [PEER, 'passed-on', 0],
  'learned peer': [FAR, 'learned-peer', 0],
};
const names = Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[];

it.each(names)('whose a graph is, its name tells: %s', (name) => {
  const [source, of, place] = EXPECTED[name];
  expect(authorityOf(DOCUMENTS[name])).toEqual({ ...source, class: of, place });
});

it.each(names)('a feed says it, too: %s', (name) => {
  const [source, of, place] = EXPECTED[name];
  expect(authorityOf(DOCUMENTS[name], sourceKey(source))).toEqual({ ...source, class: of, place });
});

it.each(names)('of a mirror, the names of graphs tell, whoever it has them from: %s', (name) => {
  const [source, of, place] = EXPECTED[name];
  const third = sourceKey({ kind: 'peer', url: 'https://third.example' });
  expect(authorityOf(DOCUMENTS[name], third)).toEqual({ ...source, class: of, place });
  // The second of two upstreams with one document has its key before the name.
  expect(authorityOf(takenFrom(third, DOCUMENTS[name]), third)).toEqual({ ...source, class: of, place });
});

it('a graph that two pods have in common is that of the one whose key is before its name', () => {
  const shared = takenFrom(sourceKey(POD), `${POD.url}in/doc`);
  expect(authorityOf(shared)).toEqual({ ...POD, class: 'configured-pod', place: 1 });
  expect(authorityOf(shared, sourceKey(POD))).toEqual({ ...POD, class: 'configured-pod', place: 1 });
});

it('counts nobody as configured by a plain list of addresses, nor whom a feed names as a peer under a name of its own', () => {
  const plain = upstreamOrder({ peers: [], storage: [{ ...listed(POD, 0), isPlain: true }] }, () => POD.url);
  expect(plain(DOCUMENTS.pod)).toMatchObject({ ...POD, class: 'learned-pod' });
  const mistaken = authorityOf(DOCUMENTS.pod, sourceKey(PEER));
  expect(mistaken).toEqual({ ...POD, class: 'configured-pod', place: 1 });
});

it('of a node that does not say who says what, nothing counts as said by somebody configured', () => {
  const unknown = unknownOrder(UPSTREAM)(LOCAL.url);
  expect(unknown).toEqual({ kind: 'peer', url: UPSTREAM, class: 'passed-on', place: 0 });
});
