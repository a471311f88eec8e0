import { compareText } from '../lib/compare-text.js';
import type { ComponentMetadata, Constraints } from './component-metadata.js';
import { askForSuccess, type Fetch, pageFetch, textOf } from './fetching.js';
import { isOfDocuments } from './graph-shapes.js';
import { HostError } from './host-error.js';
import { readListing } from './listing.js';
import { NodeRing, type NodeState } from './node-ring.js';
import { questionOf } from './question.js';
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

/** Statuses that say that the node is overloaded, or is none; all other refusals leave it in its place. */
const NODE_FAULTS = [404, 405, 408, 429];

/**
 * Asks registry nodes of any make from a browser, with what the specification has (`POST /component/query`). When a
 * node fails, the next one is asked, and the failed one is left alone for a while; when all fail, the last good answer
 * to the same question is given again.
 */
export class RegistryClient {
  readonly #options: Required<Omit<RegistryClientOptions, 'nodes' | 'now'>>;
  readonly #ring: NodeRing;
  /** By the body of the question, the least recently used first; what nodes answered, before it is filtered here. */
  readonly #answers = new Map<string, readonly ComponentMetadata[]>();

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
   * The components for which all constraints hold, in the order of their uris. Nodes that know fewer constraints answer
   * with more, so every answer is filtered here, too.
   * @throws HostError `request` for a constraint that there is not; `status` when every node refuses the question;
   * `network` when no node answers and none did before
   */
  async query(constraints: Constraints = {}): Promise<readonly ComponentMetadata[]> {
    const { body, test } = await questionOf(constraints);
    const found = (await this.#answer(body)).filter(test);
    return found.sort((one, other) => compareText(one.uri, other.uri));
  }

  /**
   * The components that can render a resource, the best first: those that know more of its shapes, then the
   * latest versions. Components for a kind of document (`foaf:PersonalProfileDocument`) are offered when there is
   * none for what the document is about.
   * @param resource a URL; a relative one is resolved against the page
   * @param options how to read the resource; `fetch` is that of the session that may read it
   * @throws HostError when the resource cannot be read, or as `query`
   */
  async componentsFor(resource: string, options: ShapesOptions = {}): Promise<readonly ComponentMetadata[]> {
    const shapes = await shapesOf(resource, { fetch: this.#options.fetch, ...options });
    const better = await this.#knowing(shapes.filter((shape) => !isOfDocuments(shape)));
    return better.length > 0 ? better : this.#knowing(shapes.filter(isOfDocuments));
  }

  /** The components that know any of these shapes, the best first. */
  async #knowing(shapes: readonly string[]): Promise<readonly ComponentMetadata[]> {
    const lists = await Promise.all(shapes.map((shape) => this.query({ shapes: shape })));
    const distinct = new Map(lists.flat().map((component) => [component.uri, component]));
    const known = (component: ComponentMetadata) =>
      shapes.filter((shape) => component.shapes.includes(shape)).length;
    return [...distinct.values()].sort(
      (one, other) => known(other) - known(one) || currency(other) - currency(one) || byLabel(one, other),
    );
  }

  async #answer(body: string): Promise<readonly ComponentMetadata[]> {
    const errors: HostError[] = [];
    for (const node of this.#ring.inOrder()) {
      try {
        const components = await this.#ask(node, body);
        this.#ring.succeeded(node);
        this.#keep(body, components);
        return components;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        errors.push(error);
        if (!isRefusal(error)) this.#ring.failed(node, error.message);
      }
    }
    const kept = this.#answers.get(body);
    if (kept) return kept;
    const [first] = errors;
    if (first && errors.every(isRefusal)) throw first;
    const why = errors.map(({ message }) => message).join('; ');
    throw new HostError('network', `no registry node answers: ${why}`);
  }

  async #ask(node: string, body: string): Promise<readonly ComponentMetadata[]> {
    const { fetch, timeoutMs, maxBytes } = this.#options;
    const response = await askForSuccess(`${node}/component/query`, {
      fetch,
      timeoutMs,
      method: 'POST',
      // One media type: some nodes answer lists with 500.
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      credentials: 'omit',
    });
    return readListing(await textOf(response, maxBytes), node);
  }

  #keep(body: string, components: readonly ComponentMetadata[]): void {
    this.#answers.delete(body);
    this.#answers.set(body, components);
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
