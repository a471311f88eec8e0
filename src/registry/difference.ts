import type { ComponentCatalog } from '../catalog/component-catalog.js';
import { itemOf } from '../catalog/edited.js';
import { documentKey, type Entry } from '../catalog/entry.js';
import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import {
  type DocumentChange,
  documentSteps,
  eachDocumentOnce,
  isRegrouped,
  type StatementStep,
} from '../core/document-change.js';
import { type DocumentRecord, unread } from '../core/document-record.js';
import { HashChange, type SourceHashes } from '../core/source-digests.js';
import type { Breather } from '../lib/pace.js';
import type { HeldSource } from './held.js';
import type { SourceChange } from './source-change.js';

/** Statements that one commit changes at most (design, section 5). */
export const MOST_AT_ONCE = 10_000;
/** Statements that one commit removes of a source that is forgotten. */
export const FORGOTTEN_AT_ONCE = 2_000;

/** What becomes of one statement. `told`: it is said as before, and gets a position because its pin has changed. */
export interface Step {
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
  readonly kind: StatementStep<Entry>['kind'] | 'told';
  readonly before?: Entry | undefined;
  readonly after?: Metadata | undefined;
  /** `DocumentRecord.of`, before and afterwards. */
  readonly of: { readonly before: string; readonly after: string };
}

/** What one commit does of a change. */
export interface Portion {
  /** Those that get a position, in its order; and those that only come to another source of the peer. */
  readonly steps: readonly Step[];
  /** By URL; null for a document that goes. */
  readonly documents: ReadonlyMap<string, DocumentRecord | null>;
  readonly hashes: HashChange;
  /** The record of the source comes with it, and nothing after it. */
  readonly isLast: boolean;
}

/** Where a difference is taken from. */
export interface DifferenceParts {
  readonly held: HeldSource;
  readonly catalog: Pick<ComponentCatalog, 'document'>;
  /** Statements that one commit changes at most. */
  readonly most: number;
  readonly breathe: Breather;
}

/**
 * What a change does to what is stored, in as many portions as need commits of their own: first what comes and changes, then what
 * goes. Of a document whose portions are not all stored, nothing is remembered that would keep it from being read again; and the
 * digests fit what is stored behind each of them. Gives way to other work: the source must not change meanwhile.
 * @throws DigestMismatch; TypeError, see `documentSteps`
 */
export async function differenceOf(change: SourceChange, parts: DifferenceParts): Promise<Portion[]> {
  const { held, most, breathe } = parts;
  const documents = eachDocumentOnce(change.documents);
  const steps: Step[] = [];
  for (const one of documents) {
    for (const step of stepsOf(one, parts)) {
      if (step) steps.push(step);
      await breathe();
    }
  }
  const parted = inPortions(steps, most);
  const records = recordsOf(parted, documents, held);
  const portions: Portion[] = [];
  let before: SourceHashes = held.hashes;
  for (const [at, some] of parted.entries()) {
    const hashes = new HashChange(before);
    for (const step of some) {
      hashStep(step, hashes);
      await breathe();
    }
    before = hashes.all;
    const isLast = at === parted.length - 1;
    portions.push({ steps: some, documents: records[at] ?? new Map(), hashes, isLast });
  }
  portions.at(-1)?.hashes.verify(change.expected);
  return portions;
}

/** Undefined for what stays as it is, which is looked at, too. */
function* stepsOf(
  change: DocumentChange,
  { held: { source, documents }, catalog }: DifferenceParts,
): Generator<Step | undefined> {
  const { url: document, record } = change;
  const { said } = catalog.document(documentKey({ source, document }));
  const known = documents.get(document)?.record ?? {};
  const before = { record: known, said, find: (uri: string) => itemOf(said, uri), metadataOf };
  const of = { before: known.of ?? '', after: (record ?? known).of ?? '' };
  for (const step of documentSteps(change, before)) {
    const isUntouched = step.kind === 'kept' && !isRegrouped(record, known);
    const { uri } = step.after ?? step.before;
    yield isUntouched ? undefined : { source, document, uri, of, ...step };
  }
}

function metadataOf(entry: Entry): Metadata {
  return entry.metadata;
}

function hashStep({ kind, document, of, before, after }: Step, hashes: HashChange): void {
  const isSame = kind === 'kept' || kind === 'moved';
  if (isSame && of.before === of.after) return;
  if (before) hashes.remove(of.before, document, before.metadata);
  if (after) hashes.add(of.after, document, after);
}

/**
 * What goes comes last, where it does not fit into one commit. Steps that keep what is stored need no room: first of all, what
 * comes to another source of the peer comes there as it is.
 */
function inPortions(steps: readonly Step[], most: number): readonly (readonly Step[])[] {
  const placed = steps.filter(({ kind }) => kind !== 'kept');
  if (placed.length <= most) return [steps];
  const isRemoval = ({ kind }: Step) => kind === 'removed';
  const ordered = [...placed.filter((step) => !isRemoval(step)), ...placed.filter(isRemoval)];
  const settled = ordered.map(withinOne);
  const portions: Step[][] = [];
  for (let from = 0; from < settled.length; from += most) portions.push(settled.slice(from, from + most));
  portions[0]?.unshift(...steps.flatMap(regrouping));
  return portions;
}

function regrouping(step: Step): Step[] {
  const { kind, before, of } = step;
  if (!before || of.before === of.after) return [];
  return [kind === 'kept' ? step : { ...step, kind: 'kept', after: before.metadata }];
}

/** The step when its document has come to the other source of the peer. */
function withinOne(step: Step): Step {
  const { before, after } = step.of;
  return before === after ? step : { ...step, of: { before: after, after } };
}

/** What each portion leaves of documents: of one whose last step is still to come, what makes it be read again. */
function recordsOf(
  portions: readonly (readonly Step[])[],
  changes: readonly DocumentChange[],
  { documents }: HeldSource,
): Map<string, DocumentRecord | null>[] {
  const records = portions.map(() => new Map<string, DocumentRecord | null>());
  const given = new Map(changes.map(({ url, record }) => [url, record]));
  const lastPortion = new Map(changes.map(({ url }) => [url, portions.length - 1]));
  for (const [at, steps] of portions.entries()) {
    for (const url of new Set(steps.map(({ document }) => document))) {
      const [record, known] = [given.get(url), documents.get(url)?.record];
      records[at]?.set(url, unread({ ...(known ?? record), of: (record ?? known)?.of }));
      lastPortion.set(url, at);
    }
  }
  for (const [url, record] of given) records[lastPortion.get(url) ?? 0]?.set(url, record);
  return records;
}
