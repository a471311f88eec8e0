import { canonicalShape, canonicalShapes } from '../component/canonical-shape.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../component/capability.js';
import { FARTHEST, moreGeneral } from '../component/close-classes.js';
import { propertiesOf } from '../component/known-classes.js';
import type { Metadata } from '../component/metadata.js';
import { type Source, type SourceTrust, STARTER, sameSource } from '../component/source.js';
import { compareText } from '../lib/compare-text.js';
import { isRdfType, type MatchPlan, type Meaning, STEPS, type Step } from './match-plan.js';
import { isUnusable, type ModuleState } from './module-health.js';

/** A component that may match, as it is served; of several versions the one that stands for all. */
export interface MatchCandidate {
  readonly metadata: Metadata;
  readonly source: Source;
  readonly trust: SourceTrust;
  /** ms since the Unix epoch. */
  readonly since: number;
  /** How many versions of it there are. */
  readonly versions: number;
  /** Of its module; absent where nobody looks at modules. */
  readonly module?: ModuleState | undefined;
}

/** A reason, for programs and for people: the text goes on where the name of the component stands. */
export interface Reason {
  readonly code:
    | Step
    | 'own'
    | 'configured'
    | 'learned'
    | 'sample'
    | 'latest'
    | 'outdated'
    | 'newest'
    | 'link'
    | 'dead'
    | 'changed';
  readonly text: string;
}

export interface Match<C extends MatchCandidate = MatchCandidate> {
  readonly candidate: C;
  /** The invocation of its capability that is to be used; null: by `entry` and the four events. */
  readonly invocation: Invocation | null;
  /** Between 0 and 1; the order of matches follows it as far as it goes. */
  readonly score: number;
  /** Why, the weightiest first. */
  readonly because: readonly Reason[];
  /** What it will probably not show, because it does not declare it: classes and properties of the data. */
  readonly missing: Missing;
}

