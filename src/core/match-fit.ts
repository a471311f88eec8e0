import { canonicalShapes } from '../component/canonical-shape.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../component/capability.js';
import { moreGeneral } from '../component/close-classes.js';
import type { Metadata } from '../component/metadata.js';
import { isRdfType, type MatchPlan, type Meaning, STEPS, type Step } from './match-plan.js';
import { PredicateCoverage } from './predicate-coverage.js';

/** How a component fits data, by the best of its capabilities; without the words, which only those need that are answered. */
export interface Fit {
  readonly step: Step;
  readonly distance: number;
  readonly coverage: number;
  /** What the names mean by which it fits, the weightiest first. */
  readonly meanings: readonly [Meaning, ...Meaning[]];
  /** The canonical IRIs of classes and shapes that the capability names. */
  readonly named: readonly string[];
  readonly invocation: Invocation | null;
  /** How many properties of the data it will probably not show. */
  readonly missing: number;
}

export interface Missing {
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/**
 * How descriptions fit one question. What a class covers of the data is worked out once for all of them, and how a description
 * fits once for each, so that it can be ranked again among others.
 */
export class Fitting {
  readonly #plan: MatchPlan;
  readonly #coverage: PredicateCoverage;
  readonly #known = new WeakMap<Metadata, { readonly fit: Fit | undefined }>();
  /** How many names mean something in a step. */
  readonly #named: ReadonlyMap<Step, number>;

  constructor(plan: MatchPlan) {
    this.#plan = plan;
    this.#coverage = new PredicateCoverage(plan.question.predicates);
    const steps = [...plan.meanings.values()].map(({ step }) => step);
    this.#named = new Map(STEPS.map((step) => [step, steps.filter((one) => one === step).length]));
  }

  /** Undefined where it does not fit at all. */
  of(metadata: Metadata): Fit | undefined {
    const known = this.#known.get(metadata);
    if (known) return known.fit;
    const fit = this.#best(metadata);
    this.#known.set(metadata, { fit });
    return fit;
  }

  /** The words for it, which follow the name of the component. */
  text({ meanings }: Fit): string {
    const [best] = meanings;
    if (!countTogether(best)) return best.text;
    const all = this.#named.get(best.step) ?? 0;
    const names = meanings.map(({ text }) => text.replace(/^renders /, '')).join(' and ');
    if (all < 2) return `renders ${names}`;
    return `renders ${names}: ${meanings.length === all ? 'all that it is' : `${meanings.length} of ${all} that it is`}`;
  }

  /** Nothing of what shows anything; properties only where it is known which ones the component is for. */
  missing({ step, named }: Fit): Missing {
    if (showsAnything(step)) return { types: [], predicates: [] };
    const { question, meanings } = this.#plan;
    const types = question.types.filter(
      (type) =>
        !named.includes(type) &&
        meanings.get(type)?.step === 'class' &&
        !named.some((name) => moreGeneral(name).has(type)),
    );
    return { types, predicates: this.#coverage.missingNames(named) };
  }

  #best({ capability = [{}], shapes }: Metadata): Fit | undefined {
    let best: Fit | undefined;
    for (const one of capability) {
      const fit = this.#fitBy(one, shapes);
      if (fit && (!best || compareFits(fit, best) < 0)) best = fit;
    }
    return best;
  }

  #fitBy(capability: Capability, shapes: readonly string[]): Fit | undefined {
    const plan = this.#plan;
    if ((capability.action ?? DEFAULT_ACTION) !== plan.question.action) return undefined;
    const invocation = usableIn(capability);
    if (invocation === undefined) return undefined;
    const own = [...(capability.resourceType ?? []), ...(capability.shape ?? [])];
    const named = canonicalShapes([...new Set(own.length > 0 ? own : shapes)]);
    const meanings = meaningsOf(named, plan) ?? meaningOfMedia(capability, plan);
    if (!meanings || !takes(capability, meanings[0].step, plan)) return undefined;
    const { step, distance } = meanings[0];
    const missing = showsAnything(step) ? 0 : this.#coverage.missing(named);
    return { step, distance, coverage: coverageOf(meanings), meanings, named, invocation, missing };
  }
}

function showsAnything(step: Step): boolean {
  return step === 'media-type' || step === 'generic';
}

/** The better fit first: by step and distance, by coverage, and what runs in the page before links. */
function compareFits(one: Fit, other: Fit): number {
  return byStep(one, other) || byCoverage(one, other) || Number(isLink(one)) - Number(isLink(other));
}

type Placed = Pick<Fit, 'step' | 'distance'>;

export function byStep(one: Placed, other: Placed): number {
  return STEPS.indexOf(one.step) - STEPS.indexOf(other.step) || one.distance - other.distance;
}

export function byCoverage(one: Fit, other: Fit): number {
  return other.coverage - one.coverage || one.missing - other.missing;
}

export function isLink({ invocation }: Pick<Fit, 'invocation'>): boolean {
  return invocation?.type === KINDS.template;
}

/** The invocation to use; null where it speaks the events, undefined where no way is known. What runs in a page comes first. */
function usableIn({ invocation }: Capability): Invocation | null | undefined {
  if (!invocation) return null;
  return invocation.find(({ type }) => type !== KINDS.template) ?? invocation[0];
}

/** Does it take what the resource is in? Media types beside a class of all files are examples. */
function takes(
  { accept = [] }: Capability,
  step: Step,
  { question: { mediaType }, ...plan }: MatchPlan,
): boolean {
  if (mediaType === undefined || accept.length === 0 || step === 'generic') return true;
  return accept.some((one) => plan.accept.includes(one)) || (isRdfType(mediaType) && accept.some(isRdfType));
}

/** Of shapes and classes, all that are named count together. */
function countTogether({ step }: Placed): boolean {
  return step === 'shape' || step === 'class';
}

type Meanings = Fit['meanings'];

/** What it means that a component names these classes and shapes: the weightiest, or all that count together. */
function meaningsOf(named: readonly string[], { meanings }: MatchPlan): Meanings | undefined {
  const [best, ...others] = named
    .flatMap((name) => meanings.get(name) ?? [])
    .sort((one, other) => byStep(one, other) || other.coverage - one.coverage);
  if (!best) return undefined;
  if (!countTogether(best)) return [best];
  return [best, ...others.filter(({ step }) => step === best.step)];
}

function coverageOf(meanings: Meanings): number {
  return meanings.reduce((sum, one) => sum + one.coverage, 0);
}

function meaningOfMedia({ accept = [] }: Capability, plan: MatchPlan): Meanings | undefined {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return [{ step: 'media-type', distance: 0, coverage, text: `takes ${taken}` }];
}
