import { canonicalShapes, spellingsOf } from '../component/canonical-shape.js';
import { compareText } from '../lib/compare-text.js';
import { type Candidate, type Match, pinOf } from './candidate.js';
import { type ComponentMetadata, type Constraints, trustIn } from './component-metadata.js';
import { type Fetch, pageFetch } from './fetching.js';
import { isOfDocuments } from './graph-shapes.js';
import { HostError, needed } from './host-error.js';
import { checkListening, heardIn, type Listening } from './listening.js';
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
  readonly #answers: NodeAnswers;

  constructor({ nodes, now = () => Date.now(), ...options }: RegistryClientOptions) {
    if (nodes.length === 0) throw new HostError('request', 'a registry client needs at least one node');
    const { fetch = pageFetch, timeoutMs = 8_000, maxAnswers = 100, maxBytes = 50_000_000 } = options;
    this.#fetch = fetch;
    this.#answers = new NodeAnswers(nodes, now, { fetch, timeoutMs, maxBytes, maxAnswers });
  }

  /** The nodes, and which of them fail, since when and why. */
  get nodes(): readonly NodeState[] {
    return this.#answers.states;
  }

  /**
   * The components for which all constraints hold, whoever says so, in the order of their uris. Nodes judge the constraints;
   * because nodes of other makes ignore some, shapes are looked at here, too.
   * @throws HostError `status` when every node refuses the question; `network` when no node answers and none did before
   */
  async query(constraints: Constraints = {}): Promise<readonly ComponentMetadata[]> {
    const { body, test } = questionOf(constraints);
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
   * @throws HostError when the resource cannot be read, or as `query`
   */
  async componentsFor(resource: string, options: CandidatesOptions = {}): Promise<readonly Candidate[]> {
    return (await this.candidatesFor(resource, options)).candidates;
  }

  /** The same, and how many components were left out because nobody answers for them. */
  async candidatesFor(resource: string, options: CandidatesOptions = {}): Promise<Candidates> {
    checkListening(options);
    return this.#candidates(
      await kindOf(resource, { ...options, fetch: options.fetch ?? this.#fetch }),
      options,
    );
  }

  /**
   * The components that fit a resource best, by what a node says (`POST /match`), each with why and with what it will
   * probably not show. The first five are checked against the shapes that they name, in the page; those to which the resource does not
   * conform come after the other four. Nodes are told the classes, properties and media type of the resource, and no value of it.
   * Where no node can say it, they are the candidates of `componentsFor`.
   * @throws HostError as `componentsFor`
   */
  async match(resource: string, options: MatchOptions = {}): Promise<Matches> {
    checkListening(options);
    const kind = await kindOf(resource, { ...options, fetch: options.fetch ?? this.#fetch });
    const matches = await this.#matching(kind, options);
    if (matches.length > 0) return { matches, untrusted: 0 };
    const { candidates, untrusted } = await this.#candidates(kind, options);
    return { matches: candidates.map((one) => ({ ...one, reasons: [] })), untrusted };
  }

  async #matching(kind: ResourceKind, options: MatchOptions): Promise<readonly Match[]> {
    const { sources, trust = sources ? 'any' : 'configured', action } = options;
    const { checkShapes, matchBody } = await needed(import('./matching.js'), 'finds what fits');
    const body = matchBody(kind, { action, trust: trust === 'any' ? undefined : trust });
    const answer = await this.#answers.first(body, 'match').catch(asNone);
    if (!answer) return [];
    const known = canonicalShapes([...kind.shapes, ...kind.general]);
    const matches = heardIn([answer], options).components.map((one): Match => {
      const { reasons, missing, ...component } = one as Matched;
      const has = canonicalShapes(component.shapes).filter((shape) => known.includes(shape));
      const shapes = has.length > 0 ? has : component.shapes;
      return { ...candidateOf(component, shapes), reasons, missing };
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
    for (const { shape, components } of found)
      for (const one of components) {
        const known = byUri.get(one.uri)?.because.shapes ?? [];
        byUri.set(one.uri, candidateOf(one, [...known, shape]));
      }
    const untrusted = found.reduce((sum, one) => sum + one.untrusted, 0);
    return { candidates: ranked([...byUri.values()]), untrusted };
  }

  async #knowingOne(shape: string, listening: Listening) {
    return heardIn(await Promise.all(spellingsOf(shape).map((one) => this.#answerTo(one))), listening);
  }

  async #answerTo(shape: string): Promise<NodeAnswer> {
    const { body, test } = questionOf({ shapes: shape });
    const { node, components } = await this.#answers.first(body);
    return { node, components: components.filter(test) };
  }
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

function candidateOf(component: ComponentMetadata, shapes: readonly string[]): Candidate {
  return { ...component, because: { shapes, trust: trustIn(component), pinned: pinOf(component) } };
}
