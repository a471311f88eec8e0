/** What is really so in a simulated network, as those who decide it know it: authors, users and operators. */

/** What somebody says of one component. */
export interface Saying {
  readonly uri: string;
  readonly label: string;
}

/** What the operator of a node trusts: URLs, in order of precedence. */
export interface Trusted {
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
  /** Until when something was not said that had been said before; without an end while it is not said. */
  readonly #unsaid = new Map<string, number>();
  readonly #now: () => number;

  /** @param now ms since the simulation began */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What a pod says, by document, or was posted to a node, by uri. */
  saidBy(by: string): ReadonlyMap<string, Saying> {
    return this.#said.get(by) ?? new Map();
  }

  /** It is said in a document of a pod, or posted to a node. */
  say(by: string, where: string, saying: Saying): void {
    const sayings = this.#said.get(by) ?? new Map<string, Saying>();
    this.#said.set(by, sayings);
    const before = sayings.get(where);
    if (before && before.uri !== saying.uri) this.#ends(`${by} ${where} ${before.uri}`);
    sayings.set(where, saying);
    this.#begins(`${by} ${where} ${saying.uri}`);
  }

  /** The document is deleted, or what was posted is taken back. */
  unsay(by: string, where: string): void {
    const before = this.saidBy(by).get(where);
    if (before) this.#ends(`${by} ${where} ${before.uri}`);
    this.#said.get(by)?.delete(where);
  }

  /** What was posted to a node is what it was at another time. */
  repost(node: string, sayings: Iterable<Saying>): void {
    for (const uri of [...this.saidBy(node).keys()]) this.unsay(node, uri);
    for (const { uri, label } of sayings) this.say(node, uri, { uri, label });
  }

  /** A pod says that it holds nothing, until the function that is returned is called. */
  silence(pod: string): () => void {
    this.#ends(pod);
    return () => this.#begins(pod);
  }

  /** Has a pod said since a time that it holds nothing? */
  wasSilent(pod: string, since: number): boolean {
    return this.#wasUnsaid(pod, since);
  }

  /** Does somebody say something of a component there, and has said so all the time since, or from its beginning? */
  isSaid(by: string, where: string, uri: string, since: number): boolean {
    return this.saidBy(by).get(where)?.uri === uri && !this.#wasUnsaid(`${by} ${where} ${uri}`, since);
  }

  #wasUnsaid(what: string, since: number): boolean {
    return (this.#unsaid.get(what) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  #ends(what: string): void {
    this.#unsaid.set(what, Number.POSITIVE_INFINITY);
  }

  #begins(what: string): void {
    if (this.#unsaid.get(what) === Number.POSITIVE_INFINITY) this.#unsaid.set(what, this.#now());
  }
}
