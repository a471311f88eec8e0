import { compareText } from '../lib/compare-text.js';
import { type ComponentMetadata, type Constraints, readListing, searchOf } from './component-metadata.js';
import { ask, type Fetch, giveUp, pageFetch, textOf, unsuccessful } from './fetching.js';
import { HostError } from './host-error.js';
import { NodeRing, type NodeState } from './node-ring.js';
import { type ShapesOptions, shapesOf } from './shapes.js';

export interface RegistryClientOptions {
  /** URLs of registry nodes, the preferred one first. */
  readonly nodes: readonly string[];
  /** Asks the nodes. They need no credentials: do not hand them those of a session. */
  readonly fetch?: Fetch;
  /** For one answer of one node; 8,000 when absent. */
  readonly timeoutMs?: number;
  /** Answers that are kept for reuse; 100 when absent, the least recently used goes first. */
  readonly maxAnswers?: number;
  /** Bytes of one answer; 50,000,000 when absent. */
  readonly maxBytes?: number;
  /** ms since the epoch; the clock of the machine when absent. */
  readonly now?: () => number;
}

interface Answer {
  readonly node: string;
  readonly etag: string | null;
  readonly components: readonly ComponentMetadata[];
}

/** Statuses that speak of the node; all other refusals speak of the request, and another node would repeat them. */
const NODE_FAULTS = [404, 405, 408, 429];

/**
 * Asks registry nodes from a browser. When a node fails, the next one is asked, and the failed one is left alone
 * for a while; when all fail, the last good answer to the same question is given again.
 */
export class RegistryClient {
  readonly #options: Required<Omit<RegistryClientOptions, 'nodes' | 'now'>>;
  readonly #ring: NodeRing;
  /** By the path and parameters asked for, the least recently used first. */
  readonly #answers = new Map<string, Answer>();

  constructor({ nodes, now = () => Date.now(), ...options }: RegistryClientOptions) {
    if (nodes.length === 0) throw new HostError('request', 'a registry client needs at least one node');
    this.#ring = new NodeRing(nodes, now);
    this.#options = { fetch: pageFetch, timeoutMs: 8_000, maxAnswers: 100, maxBytes: 50_000_000, ...options };
  }

  /** The nodes, and which of them fail, since when and why. */
  get nodes(): readonly NodeState[] {
    return this.#ring.states;
  }

  /**
   * The components for which all constraints hold, in the order of their uris.
   * @throws HostError `status` when a node refuses the question; `network` when no node answers and none did before
   */
  async query(constraints: Constraints = {}): Promise<readonly ComponentMetadata[]> {
    const path = `/component${searchOf(constraints)}`;
    const errors: string[] = [];
    for (const node of this.#ring.inOrder()) {
      try {
        const answer = await this.#ask(node, path);
        this.#ring.succeeded(node);
        this.#keep(path, answer);
        return answer.components;
      } catch (error) {
        if (!(error instanceof HostError) || isRefusal(error)) throw error;
        this.#ring.failed(node, error.message);
        errors.push(error.message);
      }
    }
    const kept = this.#answers.get(path);
    if (kept) return kept.components;
    throw new HostError('network', `no registry node answers: ${errors.join('; ')}`);
  }

  /**
   * The components that can render a resource, the best first: those that know more of its shapes, then the
   * latest versions.
   * @param options how to read the resource; `fetch` is that of the session that may read it
   * @throws HostError when the resource cannot be read, or as `query`
   */
  async componentsFor(resource: string, options: ShapesOptions = {}): Promise<readonly ComponentMetadata[]> {
    const shapes = await shapesOf(resource, { fetch: this.#options.fetch, ...options });
    const lists = await Promise.all(shapes.map((shape) => this.query({ shapes: shape })));
    const distinct = new Map(lists.flat().map((component) => [component.uri, component]));
    const known = (component: ComponentMetadata) =>
      shapes.filter((shape) => component.shapes.includes(shape)).length;
    return [...distinct.values()].sort(
      (one, other) => known(other) - known(one) || currency(other) - currency(one) || byLabel(one, other),
    );
  }

  async #ask(node: string, path: string): Promise<Answer> {
    const { fetch, timeoutMs, maxBytes } = this.#options;
    const kept = this.#answers.get(path);
    const own = kept?.node === node ? kept : undefined;
    const headers = {
      accept: 'application/json',
      ...(own?.etag ? { 'if-none-match': own.etag } : {}),
    };
    // The page's cache would answer 304 to itself, and hide a node that is down.
    const response = await ask(node + path, {
      fetch,
      timeoutMs,
      headers,
      cache: 'no-store',
      credentials: 'omit',
    });
    if (response.status === 304 && own) return own;
    if (!response.ok) {
      await giveUp(response);
      throw unsuccessful('GET', node + path, response.status);
    }
    const components = Object.freeze(readListing(await textOf(response, maxBytes), node));
    return { node, etag: response.headers.get('etag'), components };
  }

  #keep(path: string, answer: Answer): void {
    this.#answers.delete(path);
    this.#answers.set(path, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.#options.maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
  }
}

function isRefusal({ status = 0 }: HostError): boolean {
  return status >= 400 && status < 500 && !NODE_FAULTS.includes(status);
}

/** The latest version first, one that is known to be outdated last. */
function currency({ latest }: ComponentMetadata): number {
  return latest === undefined ? 0 : latest ? 1 : -1;
}

function byLabel(one: ComponentMetadata, other: ComponentMetadata): number {
  return one.label.localeCompare(other.label) || compareText(one.uri, other.uri);
}
