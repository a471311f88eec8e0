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
export interface Fit extends Meaning {
  readonly invocation: Invocation | null;
  readonly missing: Missing;
}

/** Tells how a description fits one question; undefined where it does not fit at all. */
export type Fitting = (metadata: Metadata) => Fit | undefined;

/** Compared number by number: the lower one comes first. */
export function compareOrders(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, i) => number !== other[i]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** The nearer step first. */
export function stepOrder({ step, distance }: Pick<Meaning, 'step' | 'distance'>): readonly number[] {
  return [STEPS.indexOf(step), distance];
}

/** Who covers more of the data first, and what runs in the page before links. */
export function coverageOrder({ coverage, missing, invocation }: Fit): readonly number[] {
  return [-coverage, missing.predicates.length, Number(isLink(invocation))];
}

export function isLink(invocation: Invocation | null): boolean {
  return invocation?.type === KINDS.template;
}

/**
 * What a class covers of the data is worked out once for all descriptions, and how a description fits once for each, so that it
 * can be ranked again among others.
 */
export function fittingTo(plan: MatchPlan): Fitting {
  const missingOf = missingIn(plan);
  const known = new Map<Metadata, { readonly fit: Fit | undefined }>();
  const order = (fit: Fit) => [...stepOrder(fit), ...coverageOrder(fit)];
  return (metadata) => {
    const before = known.get(metadata);
    if (before) return before.fit;
    const { capability = [{}], shapes } = metadata;
    const fits = capability.flatMap((one) => fitBy(one, shapes, plan, missingOf) ?? []);
    const [fit] = fits.sort((one, other) => compareOrders(order(one), order(other)));
    known.set(metadata, { fit });
    return fit;
  };
}

function fitBy(
  { action = DEFAULT_ACTION, resourceType = [], shape = [], accept = [], invocation }: Capability,
  shapes: readonly string[],
  plan: MatchPlan,
  missingOf: ReturnType<typeof missingIn>,
): Fit | undefined {
  if (action !== plan.question.action || invocation?.length === 0) return undefined;
  const own = [...resourceType, ...shape];
  const named = canonicalShapes([...new Set(own.length > 0 ? own : shapes)]);
  const meaning = meaningOf(named, plan) ?? meaningOfMedia(accept, plan);
  if (!meaning || !takes(accept, meaning.step, plan)) return undefined;
  // What runs in a page comes first; without an invocation, the component speaks the events.
  const used = invocation?.find((one) => !isLink(one)) ?? invocation?.[0] ?? null;
  return { ...meaning, invocation: used, missing: missingOf(meaning.step, named) };
}

/** Does it take what the resource is in? Media types beside a class of all files are examples. */
function takes(accept: readonly string[], step: Step, plan: MatchPlan): boolean {
  const { mediaType } = plan.question;
  if (mediaType === undefined || accept.length === 0 || step === 'generic') return true;
  return accept.some((one) => plan.accept.includes(one)) || (isRdfType(mediaType) && accept.some(isRdfType));
}

/** What it means that a component names these classes and shapes: the weightiest; of shapes and of classes, all together. */
function meaningOf(named: readonly string[], { meanings }: MatchPlan): Meaning | undefined {
  const found = named.flatMap((name) => meanings.get(name) ?? []);
  const order = (meaning: Meaning) => [...stepOrder(meaning), -meaning.coverage];
  const [best, ...others] = found.sort((one, other) => compareOrders(order(one), order(other)));
  if (best?.step !== 'shape' && best?.step !== 'class') return best;
  const all = [best, ...others.filter(({ step }) => step === best.step)];
  const coverage = all.reduce((sum, one) => sum + one.coverage, 0);
  const names = all.slice(1).map(({ text }) => text.replace(/^renders /, ' and '));
  return { ...best, coverage, text: best.text + names.join('') };
}

function meaningOfMedia(accept: readonly string[], plan: MatchPlan): Meaning | undefined {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return { step: 'media-type', distance: 0, coverage, text: `takes ${taken}` };
}

/**
 * What of the data is missing in what a capability names. Nothing of what shows anything; properties only where it is known
 * which ones the classes have. It is worked out once for all that name the same.
 */
function missingIn({ question, meanings }: MatchPlan): (step: Step, named: readonly string[]) => Missing {
  const predicates = question.predicates.filter((one) => one !== RDF_TYPE);
  const properties = new Map(predicates.map((name) => [name, canonicalShape(name)]));
  const known = new Map<string, Missing>();
  return (step, named) => {
    if (step === 'media-type' || step === 'generic') return { types: [], predicates: [] };
    const key = named.join(' ');
    const before = known.get(key);
    if (before) return before;
    const covered = named.flatMap((name) => propertiesOf(name) ?? []);
    const isOf = (type: string) => named.some((name) => name === type || moreGeneral(name).has(type));
    const isCovered = (property: string) => covered.some((all) => all.has(property));
    const missing = {
      types: question.types.filter((type) => meanings.get(type)?.step === 'class' && !isOf(type)),
      predicates: [...properties].flatMap(([name, canonical]) =>
        covered.length === 0 || isCovered(canonical) ? [] : [name],
      ),
    };
    known.set(key, missing);
    return missing;
  };
}
