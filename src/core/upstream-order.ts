import type { ListedAddress } from '../component/network-list.js';
import { graphKind, graphTaken, takenFrom, takerOf } from '../component/provenance.js';
import { LOCAL, type Source, sourceOfKey } from '../component/source.js';
import type { FindPod } from './find-pod.js';
import type { NetworkLists } from './network-lists.js';
import { type Authority, precedenceOf } from './precedence.js';

/** Says whose a graph of an upstream is; `of`: the source that it belongs to, where the upstream tells. */
export type AuthorityOf = (graph: string, of?: string) => Authority;

/**
 * The order of statements at the node that a mirror reads: whom it has configured stands in its lists with 0
 * hops.
 * @param podOf the pod among its storage that speaks for a document
 */
export function upstreamOrder({ peers, storage }: NetworkLists, podOf: FindPod): AuthorityOf {
  const order = precedenceOf({ pods: configuredIn(storage), peers: configuredIn(peers) });
  return (graph, of) => {
    const source = sayingSource(graph, of === undefined ? undefined : sourceOfKey(of), podOf);
    return order.authorityOf({ source, document: graph });
  };
}

/** Of a node that does not say who says what it lists. */
export function unknownOrder(upstream: string): AuthorityOf {
  return () => ({ kind: 'peer', url: upstream, class: 'passed-on', place: 0 });
}

function configuredIn(list: readonly ListedAddress[]): string[] {
  return list.filter(({ hops, isPlain }) => hops === 0 && !isPlain).map(({ url }) => url);
}

/** An upstream that is a mirror keeps what its peers say under the names that it has there: the name tells. */
function sayingSource(graph: string, of: Source | undefined, podOf: FindPod): Source {
  if (of && (of.kind !== 'peer' || graph.startsWith(takenFrom(of.url, '')))) return of;
  const [taker, inner] = [takerOf(graph), graphTaken(graph)];
  if (taker !== undefined && inner !== undefined) {
    return taker.includes(' ')
      ? sayingSource(inner, sourceOfKey(taker), podOf)
      : { kind: 'peer', url: taker };
  }
  return graphKind(graph) === 'own' ? LOCAL : { kind: 'pod', url: podOf(graph) ?? graph };
}
