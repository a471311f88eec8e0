/** What is really so in a simulated network, as those who decide it know it: authors and operators. */

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

type Sayings = Map<string, Saying>;

export class Truth {
  /** By the URL of the pod: what each document says, by the URL of the document. */
  readonly pods = new Map<string, Sayings>();
  /** Pods that only those can reach who have configured them. */
  readonly privatePods = new Set<string>();
  /** By the URL of the node: what was posted to it, by uri. */
  readonly posted = new Map<string, Sayings>();
  /** By the URL of the node. */
  readonly operators = new Map<string, Trusted>();
  /** Until when something was not said that had been said before, by what it is; without an end while it is not said. */
  readonly #unsaid = new Map<string, number>();
  readonly #now: () => number;

  /** @param now ms since the simulation began */
  constructor(now: () => number) {
    this.#now = now;
  }

  write(pod: string, document: string, saying: Saying): void {
    const before = this.pods.get(pod)?.get(document);
    if (before && before.uri !== saying.uri) this.#ends(document, before.uri);
    sayingsOf(this.pods, pod).set(document, saying);
    this.#begins(document, saying.uri);
  }

  erase(pod: string, document: string): void {
    const before = this.pods.get(pod)?.get(document);
    if (before) this.#ends(document, before.uri);
    this.pods.get(pod)?.delete(document);
  }

  post(node: string, saying: Saying): void {
    sayingsOf(this.posted, node).set(saying.uri, saying);
    this.#begins(node, saying.uri);
  }

  unpost(node: string, uri: string): void {
    this.#ends(node, uri);
    this.posted.get(node)?.delete(uri);
  }

  /** What was posted to a node is what it was at another time. */
  repost(node: string, sayings: Iterable<Saying>): void {
    for (const uri of this.posted.get(node)?.keys() ?? []) this.unpost(node, uri);
    for (const { uri, label } of sayings) this.post(node, { uri, label });
  }

  /** A pod says that it holds nothing, until the function that is returned is called. */
  silence(pod: string): () => void {
    this.#ends(pod, '');
    return () => this.#begins(pod, '');
  }

  /** Has a pod said since a time that it holds nothing? */
  wasSilent(pod: string, since: number): boolean {
    return this.#wasUnsaid(pod, '', since);
  }

  /** Does a document say something of a component, and has it said so all the time since, or from its beginning? */
  isSaid(pod: string, document: string, uri: string, since: number): boolean {
    return this.pods.get(pod)?.get(document)?.uri === uri && !this.#wasUnsaid(document, uri, since);
  }

  /** The same of what was posted to a node. */
  isPosted(node: string, uri: string, since: number): boolean {
    return this.posted.get(node)?.has(uri) === true && !this.#wasUnsaid(node, uri, since);
  }

  #wasUnsaid(by: string, uri: string, since: number): boolean {
    return (this.#unsaid.get(`${by} ${uri}`) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  #ends(by: string, uri: string): void {
    this.#unsaid.set(`${by} ${uri}`, Number.POSITIVE_INFINITY);
  }

  #begins(by: string, uri: string): void {
    const key = `${by} ${uri}`;
    if (this.#unsaid.get(key) === Number.POSITIVE_INFINITY) this.#unsaid.set(key, this.#now());
  }
}

function sayingsOf(all: Map<string, Sayings>, by: string): Sayings {
  const sayings = all.get(by) ?? new Map();
  all.set(by, sayings);
  return sayings;
}
