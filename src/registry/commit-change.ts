import type { Source } from '../component/source.js';
import { StepCount } from '../core/document-change.js';
import type { Precedence } from '../core/precedence.js';
import type { SourceRecord } from '../core/source-record.js';
import { LeaseLost } from '../keep/faults.js';
import type { ChangeCount } from './change.js';
import { differenceOf, type Portion, type Step } from './difference.js';
import { emptySource, type HeldSource } from './held.js';
import {
  documentRows,
  type PreparedCommit,
  type PreparingParts,
  preparedCommit,
  type QuadWriting,
  quadsOf,
} from './prepared-commit.js';
import { SourceAfter } from './source-after.js';
import type { SourceChange } from './source-change.js';
import type { Writer } from './writer.js';

export interface CommitParts extends PreparingParts {
  readonly writer: Writer;
  readonly precedence: () => Precedence;
  /** How quads are written; undefined where the keep holds none. */
  readonly quads: () => QuadWriting | undefined;
}

export interface CommitOptions {
  /** Statements that one commit changes at most. */
  readonly most: number;
  /** What is remembered of a source that is forgotten, until nothing is left of it. */
  readonly forgotten?: SourceRecord;
  /** Breaks it off between two commits. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * From a change to its commits: the difference is worked out while others write, in portions; each is prepared when it has its turn.
 * Where somebody else has changed the source meanwhile, what is left of the change is worked out anew.
 */
export async function commitChange(
  change: SourceChange,
  options: CommitOptions,
  parts: CommitParts,
): Promise<ChangeCount> {
  const { data, writer, pace } = parts;
  const { source, lease } = change;
  const { most, signal } = options;
  const count = new StepCount();
  const difference = () =>
    differenceOf(change, { held: heldSource(source, parts), catalog: data.catalog, most, breathe: pace() });
  let known = data.held.source(source);
  let portions = await difference();
  while (portions.length > 0) {
    signal?.throwIfAborted();
    await writer.write(async () => {
      // In another epoch the data has lost commits, and perhaps the first ones of this poll.
      if (lease && lease.epoch !== data.head.epoch) throw new LeaseLost(lease.name);
      if (data.held.source(source) !== known) {
        known = data.held.source(source);
        portions = await difference();
      }
      return preparedPortion(portions[0] as Portion, change, options, parts);
    }, lease);
    known = data.held.source(source);
    for (const step of portions.shift()?.steps ?? []) count.count(step.kind, () => describing(step));
  }
  return count;
}

/** What is held of a source, at its present rank; also of one of which nothing is known yet. */
export function heldSource(
  source: Source,
  { data, precedence }: Pick<CommitParts, 'data' | 'precedence'>,
): HeldSource {
  const rank = precedence().rank(source);
  return { ...(data.held.source(source) ?? emptySource(source, rank)), rank };
}

async function preparedPortion(
  { steps, documents, hashes, isLast }: Portion,
  change: SourceChange,
  { forgotten }: CommitOptions,
  parts: CommitParts,
): Promise<PreparedCommit> {
  const held = heldSource(change.source, parts);
  const record = forgotten ?? (isLast ? change.record(held.record) : held.record);
  const after = new SourceAfter(held, forgotten && isLast ? undefined : record, hashes);
  const prepared = await preparedCommit(steps, [after], parts);
  const contents = { ...prepared.contents, documents: documentRows(held.source, documents) };
  const writing = parts.quads();
  const quads = writing && (await quadsOf(steps, writing, parts.pace()));
  return { ...prepared, contents, quads };
}

function describing({ after, before }: Step) {
  return after ?? (before as NonNullable<typeof before>).metadata;
}
