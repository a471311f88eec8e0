/** What somebody says of one component. */
export interface Saying {
  readonly uri: string;
  readonly label: string;
}

/** What the operator of a node trusts. */
export interface Trusted {
  /** URLs, in order of precedence. */
  readonly peers: readonly string[];
  readonly pods: readonly string[];
}

/** What is really so in a simulated network, as those who decide it know it: authors and operators. */
export class Truth {
  /** By the URL of the pod: what each document says, by the URL of the document. */
  readonly pods = new Map<string, Map<string, Saying>>();
  /** Pods that only those can reach who have configured them. */
  readonly privatePods = new Set<string>();
  /** By the URL of the node: what was posted to it, by uri. */
  readonly posted = new Map<string, Map<string, Saying>>();
  /** By the URL of the node. */
  readonly operators = new Map<string, Trusted>();

  /** Uris that were described once. */
  readonly everSaid = new Set<string>();

  write(pod: string, document: string, saying: Saying): void {
    const documents = this.pods.get(pod) ?? new Map<string, Saying>();
    this.pods.set(pod, documents.set(document, saying));
    this.everSaid.add(saying.uri);
  }

  erase(pod: string, document: string): void {
    this.pods.get(pod)?.delete(document);
  }

  post(node: string, saying: Saying): void {
    const sayings = this.posted.get(node) ?? new Map<string, Saying>();
    this.posted.set(node, sayings.set(saying.uri, saying));
    this.everSaid.add(saying.uri);
  }

  unpost(node: string, uri: string): void {
    this.posted.get(node)?.delete(uri);
  }
}
