import { canonicalShape, canonicalShapes } from '../component/canonical-shape.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../component/capability.js';
import { moreGeneral } from '../component/close-classes.js';
import { propertiesOf } from '../component/known-classes.js';
import type { Metadata } from '../component/metadata.js';
import { type Source, type SourceTrust, STARTER, sameSource } from '../component/source.js';
import { compareText } from '../lib/compare-text.js';
import { isRdfType, type MatchPlan, STEPS, type Step } from './match-plan.js';

/** A component that may match, as it is served; of several versions the one that stands for all. */
export interface MatchCandidate {
  readonly metadata: Metadata;
  readonly source: Source;
  readonly trust: SourceTrust;
  /** ms since the Unix epoch. */
  readonly since: number;
  /** How many versions of it there are. */
  readonly versions: number;
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
    | 'link';
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

/** Ranks components, the best first: by step, then trust, then coverage, then what runs in the page, then newness. */
export function rankMatches<C extends MatchCandidate>(candidates: Iterable<C>, plan: MatchPlan): Match<C>[] {
  const fitting = [...candidates].flatMap((candidate) => fitOf(candidate, plan) ?? []);
  fitting.sort(
    (one, other) =>
      STEPS.indexOf(one.step) - STEPS.indexOf(other.step) ||
      standing(one.candidate) - standing(other.candidate) ||
      other.coverage - one.coverage ||
      Number(isLink(one)) - Number(isLink(other)) ||
      currency(other.candidate) - currency(one.candidate) ||
      other.candidate.since - one.candidate.since ||
      compareText(one.candidate.metadata.label, other.candidate.metadata.label) ||
      compareText(one.candidate.metadata.uri, other.candidate.metadata.uri),
  );
  return fitting.map((fit) => ({
    candidate: fit.candidate,
    invocation: fit.invocation,
    score: scoreOf(fit),
    because: reasonsOf(fit),
    missing: missingIn(fit, plan),
  }));
}

/** How a component fits, by the best of its capabilities. */
interface Fit<C extends MatchCandidate = MatchCandidate> {
  readonly candidate: C;
  readonly step: Step;
  readonly coverage: number;
  readonly text: string;
  readonly invocation: Invocation | null;
  /** The classes and shapes that it names, canonical. */
  readonly named: readonly string[];
}

function fitOf<C extends MatchCandidate>(candidate: C, plan: MatchPlan): Fit<C> | undefined {
  const { capability = [{}], shapes } = candidate.metadata;
  const fits = capability.flatMap((one) => {
    const invocation = usableIn(one);
    if (invocation === undefined || !isMeant(one, plan)) return [];
    const own = [...(one.resourceType ?? []), ...(one.shape ?? [])];
    const named = canonicalShapes([...new Set(own.length > 0 ? own : shapes)]);
    const because = meaningOf(named, plan) ?? meaningOfMedia(one, plan);
    return because ? [{ candidate, ...because, invocation, named }] : [];
  });
  return fits.sort(
    (one, other) =>
      STEPS.indexOf(one.step) - STEPS.indexOf(other.step) ||
      other.coverage - one.coverage ||
      Number(isLink(one)) - Number(isLink(other)),
  )[0];
}

const KNOWN: readonly string[] = Object.values(KINDS);

/** The invocation to use; null where it speaks the events, undefined where no way is known. What runs in a page comes first. */
function usableIn({ invocation }: Capability): Invocation | null | undefined {
  if (!invocation) return null;
  const known = invocation.filter(({ type }) => KNOWN.includes(type));
  return known.find(({ type }) => type !== KINDS.template) ?? known[0];
}

/** Is it for the action, and does it take what the resource is in? */
function isMeant(
  { action = DEFAULT_ACTION, accept = [] }: Capability,
  { question, ...plan }: MatchPlan,
): boolean {
  const { mediaType } = question;
  if (action !== question.action) return false;
  if (mediaType === undefined || accept.length === 0) return true;
  return accept.some((one) => plan.accept.includes(one)) || (isRdfType(mediaType) && accept.some(isRdfType));
}

/** What it means that a component names these classes and shapes: those of the weightiest step count together. */
function meaningOf(named: readonly string[], { meanings }: MatchPlan) {
  const found = named
    .flatMap((name) => meanings.get(name) ?? [])
    .sort(
      (one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step) || other.coverage - one.coverage,
    );
  const [best] = found;
  if (!best) return undefined;
  if (best.step !== 'shape' && best.step !== 'class') return best;
  const alike = found.filter(({ step }) => step === best.step);
  const coverage = alike.reduce((sum, one) => sum + one.coverage, 0);
  const all = [...meanings.values()].filter(({ step }) => step === best.step).length;
  const names = alike.map(({ text }) => text.replace(/^renders /, '')).join(' and ');
  const share =
    all < 2 ? '' : alike.length === all ? ': all that it is' : `: ${alike.length} of ${all} that it is`;
  return { step: best.step, coverage, text: `renders ${names}${share}` };
}

function meaningOfMedia({ accept = [] }: Capability, plan: MatchPlan) {
  const taken = accept.find((one) => plan.accept.includes(one));
  if (taken === undefined) return undefined;
  const coverage = taken === plan.accept[0] ? 1 : 0.5;
  return { step: 'media-type' as const, coverage, text: `takes ${taken}` };
}

function isLink({ invocation }: Pick<Fit, 'invocation'>): boolean {
  return invocation?.type === KINDS.template;
}

/** What the operator answers for comes first, samples and the starter set last, as in the order in which statements are served. */
function standing({ source, trust }: MatchCandidate): number {
  return source.kind === 'sample' ? 2 : trust === 'learned' ? 1 : 0;
}

function currency({ metadata: { latest } }: MatchCandidate): number {
  return latest === undefined ? 0 : latest ? 1 : -1;
}

/** A part for each step, in it one for each trust, and in that the coverage. */
function scoreOf({ step, candidate, coverage }: Fit): number {
  const within = (2 - standing(candidate) + Math.min(coverage, 0.999)) / 3;
  const all = (STEPS.length - 1 - STEPS.indexOf(step) + within) / STEPS.length;
  return Math.round(all * 10_000) / 10_000;
}

function reasonsOf(fit: Fit): Reason[] {
  const { candidate, step, text } = fit;
  return [
    { code: step, text },
    ...versionReason(candidate),
    ...(isLink(fit) ? [{ code: 'link', text: 'opens it elsewhere, by a link' } as const] : []),
    trustReason(candidate),
  ];
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
function missingIn({ step, named }: Fit, { question, meanings }: MatchPlan): Missing {
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
