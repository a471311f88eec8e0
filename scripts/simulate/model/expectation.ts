import type { KnownNetwork } from './known-network.js';
import type { Saying, Truth } from './truth.js';

/** What a node ought to serve of one component. */
export interface ExpectedAnswer {
  readonly label: string;
  /** Whose description is served: its kind and its URL. */
  readonly source: string;
}

/** What a node ought to hold. */
export interface Expectation {
  readonly known: KnownNetwork;
  /** By uri. */
  readonly answers: ReadonlyMap<string, ExpectedAnswer>;
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
const CLASS = 1_000_000;
const RANK = {
  configuredPod: 0,
  own: CLASS,
  configuredPeer: 2 * CLASS,
  learnedPod: 3 * CLASS,
  passedOn: 4 * CLASS,
  learnedPeer: 5 * CLASS,
};

/** A pod is taken from the first so many of the peers that read it. */
const READERS = 2;

/** Nothing is as it was posted under this name, at the node itself and at its readers. */
const POSTED = 'urn:registry:local';

/**
 * What follows for each node from what the authors and operators have decided: a second, tiny implementation of design,
 * sections 5 and 6, which shares no code with src/sync/.
 */
export class Model {
  readonly #truth: Truth;
  readonly #knownTo: (node: string) => KnownNetwork;
  readonly #read = new Map<string, ReadonlySet<string>>();

  /** `knownTo`: whom a node knows. */
  constructor(truth: Truth, knownTo: (node: string) => KnownNetwork) {
    this.#truth = truth;
    this.#knownTo = knownTo;
  }

  of(node: string): Expectation {
    const known = this.#knownTo(node);
    const statements = [
      ...[...this.#readBy(node)].flatMap((pod) => this.#ofPod(node, pod)),
      ...this.#postedTo(node).map((saying) => ofNodeItself(saying)),
      ...this.#ofPeers(node, known),
    ];
    return { known, answers: winners(statements), statements: countBySource(statements) };
  }

  /** A pod at a private address is read by those only who have configured it. */
  #readBy(node: string): ReadonlySet<string> {
    const before = this.#read.get(node);
    if (before) return before;
    const configured = this.#truth.operators.get(node)?.pods ?? [];
    const isRead = (pod: string) => !this.#truth.privatePods.has(pod) || configured.includes(pod);
    const read = new Set([...this.#knownTo(node).pods.keys()].filter(isRead));
    this.#read.set(node, read);
    return read;
  }

  #postedTo(node: string): readonly Saying[] {
    return [...(this.#truth.posted.get(node)?.values() ?? [])];
  }

  #documentsOf(pod: string): readonly (readonly [document: string, saying: Saying])[] {
    return [...(this.#truth.pods.get(pod) ?? [])];
  }

  #ofPod(node: string, pod: string): Statement[] {
    const place = this.#truth.operators.get(node)?.pods.indexOf(pod) ?? -1;
    const rank = place < 0 ? RANK.learnedPod : RANK.configuredPod + place;
    return this.#documentsOf(pod).map(([document, { uri, label }]) => ({
      ...{ uri, label, source: `pod ${pod}`, rank, url: pod, document },
    }));
  }

  /** What was posted to each peer, and the documents of the pods that it reads and this node takes from it. */
  #ofPeers(node: string, known: KnownNetwork): Statement[] {
    const { peers: configured = [], pods = [] } = this.#truth.operators.get(node) ?? {};
    const peers = [...known.peers.keys()].map((url) => {
      const place = configured.indexOf(url);
      return place < 0
        ? { url, rank: RANK.learnedPeer, passedOn: RANK.learnedPeer }
        : { url, rank: RANK.configuredPeer + place, passedOn: RANK.passedOn + place };
    });
    const readers = new Map<string, number>();
    const isTaken = (pod: string) => {
      const before = readers.get(pod) ?? 0;
      readers.set(pod, before + 1);
      return before < READERS;
    };
    const read = this.#readBy(node);
    return peers.sort(winsOver).flatMap(({ url, rank, passedOn }) => {
      const relayed = [...this.#readBy(url)].filter((pod) => !read.has(pod) && isTaken(pod));
      const said = [
        ...this.#postedTo(url).map((saying) => [POSTED, saying, rank] as const),
        ...relayed.flatMap((pod) =>
          this.#documentsOf(pod).map((said) => [...said, pods.includes(pod) ? rank : passedOn] as const),
        ),
      ];
      return said.map(([document, { uri, label }, rank]) => ({
        ...{ uri, label, source: `peer ${url}`, rank, url, document },
      }));
    });
  }
}

function ofNodeItself({ uri, label }: Saying): Statement {
  return { uri, label, source: `local ${POSTED}`, rank: RANK.own, url: '', document: POSTED };
}

function winners(statements: readonly Statement[]): Map<string, ExpectedAnswer> {
  const best = new Map<string, Statement>();
  for (const statement of statements) {
    const other = best.get(statement.uri);
    if (!other || wins(statement, other)) best.set(statement.uri, statement);
  }
  return new Map([...best].map(([uri, { label, source }]) => [uri, { label, source }]));
}

function winsOver(one: { url: string; rank: number }, other: { url: string; rank: number }): number {
  return one.rank - other.rank || (one.url < other.url ? -1 : 1);
}

function wins(one: Statement, other: Statement): boolean {
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.url !== other.url) return one.url < other.url;
  return encodeURIComponent(one.document) < encodeURIComponent(other.document);
}

function countBySource(statements: readonly Statement[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { source } of statements) counts.set(source, (counts.get(source) ?? 0) + 1);
  return counts;
}
