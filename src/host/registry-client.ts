import { canonicalShapes, spellingsOf } from '../component/canonical-shape.js';
import { compareText } from '../lib/compare-text.js';
import { grouped } from '../lib/grouped.js';
import { type Agreed, agreedIn, checkListening, type Listening } from './agreement.js';
import { type Candidate, type Match, pinOf } from './candidate.js';
import { type ComponentFacts, type FactsRequest, factsFrom } from './component-facts.js';
import type { ComponentMetadata, Constraints } from './component-metadata.js';
import { type Fetch, pageFetch } from './fetching.js';
import { isOfDocuments } from './graph-shapes.js';
import { HostError, needed } from './host-error.js';
import type { Matched } from './match-answer.js';
import { type NodeAnswer, NodeAnswers } from './node-answers.js';
import type { NodeState } from './node-ring.js';
import { questionOf } from './question.js';
import { ranked } from './ranking.js';
import { kindOf, type ResourceKind, type ShapesOptions } from './shapes.js';
import { readPublic } from './solid-data.js';

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

/** How to read the resource, whom to listen to, and what is to be done. */
export interface MatchOptions extends CandidatesOptions {
  /** `odrl:display` when absent. */
  readonly action?: string;
}

/** What there is for a resource, the best first, and what was left out as in `Candidates`. */
export interface Matches {
  readonly matches: readonly Match[];
  readonly untrusted: number;
}

/** How to read the resource, and whom to listen to. */
export interface CandidatesOptions extends ShapesOptions, Listening {}

/**
 * Asks registry nodes of any make from a browser, with what the specification has (`POST /component/query`). When a
 * node fails, the next one is asked, and the failed one is left alone for a while; when all fail, the last good answer
 * to the same question is given again.
 */
export class RegistryClient {
  readonly #fetch: Fetch;
  readonly #asking: FactsRequest;
  readonly #answers: NodeAnswers;
  readonly #now: () => number;

  constructor({ nodes, now = () => Date.now(), ...options }: RegistryClientOptions) {
    if (nodes.length === 0) throw new HostError('request', 'a registry client needs at least one node');
    const { fetch = pageFetch, timeoutMs = 8_000, maxAnswers = 100, maxBytes = 50_000_000 } = options;
    this.#fetch = fetch;
    this.#now = now;
    this.#asking = { fetch, timeoutMs, maxBytes };
    this.#answers = new NodeAnswers(nodes, now, { ...this.#asking, maxAnswers });
  }

  /** The nodes, and which of them fail, since when and why. */
  get nodes(): readonly NodeState[] {
    return this.#answers.states;
  }