export interface Missing {
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/**
 * Ranks components, the best first: those whose module works before those that no host could run; then by step, and of close classes by how near they are; then by trust, then by how much of the
 * classes and of the properties of the data they cover, then what runs in the page before links, then by newness.
 */
export function rankMatches<C extends MatchCandidate>(candidates: Iterable<C>, plan: MatchPlan): Match<C>[] {
  const fitting = [...candidates].flatMap((candidate) => fitOf(candidate, plan) ?? []);
  fitting.sort(
    (one, other) =>
      Number(isBroken(one.candidate)) - Number(isBroken(other.candidate)) ||
      byStep(one, other) ||
      standing(one.candidate) - standing(other.candidate) ||
      byCoverage(one, other) ||
      Number(isLink(one)) - Number(isLink(other)) ||
      currency(other.candidate) - currency(one.candidate) ||
      other.candidate.since - one.candidate.since ||
      compareText(one.candidate.metadata.label, other.candidate.metadata.label) ||
      compareText(one.candidate.metadata.uri, other.candidate.metadata.uri),
  );
  return fitting.slice(0, plan.question.limit).map((fit) => ({
    candidate: fit.candidate,
    invocation: fit.invocation,
    score: scoreOf(fit),
    because: reasonsOf(fit),
    missing: fit.missing,
  }));
}

/** How a component fits, by the best of its capabilities. */
interface Fit<C extends MatchCandidate = MatchCandidate> extends Meaning {
  readonly candidate: C;
  readonly invocation: Invocation | null;
  readonly missing: Missing;
}

function byStep(one: Meaning, other: Meaning): number {
  return STEPS.indexOf(one.step) - STEPS.indexOf(other.step) || one.distance - other.distance;
}

function byCoverage(one: Fit, other: Fit): number {
  return other.coverage - one.coverage || one.missing.predicates.length - other.missing.predicates.length;
}

function fitOf<C extends MatchCandidate>(candidate: C, plan: MatchPlan): Fit<C> | undefined {
  const { capability = [{}], shapes } = candidate.metadata;
  const fits = capability.flatMap((one) => {
    const invocation = usableIn(one);
    if (invocation === undefined || (one.action ?? DEFAULT_ACTION) !== plan.question.action) return [];
    const own = [...(one.resourceType ?? []), ...(one.shape ?? [])];
    const named = canonicalShapes([...new Set(own.length > 0 ? own : shapes)]);
    const because = meaningOf(named, plan) ?? meaningOfMedia(one, plan);
    if (!because || !takes(one, because.step, plan)) return [];
    return [{ candidate, ...because, invocation, missing: missingIn(because.step, named, plan) }];
  });
  return fits.sort(
    (one, other) =>
      byStep(one, other) || byCoverage(one, other) || Number(isLink(one)) - Number(isLink(other)),
  )[0];
}

const KNOWN: readonly string[] = Object.values(KINDS);

/** The invocation to use; null where it speaks the events, undefined where no way is known. What runs in a page comes first. */
function usableIn({ invocation }: Capability): Invocation | null | undefined {
  if (!invocation) return null;
  const known = invocation.filter(({ type }) => KNOWN.includes(type));
  return known.find(({ type }) => type !== KINDS.template) ?? known[0];
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

/** What it means that a component names these classes and shapes: those of the weightiest step count together. */
function meaningOf(named: readonly string[], { meanings }: MatchPlan): Meaning | undefined {
  const found = named
    .flatMap((name) => meanings.get(name) ?? [])
    .sort((one, other) => byStep(one, other) || other.coverage - one.coverage);
  const [best] = found;
  if (!best) return undefined;
  if (best.step !== 'shape' && best.step !== 'class') return best;
  const alike = found.filter(({ step }) => step === best.step);
  const coverage = alike.reduce((sum, one) => sum + one.coverage, 0);
  const all = [...meanings.values()].filter(({ step }) => step === best.step).length;
  const names = alike.map(({ text }) => text.replace(/^renders /, '')).join(' and ');
  const share =
    all < 2 ? '' : alike.length === all ? ': all that it is' : `: ${alike.length} of ${all} that it is`;
  return { ...best, coverage, text: `renders ${names}${share}` };
}

function meaningOfMedia({ accept = [] }: Capability, plan: MatchPlan): Meaning | undefined {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return { step: 'media-type', distance: 0, coverage, text: `takes ${taken}` };
}

/** Does no host run it, whatever it says of itself? */
export function isBroken({ module = 'unknown' }: Pick<MatchCandidate, 'module'>): boolean {
  return isUnusable(module);
}

function isLink({ invocation }: Pick<Fit, 'invocation'>): boolean {
  return invocation?.type === KINDS.template;
}

/** What the operator answers for comes first, samples and the starter set last, as in the order in which statements are served. */
export function standing({ source, trust }: Pick<MatchCandidate, 'source' | 'trust'>): number {
  return source.kind === 'sample' ? 2 : trust === 'learned' ? 1 : 0;
}

function currency({ metadata: { latest } }: MatchCandidate): number {
  return latest === undefined ? 0 : latest ? 1 : -1;
}

/** The score of what cannot run: lower than that of everything that works. */
const BROKEN = 0.01;

/** Each step has a range of scores, each distance and trust a range within it, and coverage orders what is in that. */
function scoreOf({ step, distance, candidate, coverage }: Fit): number {
  const trusted = (2 - standing(candidate) + Math.min(coverage, 0.999)) / 3;
  const within = distance === 0 ? trusted : 1 - (distance - trusted) / (FARTHEST + 1);
  const all = (STEPS.length - 1 - STEPS.indexOf(step) + within) / STEPS.length;
  return Math.round(all * (isBroken(candidate) ? BROKEN : 1) * 10_000) / 10_000;
}

function reasonsOf(fit: Fit): Reason[] {
  const { candidate, step, text } = fit;
  return [
    { code: step, text },
    ...versionReason(candidate),
    ...(isLink(fit) ? [{ code: 'link', text: 'opens it elsewhere, by a link' } as const] : []),
    trustReason(candidate),
    ...moduleReason(candidate),
  ];
}

function moduleReason({ module }: MatchCandidate): Reason[] {
  if (module === 'dead') return [{ code: 'dead', text: 'its module cannot be had, so it comes last' }];
  if (module !== 'changed') return [];
  return [{ code: 'changed', text: 'the bytes of its module have changed, so it comes last' }];
}

function versionReason({ metadata: { latest }, versions }: MatchCandidate): Reason[] {
  if (latest) return [{ code: 'latest', text: 'its latest version' }];
  if (latest === false)
    return [{ code: 'outdated', text: 'its author says that it is not the latest version' }];
  return versions > 1 ? [{ code: 'newest', text: `the newest of ${versions} versions` }] : [];
}

function trustReason({ source, trust }: MatchCandidate): Reason {
  if (source.kind === 'sample') {
    const what = sameSource(source, STARTER) ? 'in the starter set' : 'a sample';
    return { code: 'sample', text: `${what} that comes with this node` };
  }
  return trust === 'learned'
    ? { code: trust, text: 'described by a source that other nodes know' }
    : { code: trust, text: 'described by a source that this node was told to trust' };
}

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Nothing of what shows anything; properties only where it is known which ones the component is for. */
function missingIn(step: Step, named: readonly string[], { question, meanings }: MatchPlan): Missing {
  if (step === 'media-type' || step === 'generic') return { types: [], predicates: [] };
  const types = question.types.filter(
    (type) =>
      !named.includes(type) &&
      meanings.get(type)?.step === 'class' &&
      !named.some((name) => moreGeneral(name).has(type)),
  );
  const known = named.flatMap((name) => propertiesOf(name) ?? []);
  const predicates = question.predicates.filter(
    (one) => one !== RDF_TYPE && !known.some((properties) => properties.has(canonicalShape(one))),
  );
  return { types, predicates: known.length === 0 ? [] : predicates };
}
