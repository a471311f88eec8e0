import type { Query } from '../../component/query.js';
import { isBroken, type Match, type MatchCandidate, rankMatches, standing } from '../../core/match.js';
import { type MatchPlan, STEPS, type Step } from '../../core/match-plan.js';
import { type ModuleState, moduleState } from '../../core/module-health.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { descending, sortedBy } from '../../lib/sort.js';
import type { Catalog } from '../../registry/catalog.js';
import { type Description, withMetadata } from '../../registry/description.js';
import { descriptionsOf, type Page } from '../../registry/page.js';
import type { Reports } from '../operations/reports.js';
import { PerRevision } from '../per-revision.js';
import { groupOf, groupVersions, type VersionGroup } from '../versions/version-groups.js';

/**
 * Components that are ranked for each class or shape: of as many as are looked through, those for which the operator answers and
 * that were seen last; and again as many for which the operator answers, where there are still more.
 */
const MOST = { ranked: 500, lookedThrough: 5_000 } as const;
/** Components of which it is kept that they take some class or media type, and what they say: 1 or 2 kB for each. */
const KEPT = 10_000;

export interface MatchParts {
  readonly catalog: Catalog;
  readonly pace: Pace;
  /** What is known of modules; absent where nobody looks at them. */
  readonly reports?: Pick<Reports, 'moduleFailure'>;
}

/** A component that matches, and its versions. */
export interface MatchedGroup extends MatchCandidate {
  readonly group: VersionGroup;
  /** The head as the engine has it, with its bytes: those are not kept, as they may be a part of a block that was read from a file. */
  readonly stored: Description;
}

export interface FoundMatches {
  /** The best first. */
  readonly matches: Match<MatchedGroup>[];
  /** How many components were ranked, those that are not among the matches included. */
  readonly ranked: number;
  /** Are the modules of everything that was ranked still as they were then? No revision tells that. */
  readonly holds: () => boolean;
}

/** Finds the components that match. The ranking is that of `rankMatches`; here is found what is ranked. */
export type FindMatches = (plan: MatchPlan) => Promise<FoundMatches>;

/** How the module of a component fares; undefined where nobody looks. */
type ModuleOf = (uri: string, pin: Description['pin']) => ModuleState | undefined;

/**
 * Looks for the weightiest steps first, and for less weighty ones only as long as there are fewer matches than wanted:
 * what is found later can never stand before.
 */
export function matchFinder({ catalog, pace, reports }: MatchParts): FindMatches {
  const moduleOf: ModuleOf = (uri, pin) => reports && moduleState(pin, reports.moduleFailure(uri));
  const taking = new PerRevision<readonly Taking[]>(KEPT, ({ length }) => Math.max(1, length));
  return async (plan) => {
    const breathe = pace();
    const found = new Map<string, Taking>();
    const { trust, limit } = plan.question;
    let best: FoundMatches = { matches: [], ranked: 0, holds: () => true };
    let ranked = 0;
    for (const step of STEPS) {
      for (const query of queriesOf(plan, step)) {
        const { revision } = await catalog.state();
        const find = () => finding(catalog, { ...query, trust }, breathe);
        const some = await taking.get(revision, JSON.stringify([trust, query]), find);
        for (const one of some) found.set(one.metadata.uri, one);
        await breathe();
      }
      // Most steps find nothing more, and ranking is much of the work.
      if (found.size > ranked) best = await rank(found.values(), plan, breathe, moduleOf);
      ranked = found.size;
      if (countUpTo(best.matches, step) >= limit) break;
    }
    return best;
  };
}

/** What to ask for: each class or shape, and where data is of several, who renders all of them. */
function queriesOf({ meanings, accept }: MatchPlan, step: Step): Query[] {
  const shapes = [...meanings].filter(([, meaning]) => meaning.step === step).map(([shape]) => shape);
  const isTogether = shapes.length > 1 && (step === 'shape' || step === 'class');
  return [
    ...(isTogether ? [{ shapes }] : []),
    ...shapes.map((shape) => ({ shapes: [shape] })),
    ...(step === 'media-type' ? accept.map((one) => ({ accept: one })) : []),
  ];
}

/** A component that takes a class or media type: what is worked out of it once, for many questions. */
interface Taking extends Description {
  /** The same for all its versions. */
  readonly versionsOf: string;
  readonly stored: Description;
}

async function finding(catalog: Catalog, query: Query, breathe: Breather): Promise<Taking[]> {
  const read: Taking[] = [];
  for (const one of await entriesFor(catalog, query, breathe)) {
    const said = withMetadata(one);
    read.push({ ...said, versionsOf: groupOf(said), stored: one });
    const pause = breathe();
    if (pause) await pause;
  }
  return read;
}

async function entriesFor(catalog: Catalog, query: Query, breathe: Breather): Promise<Description[]> {
  const page = await catalog.page(query, { limit: MOST.lookedThrough });
  const first = await foremost(page, breathe);
  if (page.next === undefined || query.trust !== undefined) return first;
  const trusted = await catalog.page({ ...query, trust: 'configured' }, { limit: MOST.ranked });
  return [...first, ...(await descriptionsOf(trusted))];
}

/** Those that rank first among many, as far as that is known without reading what they say. */
async function foremost(page: Page, breathe: Breather): Promise<Description[]> {
  const all = await descriptionsOf(page);
  if (all.length <= MOST.ranked) return all;
  const key = (one: Description) => `${standing(one)}${descending(one.since)}`;
  return (await sortedBy(all, key, breathe)).slice(0, MOST.ranked);
}

async function rank(
  taking: Iterable<Taking>,
  plan: MatchPlan,
  breathe: Breather,
  moduleOf: ModuleOf,
): Promise<FoundMatches> {
  const groups = groupVersions(taking, ({ versionsOf }) => versionsOf);
  await breathe();
  const candidates = groups.map((group): MatchedGroup => {
    const { metadata, source, trust, since, pin, stored } = group.head;
    const module = moduleOf(metadata.uri, pin);
    return { metadata, source, trust, since, module, versions: group.versions.length, group, stored };
  });
  const matches = rankMatches(candidates, plan);
  return { matches, ranked: candidates.length, holds: holding(candidates, moduleOf) };
}

/** Holds no more of the candidates than it needs: it is kept with the answer. */
function holding(candidates: readonly MatchedGroup[], moduleOf: ModuleOf): () => boolean {
  const seen = candidates.map(({ metadata, stored, module }) => ({
    uri: metadata.uri,
    pin: stored.pin,
    module,
  }));
  return () => seen.every(({ uri, pin, module }) => moduleOf(uri, pin) === module);
}

/** Matches of this step and of weightier ones, as far as their modules work: all that can be found of them has been. */
function countUpTo(matches: readonly Match[], step: Step): number {
  const last = STEPS.indexOf(step);
  return matches.filter(
    ({ candidate, because: [reason] }) => !isBroken(candidate) && STEPS.indexOf(reason?.code as Step) <= last,
  ).length;
}
