import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import type { StatementClass } from '../../src/core/precedence.js';
import { unknownOrder, upstreamOrder } from '../../src/core/upstream-order.js';

const peer = (name: string): Source => ({ kind: 'peer', url: `https://${name}.example` });
const pod = (name: string): Source => ({ kind: 'pod', url: `https://${name}.example/` });
const [PEER, FAR, THIRD] = [peer('peer'), peer('far'), peer('third')];
const [POD, FIRST, STRANGER] = [pod('pod'), pod('first'), pod('stranger')];
const UNLISTED: Source = { kind: 'pod', url: 'https://x.example/d' };
const listed = ({ url }: Source, hops: number, more = {}) => ({ url, hops, via: [], ...more });
const podOf = (document: string) => [POD, STRANGER].find(({ url }) => document.startsWith(url))?.url;

/** Of an upstream that has configured two pods and a peer, behind whom it has learned. */
function authorityOf(graph: string, of?: Source) {
  const peers = [listed(FAR, 1), listed(PEER, 0)];
  const storage = [listed(STRANGER, 2), listed(FIRST, 0), listed(POD, 0)];
  return upstreamOrder({ peers, storage }, podOf)(graph, of && sourceKey(of));
}

it.each<[what: string, graph: string, Source, name: StatementClass, place?: number]>([
  ['of the upstream itself', LOCAL.url, LOCAL, 'own'],
  ['of a pod', `${POD.url}doc`, POD, 'configured-pod', 1],
  ['of a pod that it has learned', `${STRANGER.url}doc`, STRANGER, 'learned-pod'],
  ['of a pod that it does not list', UNLISTED.url, UNLISTED, 'learned-pod'],
  ['of a peer', takenFrom(PEER.url, LOCAL.url), PEER, 'configured-peer'],
  ['of a pod by a peer', takenFrom(PEER.url, `${POD.url}doc`), PEER, 'configured-peer'],
  ['of a strange pod by a peer', takenFrom(PEER.url, `${STRANGER.url}doc`), PEER, 'passed-on'],
  ['of a peer that it has learned', takenFrom(FAR.url, LOCAL.url), FAR, 'learned-peer'],
])('a graph %s is told by its name, and by a feed', (_, graph, source, name, place = 0) => {
  const expected = { ...source, class: name, place };
  expect([authorityOf(graph), authorityOf(graph, source)]).toEqual([expected, expected]);
  // Of a mirror, its name tells, whoever it has it from; the second of two upstreams has its key before that.
  expect(authorityOf(graph, THIRD)).toEqual(expected);
  expect(authorityOf(takenFrom(sourceKey(THIRD), graph), THIRD)).toEqual(expected);
});

it('a graph that two pods have in common is that of the one whose key is before its name', () => {
  const shared = takenFrom(sourceKey(POD), `${STRANGER.url}doc`);
  const expected = { ...POD, class: 'configured-pod', place: 1 };
  expect([authorityOf(shared), authorityOf(shared, POD)]).toEqual([expected, expected]);
  expect(authorityOf(`${POD.url}doc`, STRANGER)).toEqual({ ...STRANGER, class: 'learned-pod', place: 0 });
});

it('a plain list of addresses makes nobody configured', () => {
  const plain = upstreamOrder({ peers: [], storage: [listed(POD, 0, { isPlain: true })] }, podOf);
  expect(plain(`${POD.url}doc`)).toMatchObject({ ...POD, class: 'learned-pod' });
});

it('of a node that does not say who says what, nothing counts as said by somebody configured', () => {
  const expected = { kind: 'peer', url: PEER.url, class: 'passed-on', place: 0 };
  expect(unknownOrder(PEER.url)(LOCAL.url)).toEqual(expected);
});
