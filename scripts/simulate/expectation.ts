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

/**
 * Configured pods come first, then the node itself, what configured peers say for themselves and of configured pods, learned
 * pods, what configured peers pass on of others, learned peers.
 */
const CLASSES = ['configuredPod', 'own', 'configuredPeer', 'learnedPod', 'passedOn', 'learnedPeer'] as const;
const rankOf = (which: (typeof CLASSES)[number], place = 0) => CLASSES.indexOf(which) * 1_000_000 + place;

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
  const { peers: configuredPeers = [], pods: configuredPods = [] } = truth.operators.get(node) ?? {};
  const known = knownTo(node);
  const read = readBy(node, truth, knownTo);
  const statements: Statement[] = [];
  const add = (source: string, url: string, rank: number, sayings: Iterable<readonly [string, Saying]>) => {
    for (const [document, { uri, label }] of sayings)
      statements.push({ uri, label, source, rank, url, document });
  };
  for (const pod of read) {
    const place = configuredPods.indexOf(pod);
    const rank = place < 0 ? rankOf('learnedPod') : rankOf('configuredPod', place);
    add(`pod ${pod}`, pod, rank, documentsOf(pod, truth));
  }
  add(`local ${POSTED}`, '', rankOf('own'), postedTo(node, truth));
  const peers = [...known.peers.keys()].map((url) => {
    const place = configuredPeers.indexOf(url);
    if (place < 0) return { url, rank: rankOf('learnedPeer'), passedOn: rankOf('learnedPeer') };
    return { url, rank: rankOf('configuredPeer', place), passedOn: rankOf('passedOn', place) };
  });
  /** A pod is taken from the first of the peers that read it. */
  const taken = new Set<string>(read);
  for (const { url, rank, passedOn } of peers.sort(inOrder)) {
    add(`peer ${url}`, url, rank, postedTo(url, truth));
    for (const pod of readBy(url, truth, knownTo)) {
      if (taken.has(pod)) continue;
      taken.add(pod);
      add(`peer ${url}`, url, configuredPods.includes(pod) ? rank : passedOn, documentsOf(pod, truth));
    }
  }
  const counts = new Map<string, number>();
  for (const { source } of statements) counts.set(source, (counts.get(source) ?? 0) + 1);
  // The best one of each uri comes first.
  const answers = new Map<string, Statement>();
  for (const one of statements.sort(inOrder)) if (!answers.has(one.uri)) answers.set(one.uri, one);
  return { known, answers, statements: counts };
}

/** A pod at a private address is read by those only who have configured it. */
function readBy(node: string, { operators, privatePods }: Truth, knownTo: (node: string) => KnownNetwork) {
  const configured = operators.get(node)?.pods ?? [];
  const isRead = (pod: string) => !privatePods.has(pod) || configured.includes(pod);
  return new Set([...knownTo(node).pods.keys()].filter(isRead));
}

function documentsOf(pod: string, { pods }: Truth): Iterable<readonly [string, Saying]> {
  return pods.get(pod) ?? [];
}

function postedTo(node: string, { posted }: Truth): [string, Saying][] {
  return [...(posted.get(node)?.values() ?? [])].map((saying) => [POSTED, saying]);
}

function inOrder(
  one: Pick<Statement, 'url' | 'rank'> & { readonly document?: string },
  other: typeof one,
): number {
  return (
    one.rank - other.rank ||
    compareText(one.url, other.url) ||
    compareText(encodeURIComponent(one.document ?? ''), encodeURIComponent(other.document ?? ''))
  );
}
