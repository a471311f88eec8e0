/** What is really so in a simulated network, as those who decide it know it: authors, users and operators. */

/** What somebody says of one component. */
export interface Saying {
  readonly uri: string;
  readonly label: string;
}

/** What the operator of a node trusts: URLs, in order of precedence. */
interface Trusted {
  readonly peers: readonly string[];
  readonly pods: readonly string[];
}

export class Truth {
  /** Pods that only those can reach who have configured them. */
  readonly privatePods = new Set<string>();
  /** By the URL of the node. */
  readonly operators = new Map<string, Trusted>();
  /** By the URL of a pod: what it says, by the URL of the document. By that of a node: what was posted to it, by uri. */
  readonly #said = new Map<string, Map<string, Saying>>();
  /** Since when it is said; what is said for the first time, as if it always had been. */
  readonly #since = new Map<string, number>();
  /** By the URL of a pod: until when it said that it held nothing. */
  readonly #silent = new Map<string, number>();

  /** @param now ms since the simulation began */
  constructor(private readonly now: () => number) {}

  /** What a pod says, by document, or was posted to a node, by uri. */
  saidBy(by: string): ReadonlyMap<string, Saying> {
    return this.#said.get(by) ?? new Map();
  }

  /** It is said in a document of a pod, or posted to a node. */
  say(by: string, where: string, saying: Saying): void {
    const sayings = this.#said.get(by) ?? new Map<string, Saying>();
    const key = `${by} ${where} ${saying.uri}`;
    if (sayings.get(where)?.uri !== saying.uri)
      this.#since.set(key, this.#since.has(key) ? this.now() : Number.NEGATIVE_INFINITY);
    this.#said.set(by, sayings.set(where, saying));
  }

  /** The document is deleted, or what was posted is taken back. */
  unsay(by: string, where: string): void {
    this.#said.get(by)?.delete(where);
  }

  /** What was posted to a node is what it was at another time. */
  repost(node: string, sayings: Iterable<Saying>): void {
    this.#said.delete(node);
    for (const saying of sayings) this.say(node, saying.uri, saying);
  }

  /** A pod says that it holds nothing, until the function that is returned is called. */
  silence(pod: string): () => void {
    this.#silent.set(pod, Number.POSITIVE_INFINITY);
    return () => this.#silent.set(pod, this.now());
  }

  /** Has a pod said since a time that it holds nothing? */
  wasSilent(pod: string, since: number): boolean {
    return (this.#silent.get(pod) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  /** Does somebody say something of a component there, and has said so all the time since, or from its beginning? */
  isSaid(by: string, where: string, uri: string, since: number): boolean {
    const saidSince = this.#since.get(`${by} ${where} ${uri}`) ?? Number.POSITIVE_INFINITY;
    return this.saidBy(by).get(where)?.uri === uri && saidSince < since;
  }
}
