import { backOff } from '../lib/back-off.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { askForSuccess, type Fetch, textOf } from './fetching.js';
import { HostError } from './host-error.js';
import { type Listed, readListing, readMatches } from './listing.js';

/** One registry node, and whether it answers. */
export interface NodeState {
  /** Without a trailing slash. */
  readonly url: string;
  /** Why the last request to it failed, and since when (ms since the epoch) no request has succeeded. */
  readonly error?: string;
  readonly failingSince?: number;
}

/** What a node answered to a question. */
export interface NodeAnswer {
  /** URL of the node, without a trailing slash. */
  readonly node: string;
  readonly components: readonly Listed[];
}

export interface NodeAnswersOptions {
  readonly fetch: Fetch;
  /** For one answer of one node. */
  readonly timeoutMs: number;
  /** Answers that are kept for reuse, the least recently used goes first. */
  readonly maxAnswers: number;
  /** Bytes of one answer. */
  readonly maxBytes: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** What nodes can be asked, by the path behind their URL. Nodes of other makes have the first alone. */
const READERS = { 'component/query': readListing, match: readMatches } as const;
type QuestionPath = keyof typeof READERS;

/** Statuses that say that the node is overloaded, or is none; all other refusals leave it in its place. */
const NODE_FAULTS = [404, 405, 408, 429];
/** How long a node that failed is left alone, in ms. */
const REST = { first: 10_000, longest: 300_000 };

interface Member {
  state: NodeState;
  failures: number;
  restUntil: number;
}

/** Puts questions to nodes, and remembers what they answered. */
export class NodeAnswers {
  readonly #members: readonly Member[];
  readonly #options: NodeAnswersOptions;
  /** By node, path and body of the question, the least recently used first. */
  readonly #kept = new Map<string, NodeAnswer>();

  constructor(nodes: readonly string[], options: NodeAnswersOptions) {
    const distinct = [...new Set(nodes.map((url) => withoutTrailingSlashes(url)))];
    this.#members = distinct.map((url) => ({ state: { url }, failures: 0, restUntil: 0 }));
    this.#options = options;
  }

  get states(): readonly NodeState[] {
    return this.#members.map(({ state }) => state);
  }

  /**
   * The answer of the first node that gives one; when none does, the last one that was given.
   * @throws HostError `status` when every node refuses the question; `network` when none answers and none did before
   */
  async first(body: string, path: QuestionPath = 'component/query'): Promise<NodeAnswer> {
    const errors: HostError[] = [];
    const members = this.#inOrder();
    const keyOf = ({ state }: Member) => `${state.url} ${path} ${body}`;
    for (const member of members) {
      try {
        const answer = await this.#ask(member, body, path);
        Object.assign(member, { state: { url: answer.node }, failures: 0, restUntil: 0 });
        this.#keep(keyOf(member), answer);
        return answer;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        errors.push(error);
        if (!isRefusal(error) && !lacks(error, path)) this.#failed(member, error.message);
      }
    }
    const keys = members.map(keyOf);
    const [, latest] = [...this.#kept].filter(([key]) => keys.includes(key)).at(-1) ?? [];
    if (latest) return latest;
    throw noAnswer(errors);
  }

  /** Members in the order to ask them: as given, but those that failed lately last, the longest rested first. */
  #inOrder(): Member[] {
    const now = this.#options.now();
    const rest = ({ restUntil }: Member) => Math.max(0, restUntil - now);
    return [...this.#members].sort((one, other) => rest(one) - rest(other));
  }

  #failed(member: Member, error: string): void {
    const now = this.#options.now();
    member.failures += 1;
    member.restUntil = now + backOff(member.failures, REST);
    member.state = { url: member.state.url, error, failingSince: member.state.failingSince ?? now };
  }

  async #ask({ state }: Member, body: string, path: QuestionPath): Promise<NodeAnswer> {
    const { fetch, timeoutMs, maxBytes } = this.#options;
    const response = await askForSuccess(`${state.url}/${path}`, {
      fetch,
      timeoutMs,
      method: 'POST',
      // One media type: some nodes answer lists with 500.
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      credentials: 'omit',
    });
    return { node: state.url, components: READERS[path](await textOf(response, maxBytes), state.url) };
  }

  #keep(key: string, answer: NodeAnswer): void {
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#options.maxAnswers && oldest !== undefined) this.#kept.delete(oldest);
  }
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
