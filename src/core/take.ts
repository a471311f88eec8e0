import type { ListedAddress } from '../component/network-list.js';
import { graphKind, graphTaken, takenFrom, takerOf } from '../component/provenance.js';
import { sourceOfKey } from '../component/source.js';
import { isHttpUrl, sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { parsedUrl } from '../lib/can-parse-url.js';
import { looksPublic } from '../lib/fetch/address.js';
import { isAbsoluteIri, percentEncoded } from '../lib/iri.js';
import { type FindPod, findPodAmong } from './find-pod.js';
import { hostJudge, hostOf } from './host-rules.js';
import type { RefusalReason } from './refusal.js';

/** What is taken from whom (design, sections 6 and 15): addresses that peers list, statements that they pass on. */

/** What the operator has decided of addresses, by `sameBaseUrl`. */
export type Decisions = ReadonlyMap<string, 'approve' | 'reject'>;

export interface OperatorRules extends Pick<Config, 'baseUrl' | 'network'> {
  readonly discovery: Pick<Config['discovery'], 'allow' | 'deny' | 'approve'>;
  readonly decisions?: Decisions;
}

/** Is an address of a peer's list taken up, as far as that can be told without the other lists? */
export function takeAddress(
  { url, via }: Pick<ListedAddress, 'url' | 'via'>,
  { baseUrl, network, discovery, decisions }: OperatorRules,
  hosts = hostJudge(discovery.deny, discovery.allow),
): RefusalReason | 'taken' {
  if (!isHttpUrl(url)) return notUsable(url);
  const own = sameBaseUrl(baseUrl);
  if ([url, ...via].some((one) => sameBaseUrl(one) === own)) return 'own';
  const parsed = new URL(url);
  const refused = hosts(parsed);
  if (refused) return refused;
  if (!network.allowPrivate && !looksPublic(hostOf(parsed))) return 'private-address';
  const decision = decisions?.get(sameBaseUrl(url));
  if (decision === 'reject') return 'rejected';
  return discovery.approve && decision !== 'approve' ? 'not-approved' : 'taken';
}

/** Why what is no `isHttpUrl` is refused. What has become an IRI by percent-encoding is one. */
export function notUsable(text: string): RefusalReason {
  const encoded = percentEncoded(text);
  // The parser decodes the name of a host.
  return isAbsoluteIri(parsedUrl(encoded)?.href ?? encoded) ? 'no-address' : 'no-iri';
}

/** The pod or origin because of which the operator does not want a document, whoever passes it on. */
export function documentRules(
  rules: OperatorRules & Pick<Config, 'pods'>,
): (document: string) => string | undefined {
  const { discovery, decisions = new Map() } = rules;
  const isConfigured = findPodAmong(rules.pods.map(({ url }) => url));
  const rejected = findPodAmong(
    [...decisions].flatMap(([url, decision]) => (decision === 'reject' ? [url] : [])),
  );
  const hosts = hostJudge(discovery.deny, discovery.allow);
  return (document) => {
    const url = /^https?:/i.test(document) ? parsedUrl(document) : undefined;
    if (!url || isConfigured(document) !== undefined) return undefined;
    return rejected(document) ?? (hosts(url) && `${url.origin}/`);
  };
}

/** What a node knows about the pods of the statements that one peer passes on, as of one moment. */
export interface StatementRules {
  /** Among the pods that this node has read itself. */
  readonly read: FindPod;
  readonly operator?: (document: string) => string | undefined;
  /** Is a source of the peer (`sourceKey`) taken from another peer? See `pod-roles.ts`. */
  readonly isFromOthers?: (of: string) => boolean;
}

export interface PeerRules extends StatementRules {
  readonly peer: string;
  /** A mirror takes everything, under the names that it has at its upstream. */
  readonly isMirror: boolean;
}

/** The document as which a graph of a peer is stored: its name tells from whom it is taken. */
export function documentName(
  graph: string,
  { peer, isMirror }: Pick<PeerRules, 'peer' | 'isMirror'>,
): string {
  return isMirror ? graph : takenFrom(peer, graph);
}

/** The name that the graph of a document has at the peer that it is taken from. */
export function graphOf(document: string, { isMirror }: Pick<PeerRules, 'isMirror'>): string {
  if (isMirror) return document;
  let graph = graphTaken(document) ?? document;
  // The second of two sources that speak in the same graph is told apart by its key, which has a space.
  while (takerOf(graph)?.includes(' ')) graph = graphTaken(graph) ?? graph;
  return graph;
}

/** One of the graphs in which a peer says what it says. */
export interface PeerGraph {
  readonly graph: string;
  /** The source of the peer that it belongs to (`sourceKey`), where that is known. */
  readonly of?: string | undefined;
}

/**
 * Are the statements of a graph taken from a peer? What the peer has from its own peers is taken by nobody,
 * so that no statement can circle between nodes, and what its author deletes cannot come back. `address`: the
 * pod or origin because of which it is refused, and all others of it.
 */
export function takeStatement(
  { graph, of }: PeerGraph,
  rules: StatementRules & Partial<Pick<PeerRules, 'isMirror'>>,
): { readonly address?: string } | 'taken' {
  if (rules.isMirror) return 'taken';
  const kind = graphKind(graph);
  if (kind === 'taken') return {};
  if (kind === 'own') return 'taken';
  const isFromOthers = of !== undefined && rules.isFromOthers?.(of);
  const others = isFromOthers ? sourceOfKey(of).url : undefined;
  const address = rules.read(graph) ?? rules.operator?.(graph) ?? others;
  return address === undefined ? 'taken' : { address };
}
