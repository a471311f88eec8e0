import { canonicalShape, canonicalShapes } from '../component/canonical-shape.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../component/capability.js';
import { moreGeneral } from '../component/close-classes.js';
import { propertiesOf } from '../component/known-classes.js';
import type { Metadata } from '../component/metadata.js';
import { RDF_TYPE } from '../component/vocabulary.js';
import { remembered } from '../lib/remembered.js';
import { isRdfType, type MatchPlan, type Meaning, type Step, scoreOf } from './match-plan.js';

/** What a component will probably not show, as it does not declare it: classes and properties of the data. */
export interface Missing {
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/** How a component fits data, by the best of its capabilities. */
export interface Fit extends Meaning {
  readonly invocation: Invocation | null;
  readonly missing: Missing;
}

export type Fitting = (metadata: Metadata) => Fit | undefined;

/** Compared number by number: the lower one comes first. */
export function compareOrders(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, i) => number !== other[i]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** What scores more comes first, then what misses less of the data, then what runs in the page before links. */
export function orderOf(fit: Fit, standing = 0): number[] {
  return [-scoreOf(fit, standing), fit.missing.predicates.length, Number(isLink(fit.invocation))];
}

export function isLink(invocation: Invocation | null): boolean {
  return invocation?.type === KINDS.template;
}

/** Worked out once for each description, so that it can be ranked again among others. */
export function fittingTo(plan: MatchPlan): Fitting {
  const missingOf = missingIn(plan);
  return remembered(({ capability = [{}], shapes }) => {
    const fits = capability.flatMap((one) => fitBy(one, shapes, plan, missingOf) ?? []);
    return fits.sort((one, other) => compareOrders(orderOf(one), orderOf(other)))[0];
  });
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

/**
 * What it means that a component names these classes and shapes: the weightiest; of shapes and of classes,
 * all together.
 */
function meaningOf(named: readonly string[], { meanings }: MatchPlan): Meaning | undefined {
  const [best, ...others] = named
    .flatMap((name) => meanings.get(name) ?? [])
    .sort((one, other) => scoreOf(other) - scoreOf(one));
  if (best?.step !== 'shape' && best?.step !== 'class') return best;
  const more = others.filter(({ step }) => step === best.step);
  const coverage = more.reduce((sum, one) => sum + one.coverage, best.coverage);
  const names = more.map(({ text }) => text.replace(/^renders /, ' and '));
  return { ...best, coverage, text: best.text + names.join('') };
}

function meaningOfMedia(accept: readonly string[], plan: MatchPlan): Meaning | undefined {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return { step: 'media-type', distance: 0, coverage, text: `takes ${taken}` };
}

/** What of the data a capability does not name: properties where it is known which ones classes have. */
function missingIn({ question, meanings }: MatchPlan): (step: Step, named: readonly string[]) => Missing {
  const predicates = question.predicates.filter((one) => one !== RDF_TYPE);
  const properties = predicates.map((name) => [name, canonicalShape(name)] as const);
  const missingBeside = remembered((names: string): Missing => {
    const named = names.split(' ');
    const covered = named.flatMap((name) => propertiesOf(name) ?? []);
    const isOf = (type: string) => named.some((name) => name === type || moreGeneral(name).has(type));
    const isCovered = (property: string) => covered.some((all) => all.has(property));
    const types = question.types.filter((type) => meanings.get(type)?.step === 'class' && !isOf(type));
    const uncovered = properties.filter(([, property]) => covered.length > 0 && !isCovered(property));
    return { types, predicates: uncovered.map(([name]) => name) };
  });
  const isAny = (step: Step) => step === 'media-type' || step === 'generic';
  return (step, named) => (isAny(step) ? { types: [], predicates: [] } : missingBeside(named.join(' ')));
}
