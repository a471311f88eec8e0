import { canonicalShape, canonicalShapes } from '../component/canonical-shape.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../component/capability.js';
import { moreGeneral } from '../component/close-classes.js';
import { propertiesOf } from '../component/known-classes.js';
import type { Metadata } from '../component/metadata.js';
import { RDF_TYPE } from '../component/vocabulary.js';
import { isRdfType, type MatchPlan, type Meaning, STEPS, type Step } from './match-plan.js';

/** What a component will probably not show, because it does not declare it: classes and properties of the data. */
export interface Missing {
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/** How a component fits data, by the best of its capabilities. */
export interface Fit {
  readonly step: Step;
  readonly distance: number;
  readonly coverage: number;
  /** For people, as what follows the name of the component. */
  readonly text: string;
  readonly invocation: Invocation | null;
  readonly missing: Missing;
}

/** Tells how a description fits one question; undefined where it does not fit at all. */
export type Fitting = (metadata: Metadata) => Fit | undefined;

/**
 * What a class covers of the data is worked out once for all descriptions, and how a description fits once for each, so that it
 * can be ranked again among others.
 */
export function fittingTo(plan: MatchPlan): Fitting {
  const missingOf = missingIn(plan);
  const known = new WeakMap<Metadata, { readonly fit: Fit | undefined }>();
  return (metadata) => {
    const before = known.get(metadata);
    if (before) return before.fit;
    const { capability = [{}], shapes } = metadata;
    const [fit] = capability.flatMap((one) => fitBy(one, shapes, plan, missingOf) ?? []).sort(compareFits);
    known.set(metadata, { fit });
    return fit;
  };
}

function fitBy(
  capability: Capability,
  shapes: readonly string[],
  plan: MatchPlan,
  missingOf: (step: Step, named: readonly string[]) => Missing,
): Fit | undefined {
  if ((capability.action ?? DEFAULT_ACTION) !== plan.question.action) return undefined;
  const invocation = usableIn(capability);
  if (invocation === undefined) return undefined;
  const own = [...(capability.resourceType ?? []), ...(capability.shape ?? [])];
  const named = canonicalShapes([...new Set(own.length > 0 ? own : shapes)]);
  const meaning = meaningOf(named, plan) ?? meaningOfMedia(capability, plan);
  if (!meaning || !takes(capability, meaning.step, plan)) return undefined;
  return { ...meaning, invocation, missing: missingOf(meaning.step, named) };
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
  return other.coverage - one.coverage || one.missing.predicates.length - other.missing.predicates.length;
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

/** What it means that a component names these classes and shapes: the weightiest; of shapes and of classes, all together. */
function meaningOf(named: readonly string[], { meanings }: MatchPlan): Meaning | undefined {
  const found = named.flatMap((name) => meanings.get(name) ?? []);
  const [best, ...others] = found.sort((one, other) => byStep(one, other) || other.coverage - one.coverage);
  if (best?.step !== 'shape' && best?.step !== 'class') return best;
  const all = [best, ...others.filter(({ step }) => step === best.step)];
  const coverage = all.reduce((sum, one) => sum + one.coverage, 0);
  const names = all.slice(1).map(({ text }) => text.replace(/^renders /, ' and '));
  return { ...best, coverage, text: best.text + names.join('') };
}

function meaningOfMedia({ accept = [] }: Capability, plan: MatchPlan): Meaning | undefined {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return { step: 'media-type', distance: 0, coverage, text: `takes ${taken}` };
}

const NOTHING: Missing = { types: [], predicates: [] };

/**
 * What of the data is missing in what a capability names. Nothing of what shows anything; properties only where it is known
 * which ones the classes have. It is worked out once for all that name the same.
 */
function missingIn({ question, meanings }: MatchPlan): (step: Step, named: readonly string[]) => Missing {
  const predicates = question.predicates
    .filter((one) => one !== RDF_TYPE)
    .map((name) => ({ name, canonical: canonicalShape(name) }));
  const known = new Map<string, Missing>();
  return (step, named) => {
    if (step === 'media-type' || step === 'generic') return NOTHING;
    const key = named.join(' ');
    const before = known.get(key);
    if (before) return before;
    const covered = named.flatMap((name) => propertiesOf(name) ?? []);
    const isMissing = (type: string) =>
      meanings.get(type)?.step === 'class' &&
      !named.some((name) => name === type || moreGeneral(name).has(type));
    const missing = {
      types: question.types.filter(isMissing),
      predicates: predicates
        .filter(({ canonical }) => covered.length > 0 && !covered.some((all) => all.has(canonical)))
        .map(({ name }) => name),
    };
    known.set(key, missing);
    return missing;
  };
}
