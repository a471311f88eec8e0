/**
 * What follows for each node from what the authors and operators have decided: a second, tiny implementation of design, sections
 * 5 and 6, which shares no code with src/sync/.
 */
import { compareText } from '../../src/lib/compare-text.js';
import type { Saying, Truth } from './truth.js';

/** URLs, with the distance at which each is known: 0 when configured. */
interface KnownNetwork {
  readonly peers: ReadonlyMap<string, number>;
  readonly pods: ReadonlyMap<string, number>;
}

type KnownTo = (node: string) => KnownNetwork;

/** What a node ought to hold. */
export interface Expectation extends KnownNetwork {
  /** By uri: the label that is served, and the kind and the URL of the source whose description it is. */
  readonly answers: ReadonlyMap<string, string>;
  /** How many statements it holds of each source, by kind and URL; sources without any are left out. */
  readonly statements: ReadonlyMap<string, number>;
}

interface Statement extends Saying {
  /** Kind and URL. */
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
 * What each node ought to hold at present. Whom one knows is worked out once, and not by each of its followers.
 * @param depth over how many introductions a node follows the lists of others
 */
export function expectations(truth: Truth, depth: number): (node: string) => Expectation {
  const all = new Map<string, KnownNetwork>();
  const knownTo: KnownTo = (node) => {
    const known = all.get(node) ?? knownNetwork(node, truth, depth);
    all.set(node, known);
    return known;
  };
  return (node) => {
    const statements = statementsOf(node, truth, knownTo).sort(inOrder);
    const counts = new Map<string, number>();
    for (const { source } of statements) counts.set(source, (counts.get(source) ?? 0) + 1);
    // The best one of each uri comes last, and stays.
    const answers = statements.reverse().map((one) => [one.uri, answerText(one.label, one.source)] as const);
    return { ...knownTo(node), answers: new Map(answers), statements: counts };
  };
}

export function answerText(label: string, source: string): string {
  return `"${label}" of ${source}`;
}

/**
 * Whom a node knows once nothing changes any more: all that lead to it over at most `depth` introductions. A plain search by
 * breadth over what the operators have configured.
 */
function knownNetwork(node: string, { operators }: Truth, depth: number): KnownNetwork {
  const [peers, pods] = [new Map<string, number>(), new Map<string, number>()];
  let level = [node];
  for (let distance = 0; level.length > 0 && distance <= depth; distance++) {
    const trusted = level.map((here) => operators.get(here));
    for (const pod of trusted.flatMap((one) => one?.pods ?? [])) if (!pods.has(pod)) pods.set(pod, distance);
    level = [...new Set(trusted.flatMap((one) => one?.peers ?? []))];
    level = level.filter((peer) => peer !== node && !peers.has(peer));
    for (const peer of level) peers.set(peer, distance);
  }
  return { peers, pods };
}

function statementsOf(node: string, truth: Truth, knownTo: KnownTo): Statement[] {
  const { peers = [], pods = [] } = truth.operators.get(node) ?? {};
  const statements: Statement[] = [];
  /** @param by who says it: a pod, or a node to which it was posted */
  const add = (kind: string, url: string, rank: number, by: string) => {
    for (const [where, saying] of truth.saidBy(by)) {
      const document = truth.operators.has(by) ? POSTED : where;
      statements.push({ ...saying, source: `${kind} ${url || POSTED}`, rank, url, document });
    }
  };
  const known = knownTo(node);
  const read = readBy(node, truth, known);
  for (const pod of read) add('pod', pod, rankOf(pods, pod, RANKS.configuredPod, RANKS.learnedPod), pod);
  add('local', '', RANKS.own, node);
  /** A pod is taken from the first of the peers that read it. */
  const taken = new Set(read);
  const ranked = [...known.peers.keys()].map((url) => {
    return { url, rank: rankOf(peers, url, RANKS.configuredPeer, RANKS.learnedPeer), document: '' };
  });
  for (const { url, rank } of ranked.sort(inOrder)) {
    add('peer', url, rank, url);
    const passedOn = rankOf(peers, url, RANKS.passedOn, RANKS.learnedPeer);
    for (const pod of readBy(url, truth, knownTo(url))) {
      if (!taken.has(pod)) add('peer', url, pods.includes(pod) ? rank : passedOn, pod);
      taken.add(pod);
    }
  }
  return statements;
}

function rankOf(configured: readonly string[], url: string, rank: number, otherwise: number): number {
  return configured.includes(url) ? rank + configured.indexOf(url) : otherwise;
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
