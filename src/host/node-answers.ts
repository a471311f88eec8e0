import type { ComponentMetadata } from './component-metadata.js';
import { askForSuccess, type Fetch, textOf } from './fetching.js';
import { HostError } from './host-error.js';
import { readListing } from './listing.js';
import { readMatches } from './match-answer.js';
import { NodeRing, type NodeState } from './node-ring.js';

/** What a node answered to a question, before it is filtered here. */
export interface NodeAnswer {
  /** URL of the node, without a trailing slash. */
  readonly node: string;
  readonly components: readonly ComponentMetadata[];
}

export interface NodeAnswersOptions {
  readonly fetch: Fetch;
  /** For one answer of one node. */
  readonly timeoutMs: number;
  /** Answers that are kept for reuse, the least recently used goes first. */
  readonly maxAnswers: number;
  /** Bytes of one answer. */
  readonly maxBytes: number;
}

/** Statuses that say that the node is overloaded, or is none; all other refusals leave it in its place. */
const NODE_FAULTS = [404, 405, 408, 429];

/** What nodes can be asked, by the path behind their URL, and how the answers are read. Nodes of other makes have the first alone. */
const READERS = { 'component/query': readListing, match: readMatches } as const;
export type QuestionPath = keyof typeof READERS;

/** Puts questions to nodes, and remembers what they answered. */
export class NodeAnswers {
  readonly #ring: NodeRing;
  readonly #options: NodeAnswersOptions;
  /** By node and body of the question, the least recently used first. */
  readonly #kept = new Map<string, NodeAnswer>();

  constructor(nodes: readonly string[], now: () => number, options: NodeAnswersOptions) {
    this.#ring = new NodeRing(nodes, now);
    this.#options = options;
  }

  get states(): readonly NodeState[] {
    return this.#ring.states;
  }

  /**
   * The answer of the first node that gives one; when none does, the last one that was given.
   * @throws HostError `status` when every node refuses the question; `network` when none answers and none did before
   */
  async first(body: string, path: QuestionPath = 'component/query'): Promise<NodeAnswer> {
    const errors: HostError[] = [];
    const nodes = this.#ring.inOrder();
    for (const node of nodes) {
      const answer = await this.#ask(node, body, path);
      if (!(answer instanceof HostError)) return answer;
      errors.push(answer);
    }
    const kept = nodes.map((node) => keyOf(node, body));
    const latest = [...this.#kept].filter(([key]) => kept.includes(key)).at(-1);
    if (latest) return latest[1];
    throw noAnswer(errors);
  }

  async #ask(node: string, body: string, path: QuestionPath): Promise<NodeAnswer | HostError> {
    try {
      const answer = { node, components: await this.#read(node, body, path) };
      this.#ring.succeeded(node);
      this.#keep(answer, body);
      return answer;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (!isRefusal(error) && !lacks(error, path)) this.#ring.failed(node, error.message);
      return error;
    }
  }

  async #read(node: string, body: string, path: QuestionPath): Promise<readonly ComponentMetadata[]> {
    const { fetch, timeoutMs, maxBytes } = this.#options;
    const response = await askForSuccess(`${node}/${path}`, {
      fetch,
      timeoutMs,
      method: 'POST',
      // One media type: some nodes answer lists with 500.
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      credentials: 'omit',
    });
    return READERS[path](await textOf(response, maxBytes), node);
  }

  #keep(answer: NodeAnswer, body: string): void {
    const key = keyOf(answer.node, body);
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#options.maxAnswers && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function keyOf(node: string, body: string): string {
  return `${node} ${body}`;
}

function noAnswer(errors: readonly HostError[]): HostError {
  const [first] = errors;
  if (first && errors.every(isRefusal)) return first;
  const why = errors.map(({ message }) => message).join('; ');
  return new HostError('network', `no registry node answers: ${why}`);
}

/** A node of another make, or an earlier release, has not all paths. */
function lacks({ status = 0 }: HostError, path: QuestionPath): boolean {
  return path !== 'component/query' && [404, 405].includes(status);
}

function isRefusal({ status = 0 }: HostError): boolean {
  return status >= 400 && status < 500 && !NODE_FAULTS.includes(status);
}
