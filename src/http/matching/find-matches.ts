import PQueue from 'p-queue';
import type { Catalog, Page } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { sizeOf } from '../../component/component-size.js';
import type { Query } from '../../component/query.js';
import { isBroken, type Match, type MatchCandidate, Ranking, standing } from '../../core/match.js';
import { type Fitting, fittingTo } from '../../core/match-fit.js';
import { type MatchPlan, STEPS, type Step } from '../../core/match-plan.js';
import { moduleState } from '../../core/module-health.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { PoolBusy } from '../../lib/pool/task.js';
import { descending, sortedBy } from '../../lib/sort.js';
import type { Reports } from '../operations/reports.js';
import { groupOf, groupVersions, type VersionGroup } from '../versions/version-groups.js';
import { StateCache } from './state-cache.js';

/**
 * `ranked`: components that are ranked for each class or shape. They are chosen among the first that are `lookedThrough`: those for
 * which the operator answers, and then the newest. Where there are more, as many for which the operator answers are added.
 * `bytes`: of the descriptions read for one step, so that a stranger's large ones neither fill the memory nor keep a question busy.
 */
const MOST = { ranked: 500, lookedThrough: 5_000, bytes: 8_000_000 } as const;
/** What is larger, in bytes, comes after the others of the same trust where there is not room for all: descriptions have 1 or 2 kB. */
const LARGE = 16_384;
/** Bytes of descriptions that are kept with what class or media type they take. */
const KEPT = 8_000_000;
/** Questions that are worked on at a time, each with what it has read, and that may wait. */
const QUESTIONS = { atOnce: 4, waiting: 256 } as const;

export interface MatchParts {
  readonly catalog: Catalog;
  readonly reports: Pick<Reports, 'moduleFailure' | 'moduleMoves'>;
}

/** A component that matches, and its versions. */
export interface MatchedGroup extends MatchCandidate {
  readonly group: VersionGroup;
  /** The head as the catalog has it, with its bytes. */
  readonly stored: Description;
}

/**
 * Finds the components that match, the best first. The ranking is that of `Ranking`; here is found what is ranked.
 * Rejects with PoolBusy when too many questions wait.
 */
type FindMatches = (plan: MatchPlan, pace: Pace) => Promise<Match<MatchedGroup>[]>;

/**
 * Looks for the weightiest steps first, and for less weighty ones only as long as there are fewer matches than wanted:
 * what is found later can never stand before.
 */
export function matchFinder({ catalog, reports }: MatchParts): FindMatches {
  const kept = new StateCache<readonly Renderer[]>(KEPT, (all) =>
    all.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const turns = new PQueue({ concurrency: QUESTIONS.atOnce });
  const keptFor = async (query: Query, bytes: number, breathe: Breather) => {
    const { revision } = await catalog.state();
    const key = JSON.stringify([query, bytes]);
    return kept.get(JSON.stringify(revision), key, () => renderers(catalog, query, bytes, breathe));
  };
  const find = async (plan: MatchPlan, breathe: Breather): Promise<Match<MatchedGroup>[]> => {
    const found = new Map<string, Renderer>();
    const fitting = fittingTo(plan);
    const { trust, limit } = plan.question;
    let best: Match<MatchedGroup>[] = [];
    let ranked = 0;
    for (const step of STEPS) {
      const queries = queriesOf(plan, step);
      for (const query of queries) {
        const some = await keptFor({ ...query, trust }, Math.floor(MOST.bytes / queries.length), breathe);
        for (const one of some) found.set(one.metadata.uri, one);
        await breathe();
      }
      // Most steps find nothing more, and ranking is much of the work.
      if (found.size > ranked) best = await rank(found.values(), { plan, fitting, reports }, breathe);
      ranked = found.size;
      if (countUpTo(best, step) >= limit) break;
    }
    return best;
  };
  return (plan, pace) => {
    if (turns.size >= QUESTIONS.waiting) throw new PoolBusy();
    return turns.add(() => find(plan, pace()));
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

/** A component that renders a class, or takes a media type: what is worked out of it once, for many questions. */
interface Renderer extends Description {
  /** The same for all its versions. */
  readonly versionsOf: string;
  readonly stored: Description;
  /** Of its description, about. */
  readonly bytes: number;
}

/** Those that rank first, and where more take it than are looked through, those for which the operator answers. */
async function renderers(
  catalog: Catalog,
  query: Query,
  room: number,
  breathe: Breather,
): Promise<Renderer[]> {
  const page = await catalog.page(query, { limit: MOST.lookedThrough });
  const found = await foremost(page, room, breathe);
  if (page.next !== undefined && query.trust === undefined) {
    const trusted = await catalog.page({ ...query, trust: 'configured' }, { limit: MOST.ranked });
    found.push(...(await foremost(trusted, room, breathe)));
  }
  const read: Renderer[] = [];
  for (const { stored, bytes: own } of found) {
    const said = withMetadata(stored);
    read.push({ ...said, versionsOf: groupOf(said), stored, bytes: own });
    const pause = breathe();
    if (pause) await pause;
  }
  return read;
}

type Weighed = Pick<Renderer, 'stored' | 'bytes'>;

/** Those that rank first among many, as far as that is known without reading what they say, and as far as there is room. */
async function foremost(page: Page, room: number, breathe: Breather): Promise<Weighed[]> {
  const all: Weighed[] = [];
  let left = room;
  for await (const slice of page.descriptions()) {
    for (const stored of slice) {
      const bytes = stored.json?.byteLength ?? sizeOf(stored.metadata);
      all.push({ stored, bytes });
      left -= bytes;
      const pause = breathe();
      if (pause) await pause;
    }
  }
  if (all.length <= MOST.ranked && left >= 0) return all;
  const key = ({ stored, bytes }: Weighed) =>
    `${standing(stored)}${bytes > LARGE ? 1 : 0}${descending(stored.since)}`;
  const first: Weighed[] = [];
  left = room;
  for (const one of await sortedBy(all, key, breathe)) {
    if (first.length === MOST.ranked) break;
    // What has no room leaves it to smaller ones.
    if (one.bytes > left) continue;
    left -= one.bytes;
    first.push(one);
  }
  return first;
}

interface RankedBy extends Pick<MatchParts, 'reports'> {
  readonly plan: MatchPlan;
  readonly fitting: Fitting;
}

async function rank(
  found: Iterable<Renderer>,
  { plan, fitting, reports }: RankedBy,
  breathe: Breather,
): Promise<Match<MatchedGroup>[]> {
  const groups = groupVersions(found, ({ versionsOf }) => versionsOf);
  await breathe();
  const ranking = new Ranking<MatchedGroup>(plan, fitting);
  for (const group of groups) {
    const { metadata, source, trust, since, pin, stored } = group.head;
    const module = moduleState(pin, reports.moduleFailure(metadata.uri));
    ranking.add({ metadata, source, trust, since, module, group, stored });
    const pause = breathe();
    if (pause) await pause;
  }
  return ranking.matches;
}

/** Matches of this step and of weightier ones, as far as their modules work: all that can be found of them has been. */
function countUpTo(matches: readonly Match[], step: Step): number {
  const last = STEPS.indexOf(step);
  return matches.filter(
    ({ candidate, because: [reason] }) => !isBroken(candidate) && STEPS.indexOf(reason?.code as Step) <= last,
  ).length;
}
