import type { Invocation } from '../component/capability.js';
import type { Metadata } from '../component/metadata.js';
import type { Source, SourceTrust } from '../component/source.js';
import { compareText } from '../lib/compare-text.js';
import { compareOrders, type Fit, fittingTo, isLink, type Missing, orderOf } from './match-fit.js';
import { type MatchPlan, type Step, scoreOf } from './match-plan.js';
import type { ModuleState } from './module-health.js';

/** A component that may match, as it is served; of several versions the one that stands for all. */
export interface MatchCandidate {
  readonly metadata: Metadata;
  readonly source: Source;
  readonly trust: SourceTrust;
  readonly since: number;
  /** Of its module, where that is known. */
  readonly module?: ModuleState | undefined;
}

/** A reason, for programs and for people: the text goes on where the name of the component stands. */
export interface Reason {
  readonly code: Step | keyof typeof TEXTS;
  readonly text: string;
}

export interface Match<C extends MatchCandidate = MatchCandidate> {
  readonly candidate: C;
  /** The invocation of its capability that is to be used; null: by `entry` and the four events. */
  readonly invocation: Invocation | null;
  /** Between 0 and 1; the order of matches follows it as far as it goes. */
  readonly score: number;
  readonly because: readonly Reason[];
  readonly missing: Missing;
}

interface Ranked<C extends MatchCandidate = MatchCandidate> {
  readonly candidate: C;
  readonly fit: Fit;
  readonly order: readonly number[];
}

/**
 * Ranks components, as many as the question wants, the best first: those whose module works before those that
 * no host could run; then by step and distance, trust, coverage, links last, and newness. They are added one
 * by one, so that other work can come in between.
 */
export class Ranking<C extends MatchCandidate> {
  #best: Ranked<C>[] = [];

  /** @param fitting to the same plan, where candidates are ranked more than once */
  constructor(
    readonly plan: MatchPlan,
    readonly fitting = fittingTo(plan),
  ) {}

  add(candidate: C): void {
    const { metadata, since } = candidate;
    const fit = this.fitting(metadata);
    if (!fit) return;
    const latest = metadata.latest === undefined ? 0 : metadata.latest ? -1 : 1;
    const fits = orderOf(fit, standing(candidate));
    this.#best.push({ candidate, fit, order: [Number(isBroken(candidate)), ...fits, latest, -since] });
    if (this.#best.length > this.plan.question.limit + SORTED_AT_ONCE) this.#cut();
  }

  get matches(): Match<C>[] {
    this.#cut();
    return this.#best.map((ranked) => ({
      candidate: ranked.candidate,
      invocation: ranked.fit.invocation,
      score: shownScore(ranked),
      because: reasonsOf(ranked),
      missing: ranked.fit.missing,
    }));
  }

  #cut(): void {
    this.#best = this.#best.sort(compareRanked).slice(0, this.plan.question.limit);
  }
}

/** Candidates that are gathered before the worst of them are dropped. */
const SORTED_AT_ONCE = 100;

function compareRanked({ order, candidate: { metadata } }: Ranked, other: Ranked): number {
  const { label, uri } = other.candidate.metadata;
  const byOrder = compareOrders(order, other.order);
  return byOrder || compareText(metadata.label, label) || compareText(metadata.uri, uri);
}

export function isBroken({ module }: Pick<MatchCandidate, 'module'>): boolean {
  return module === 'dead' || module === 'changed';
}

/**
 * What the operator answers for comes first, samples and the starter set last, as in the order in which
 * statements are served.
 */
export function standing({ source, trust }: Pick<MatchCandidate, 'source' | 'trust'>): number {
  return source.kind === 'sample' ? 2 : trust === 'learned' ? 1 : 0;
}

/** The score of what cannot run: lower than that of everything that works. */
const BROKEN = 0.01;

function shownScore({ candidate, fit }: Ranked): number {
  const score = scoreOf(fit, standing(candidate)) * (isBroken(candidate) ? BROKEN : 1);
  return Math.round(score * 10_000) / 10_000;
}

const TEXTS = {
  latest: 'its latest version',
  outdated: 'its author says that it is not the latest version',
  link: 'opens it elsewhere, by a link',
  own: 'described by a source that this node was told to trust',
  configured: 'described by a source that this node was told to trust',
  learned: 'described by a source that other nodes know',
  sample: 'a sample that comes with this node',
  dead: 'its module cannot be had, so it comes last',
  changed: 'the bytes of its module have changed, so it comes last',
} as const;

function reasonsOf({ candidate, fit }: Ranked): Reason[] {
  const { source, trust, module, metadata } = candidate;
  const { latest } = metadata;
  const codes: (keyof typeof TEXTS | false)[] = [
    latest !== undefined && (latest ? 'latest' : 'outdated'),
    isLink(fit.invocation) && 'link',
    source.kind === 'sample' ? 'sample' : trust,
    (module === 'dead' || module === 'changed') && module,
  ];
  return [
    { code: fit.step, text: fit.text },
    ...codes.flatMap((code) => (code ? { code, text: TEXTS[code] } : [])),
  ];
}