  /**
   * The components for which all constraints hold, whoever says so, in the order of their uris. Nodes that know fewer
   * constraints answer with more, so every answer is filtered here, too.
   * @throws HostError `request` for a constraint that there is not; `status` when every node refuses the question;
   * `network` when no node answers and none did before
   */
  async query(constraints: Constraints = {}): Promise<readonly ComponentMetadata[]> {
    const { body, test } = await questionOf(constraints);
    const found = (await this.#answers.first(body)).components.filter(test);
    return found.sort((one, other) => compareText(one.uri, other.uri));
  }

  /**
   * The components that can render a resource, the best first (see `ranked`), each with why it is offered. What nobody
   * answers for is left out unless `trust` is `any` or `sources` names who says so. Components for a kind of document
   * (`foaf:PersonalProfileDocument`) are offered when there is none for what the document is about, and those that show
   * anything (`rdfs:Resource`, or what is in a media type) come last.
   * @param resource a URL; a relative one is resolved against the page
   * @param options how to read the resource; `fetch` is that of the session that may read it. And whom to listen to
   * @throws HostError when the resource cannot be read, when fewer nodes answer than must agree, or as `query`
   */
  async componentsFor(resource: string, options: CandidatesOptions = {}): Promise<readonly Candidate[]> {
    return (await this.candidatesFor(resource, options)).candidates;
  }

  /** The same, and how many components were left out because nobody answers for them. */
  async candidatesFor(resource: string, options: CandidatesOptions = {}): Promise<Candidates> {
    checkListening(options, this.nodes.length);
    return this.#candidates(
      await kindOf(resource, { ...options, fetch: options.fetch ?? this.#fetch }),
      options,
    );
  }

  /**
   * The components that fit a resource best, by what a node says (`POST /match`), each with why and with what it will
   * probably not show. The first five are checked against the shapes that they name, in the page; those to which the resource does not
   * conform come after the other four. Nodes are told the classes, properties and media type of the resource, and no value of it.
   * Where no node can say it, and where several nodes must agree, they are the candidates of `componentsFor`.
   * @throws HostError as `componentsFor`
   */
  async match(resource: string, options: MatchOptions = {}): Promise<Matches> {
    checkListening(options, this.nodes.length);
    const kind = await kindOf(resource, { ...options, fetch: options.fetch ?? this.#fetch });
    const matches = await this.#matching(kind, options);
    if (matches.length > 0) return { matches, untrusted: 0 };
    const { candidates, untrusted } = await this.#candidates(kind, options);
    return { matches: candidates.map((one) => ({ ...one, reasons: [] })), untrusted };
  }

  /**
   * What a node knows of a component by itself, for pages that decide whom they run: by the first node that tells it.
   * @throws HostError when no node answers
   */
  async facts(uri: string): Promise<ComponentFacts | undefined> {
    return factsFrom(
      this.nodes.map(({ url }) => url),
      uri,
      this.#asking,
    );
  }

  async #matching(kind: ResourceKind, options: MatchOptions): Promise<readonly Match[]> {
    const { sources, agree = 1, trust = sources ? 'any' : 'configured', action } = options;
    if (agree > 1) return [];
    const { checkShapes, matchBody } = await needed(import('./matching.js'), 'finds what fits');
    const body = matchBody(kind, { action, trust: trust === 'any' ? undefined : trust });
    const answer = await this.#answers.first(body, 'match').catch(asNone);
    if (!answer) return [];
    const known = canonicalShapes([...kind.shapes, ...kind.general]);
    const matches = agreedIn([answer], options, this.#now()).agreed.map((one): Match => {
      const { reasons, missing, ...component } = one.component as Matched;
      const has = canonicalShapes(component.shapes).filter((shape) => known.includes(shape));
      const shapes = has.length > 0 ? has : component.shapes;
      return { ...candidateOf({ ...one, component }, shapes), reasons, missing };
    });
    return checkShapes(matches, kind, action, readPublic);
  }

  async #candidates(
    { shapes, general, fault }: ResourceKind,
    options: CandidatesOptions,
  ): Promise<Candidates> {
    const [about, anything] = await Promise.all([
      this.#knowing(
        shapes.filter((shape) => !isOfDocuments(shape)),
        options,
      ),
      Promise.all(general.map((shape) => this.#knowing([shape], options))),
    ]);
    const ofDocuments =
      about.candidates.length > 0 ? NONE : await this.#knowing(shapes.filter(isOfDocuments), options);
    const found = [about, ofDocuments, ...anything];
    const all = found.flatMap((one) => one.candidates);
    const candidates = all.filter(({ uri }, i) => all.findIndex((one) => one.uri === uri) === i);
    if (fault && candidates.length === 0) throw fault;
    return { candidates, untrusted: found.reduce((sum, one) => sum + one.untrusted, 0) };
  }

  /** The components that know any of these shapes, the best first. */
  async #knowing(shapes: readonly string[], listening: Listening): Promise<Candidates> {
    const found = await Promise.all(
      shapes.map(async (shape) => ({ shape, ...(await this.#knowingOne(shape, listening)) })),
    );
    const byUri = new Map<string, Candidate>();
    for (const { shape, agreed } of found) {
      for (const one of agreed) {
        const { uri } = one.component;
        byUri.set(uri, candidateOf(one, [...(byUri.get(uri)?.because.shapes ?? []), shape]));
      }
    }
    const untrusted = found.reduce((sum, one) => sum + one.untrusted, 0);
    return { candidates: ranked([...byUri.values()]), untrusted };
  }

  async #knowingOne(shape: string, listening: Listening): Promise<ReturnType<typeof agreedIn>> {
    const answers = await Promise.all(spellingsOf(shape).map((one) => this.#answersTo(one, listening)));
    return agreedIn(together(answers.flat()), listening, this.#now());
  }

  async #answersTo(shape: string, { agree = 1 }: Listening): Promise<readonly NodeAnswer[]> {
    const { body, test } = await questionOf({ shapes: shape });
    const answers = agree === 1 ? [await this.#answers.first(body)] : await this.#answers.ofEach(body, agree);
    return answers.map(({ node, components }) => ({ node, components: components.filter(test) }));
  }
}

/** One answer of each node. */
function together(answers: readonly NodeAnswer[]): NodeAnswer[] {
  const byNode = grouped(answers, ({ node }) => node);
  return [...byNode].map(([node, own]) => ({
    node,
    components: own.flatMap(({ components }) => components),
  }));
}

/** A node that cannot say what fits may still be one that answers queries; those fail by themselves when it is down. */
function asNone(error: unknown): undefined {
  if (!(error instanceof HostError)) throw error;
}

const NONE: Candidates = { candidates: [], untrusted: 0 };

/** What there is for a resource. */
export interface Candidates {
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** Descriptions that would have been candidates if nobody had to answer for them. */
  readonly untrusted: number;
}

function candidateOf({ component, trust, saidBy }: Agreed, shapes: readonly string[]): Candidate {
  const pinned = pinOf(component);
  return { ...component, because: { shapes, trust, saidBy, pinned } };
}
