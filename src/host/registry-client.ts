import { canonicalShapes, indexedValues, spellingsOf } from '../component/canonical-shape.js';
import { shapeIri } from '../component/shape-names.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { type ComponentMetadata, type Constraints, type Match, trustIn } from './component-metadata.js';
import { type Fetch, pageFetch } from './fetching.js';
import { HostError } from './host-error.js';
import type { Listed } from './listing.js';
import { checkShapes, matchBody } from './matching.js';
import { type AskNodes, type NodeAnswer, nodesToAsk } from './node-answers.js';
import { kindOf, type ResourceKind, type ShapesOptions } from './shapes.js';

export interface RegistryClientOptions {
  /** URLs of registry nodes, the preferred one first. */
  readonly nodes: readonly string[];
  /** Asks the nodes. They need no credentials: do not hand them those of a session. */
  readonly fetch?: Fetch;
}

/** Whose descriptions a page takes. */
export interface Listening {
  /**
   * Only descriptions of these sources count, by their URLs: pods, peers, and nodes for what was posted to them. How far they
   * are trusted does not matter then, unless `trust` says otherwise.
   */
  readonly sources?: readonly string[];
  /**
   * `own`: only what was posted to the node that is asked; `configured`, the default: that, and the sources that its
   * operator has named; `any`: also those that it has learned of from other nodes, for which nobody answers.
   */
  readonly trust?: 'own' | 'configured' | 'any';
}

/** How to read the resource, whom to listen to, and what is to be done. */
export interface MatchOptions extends ShapesOptions, Listening {
  /** `odrl:display` when absent. */
  readonly action?: string;
}

/**
 * Asks registry nodes of any make from a browser, and takes the order in which they answer. When a node fails, the next one is
 * asked, and the failed one is left alone for a while; when all fail, the last good answer to the same question is given again.
 */
export class RegistryClient {
  readonly #fetch: Fetch;
  readonly #ask: AskNodes;

  constructor({ nodes, fetch = pageFetch }: RegistryClientOptions) {
    if (nodes.length === 0) throw new HostError('request', 'a registry client needs at least one node');
    this.#fetch = fetch;
    this.#ask = nodesToAsk(nodes, fetch);
  }

  /**
   * The components for which all constraints hold, whoever says so. Nodes judge the constraints; because nodes of other makes
   * ignore some, shapes are looked at here, too.
   * @throws HostError `status` when every node refuses the question; `network` when no node answers and none did before
   */
  async query(constraints: Constraints = {}): Promise<readonly ComponentMetadata[]> {
    return (await this.#answerTo(constraints)).components;
  }

  /** The same as `match`. */
  componentsFor(resource: string, options: MatchOptions = {}): Promise<readonly Match[]> {
    return this.match(resource, options);
  }

  /**
   * The components that fit a resource, the best first, by what a node says (`POST /match`), each with why and with what it
   * will probably not show. The first five are checked against the shapes that they name, in the page; those to which the
   * resource does not conform come after the other four. Nodes are told the classes, properties and media type of the resource,
   * and no value of it. Where no node can say what fits, they are those that know a shape of the resource.
   *
   * What nobody answers for is left out unless `trust` is `any` or `sources` names who says so.
   * @param resource a URL; a relative one is resolved against the page
   * @param options `fetch` is that of the session that may read the resource
   * @throws HostError when the resource cannot be read, or as `query`
   */
  async match(resource: string, options: MatchOptions = {}): Promise<readonly Match[]> {
    const { trust = 'any' } = options;
    if (!['own', 'configured', 'any'].includes(trust))
      throw new HostError('request', `there is no trust ${trust}; there are own, configured, any`);
    const kind = await kindOf(resource, { ...options, fetch: options.fetch ?? this.#fetch });
    return (await this.#fitting(kind, options)) ?? (await this.#knowing(kind, options));
  }

  /** Undefined where no node can say what fits. */
  async #fitting(kind: ResourceKind, options: MatchOptions): Promise<readonly Match[] | undefined> {
    const body = matchBody(kind, { action: options.action, trust: leastTrust(options) });
    // A node that cannot say it may still be one that answers queries; those fail by themselves when it is down.
    const answer = await this.#ask({ path: 'match', body }).catch((error): undefined => {
      if (!(error instanceof HostError)) throw error;
    });
    const heard = answer && heardIn(answer, options).map((one) => matchOf(one, kind));
    return heard && checkShapes(heard, kind, options.action);
  }

  /** The components that know a shape of the resource: of the telling ones first. */
  async #knowing(kind: ResourceKind, options: MatchOptions): Promise<readonly Match[]> {
    // Nodes of other makes compare texts.
    const shapes = kind.shapes.flatMap(spellingsOf);
    const answers = await Promise.all(shapes.map((shape) => this.#answerTo({ shapes: shape })));
    const heard = answers.flatMap((answer) => heardIn(answer, options));
    return [...new Map(heard.map((one) => [one.uri, matchOf(one, kind)])).values()];
  }

  /** Shapes are sent as IRIs in an array: nodes of other makes know no prefixes. */
  async #answerTo({ shapes, ...others }: Constraints): Promise<NodeAnswer> {
    const wanted = [shapes ?? []].flat().map(shapeIri);
    const body = { ...others, shapes: wanted.length === 0 ? undefined : wanted };
    const { node, components } = await this.#ask({ path: 'component/query', body });
    const hasAll = (component: Listed) => {
      const rendered = indexedValues(component, 'shapes');
      return canonicalShapes(wanted).every((shape) => rendered.includes(shape));
    };
    return { node, components: components.filter(hasAll) };
  }
}

/** What is trusted less is not taken; undefined where everything is. */
function leastTrust({ sources, trust = sources ? 'any' : 'configured' }: Listening) {
  return trust === 'any' ? undefined : trust;
}

/** The components of an answer to which a page listens. */
function heardIn({ node, components }: NodeAnswer, listening: Listening): Listed[] {
  const least = leastTrust(listening);
  const named = listening.sources?.map(comparable);
  return components.filter((one) => {
    const trust = trustIn(one);
    const isTrusted = least === undefined || trust === 'own' || trust === least;
    return isTrusted && named?.includes(sourceUrl(node, one)) !== false;
  });
}

/** The pod or peer that describes a component to a node; the node itself for what was posted there. */
function sourceUrl(node: string, { source }: ComponentMetadata): string {
  return comparable(source?.kind === 'pod' || source?.kind === 'peer' ? source.url : node);
}

/** The same text for all forms of a URL that mean the same, as far as that can be told. */
function comparable(url: string): string {
  return withoutTrailingSlashes(URL.canParse(url) ? new URL(url).href : url);
}

function matchOf(component: Listed, { shapes }: ResourceKind): Match {
  const known = canonicalShapes(shapes);
  const has = indexedValues(component, 'shapes').filter((shape) => known.includes(shape));
  return { ...component, shown: has.length > 0 ? has : component.shapes, reasons: component.reasons ?? [] };
}
