/**
 * What follows for each node from what the authors and operators have decided: a second, tiny implementation of design, sections
 * 5 and 6, which shares no code with src/sync/.
 */
import { compareText } from '../../src/lib/compare-text.js';
import type { Saying, Truth } from './truth.js';

/** URLs, with the distance at which each is known: 0 when configured. */
export interface KnownNetwork {
  readonly peers: ReadonlyMap<string, number>;
  readonly pods: ReadonlyMap<string, number>;
}

/** What a node ought to hold. */
export interface Expectation {
  readonly known: KnownNetwork;
  /** By uri: the label that is served, and the kind and the URL of the source whose description it is. */
  readonly answers: ReadonlyMap<string, { readonly label: string; readonly source: string }>;
  /** How many statements it holds of each source, by kind and URL; sources without any are left out. */
  readonly statements: ReadonlyMap<string, number>;
}

/** Where a statement comes from, and by what it wins over others. */
interface Statement extends Saying {
  readonly source: string;
  /** The lower, the better; then by URL of the source, then by document. */
  readonly rank: number;
  readonly url: string;
  readonly document: string;
}

/** What wins over all that follows. Configured sources have their place among those of their kind added. */
const RANKS = {
  configuredPod: 1_000_000,
  own: 2_000_000,
  /** What a configured peer says for itself, and of configured pods. */
  configuredPeer: 3_000_000,
  learnedPod: 4_000_000,
  /** What a configured peer passes on of other pods. */
  passedOn: 5_000_000,
  learnedPeer: 6_000_000,
};

/** What is posted has this name at the node itself and at its readers. */
const POSTED = 'urn:registry:local';

/**
 * Whom a node knows once nothing changes any more: all that lead to it over at most `depth` introductions. A plain search by
 * breadth over what the operators have configured.
 */
export function knownNetwork(node: string, { operators }: Truth, depth: number): KnownNetwork {
  const [peers, pods] = [new Map<string, number>(), new Map<string, number>()];
  let level = [node];
  for (let distance = 0; level.length > 0 && distance <= depth; distance++) {
    const next: string[] = [];
    for (const trusted of level.map((here) => operators.get(here))) {
      for (const pod of trusted?.pods ?? []) if (!pods.has(pod)) pods.set(pod, distance);
      for (const peer of trusted?.peers ?? []) {
        if (peer === node || peers.has(peer)) continue;
        peers.set(peer, distance);
        next.push(peer);
      }
    }
    level = next;
  }
  return { peers, pods };
}

/** @param knownTo whom a node knows */
export function expectationOf(
  node: string,
  truth: Truth,
  knownTo: (node: string) => KnownNetwork,
): Expectation {
  const { peers = [], pods = [] } = truth.operators.get(node) ?? {};
  const known = knownTo(node);
  const rankOf = (configured: readonly string[], url: string, rank: number, otherwise: number) =>
    configured.includes(url) ? rank + configured.indexOf(url) : otherwise;
  const statements: Statement[] = [];
  const addPod = (source: string, url: string, rank: number, pod: string) => {
    for (const [document, saying] of truth.saidBy(pod))
      statements.push({ ...saying, source, rank, url, document });
  };
  const addPosted = (source: string, url: string, rank: number, poster: string) => {
    for (const saying of truth.saidBy(poster).values())
      statements.push({ ...saying, source, rank, url, document: POSTED });
  };
  const read = readBy(node, truth, known);
  for (const pod of read)
    addPod(`pod ${pod}`, pod, rankOf(pods, pod, RANKS.configuredPod, RANKS.learnedPod), pod);
  addPosted(`local ${POSTED}`, '', RANKS.own, node);
  const ranked = [...known.peers.keys()].map((url) => {
    const rank = rankOf(peers, url, RANKS.configuredPeer, RANKS.learnedPeer);
    return { url, rank, passedOn: rankOf(peers, url, RANKS.passedOn, RANKS.learnedPeer), document: '' };
  });
  /** A pod is taken from the first of the peers that read it. */
  const taken = new Set(read);
  for (const { url, rank, passedOn } of ranked.sort(inOrder)) {
    addPosted(`peer ${url}`, url, rank, url);
    for (const pod of readBy(url, truth, knownTo(url))) {
      if (taken.has(pod)) continue;
      taken.add(pod);
      addPod(`peer ${url}`, url, pods.includes(pod) ? rank : passedOn, pod);
    }
  }
  const counts = new Map<string, number>();
  for (const { source } of statements) counts.set(source, (counts.get(source) ?? 0) + 1);
  // The best one of each uri comes last, and stays.
  const answers = new Map(
    statements
      .sort(inOrder)
      .reverse()
      .map((one) => [one.uri, one]),
  );
  return { known, answers, statements: counts };
}

/** A pod at a private address is read by those only who have configured it. */
function readBy(node: string, { operators, privatePods }: Truth, { pods }: KnownNetwork): string[] {
  const configured = operators.get(node)?.pods ?? [];
  return [...pods.keys()].filter((pod) => !privatePods.has(pod) || configured.includes(pod));
}

function inOrder(one: Pick<Statement, 'url' | 'rank' | 'document'>, other: typeof one): number {
  return (
    one.rank - other.rank ||
    compareText(one.url, other.url) ||
    compareText(encodeURIComponent(one.document), encodeURIComponent(other.document))
  );
}
