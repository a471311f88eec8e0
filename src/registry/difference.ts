import type { DocumentStatements } from '../catalog/documents.js';
import { itemOf } from '../catalog/edited.js';
import { documentKey, type Entry } from '../catalog/entry.js';
import { type Metadata, sameMetadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import {
  type DocumentBefore,
  type DocumentChange,
  documentSteps,
  eachDocumentOnce,
  hashStep,
  isRegrouped,
  type StatementStep,
  StepCount,
} from '../core/document-change.js';
import { type DocumentRecord, unread } from '../core/document-record.js';
import { HashChange, NO_HASHES, type SourceHashes } from '../core/source-digests.js';
import type { Breather } from '../lib/pace.js';
import type { ChangeCount } from './change.js';
import type { HeldSource } from './held.js';
import type { SourceChange } from './source-change.js';

/** Statements that one commit changes at most (design, section 5). */
export const MOST_AT_ONCE = 10_000;

/** What becomes of one statement of a document. */
export interface DocumentStep {
  readonly document: string;
  /** `DocumentRecord.of`, before and afterwards. */
  readonly of: { readonly before: string; readonly after: string };
  readonly uri: string;
  readonly step: StatementStep<Entry>;
  /** What is said, and was said. */
  readonly before: Metadata | undefined;
  readonly after: Metadata | undefined;
}

/** What one commit does of a change. */
export interface Portion {
  readonly source: Source;
  /** Those that get a position, in its order; and those that only come to another source of the peer. */
  readonly steps: readonly DocumentStep[];
  /** By URL; null for a document that goes. */
  readonly documents: ReadonlyMap<string, DocumentRecord | null>;
  readonly hashes: HashChange;
  readonly count: ChangeCount;
  /** The record of the source comes with it, and nothing after it. */
  readonly isLast: boolean;
}

/** Where a difference is taken from. */
export interface DifferenceParts {
  readonly held: HeldSource | undefined;
  /** What a document says, by `documentKey`. */
  readonly statements: (key: string) => DocumentStatements;
  /** Statements that one commit changes at most. */
  readonly most: number;
  readonly breathe: Breather;
}

/**
 * What a change does to what is stored, in as many portions as need commits of their own: first what comes and changes, then what
 * goes. Of a document whose portions are not all stored, nothing is remembered that would keep it from being read again.
 * Gives way to other work: the source must not change meanwhile.
 * @throws DigestMismatch; TypeError, see `documentSteps`
 */
export async function differenceOf(
  change: SourceChange,
  parts: DifferenceParts,
): Promise<readonly Portion[]> {
  const { source, expected } = change;
  const { held, breathe } = parts;
  const changes = eachDocumentOnce(change.documents);
  const steps: DocumentStep[] = [];
  for (const one of changes) {
    for (const step of stepsOf(source, one, parts)) {
      if (step) steps.push(step);
      await breathe();
    }
  }
  const portions: Portion[] = [];
  let before: SourceHashes = held?.hashes ?? NO_HASHES;
  const parted = partedSteps(steps, parts.most);
  for (const [at, some] of parted.entries()) {
    const hashes = new HashChange(before);
    const count = new StepCount();
    for (const one of some) {
      takeStep(one, hashes);
      count.count(one.step, { metadataOf: (entry) => one.before ?? entry.metadata });
      await breathe();
    }
    before = hashes.all;
    const isLast = at === parted.length - 1;
    const documents = isLast ? finalRecords(changes) : recordsOnTheWay(some, changes, held);
    portions.push({ source, steps: some, documents, hashes, count, isLast });
  }
  portions.at(-1)?.hashes.verify(expected);
  return portions;
}

/** What goes comes last, where it does not fit into one commit. Steps that keep what is stored need no room. */
function partedSteps(steps: readonly DocumentStep[], most: number): readonly (readonly DocumentStep[])[] {
  const isKept = ({ step }: DocumentStep) => step.kind === 'kept';
  const positioned = steps.filter((one) => !isKept(one));
  if (positioned.length <= most) return [steps];
  const isRemoval = ({ step }: DocumentStep) => step.kind === 'removed';
  const ordered = [...positioned.filter((one) => !isRemoval(one)), ...positioned.filter(isRemoval)];
  const parts: DocumentStep[][] = [];
  for (let from = 0; from < ordered.length; from += most) parts.push(ordered.slice(from, from + most));
  parts[0]?.unshift(...steps.filter(isKept));
  return parts;
}

/**
 * The documents of a change that come to belong to another source of the peer, saying what they say now: to be committed first,
 * where the change takes several commits, so that the digests of both sources fit what is stored at any time.
 */
export function regrouping(
  { source, documents }: SourceChange,
  { held, statements }: DifferenceParts,
): SourceChange | undefined {
  const regrouped: DocumentChange[] = [];
  for (const { url, record } of eachDocumentOnce(documents)) {
    const known = held?.documents.get(url)?.record ?? {};
    const { said } = statements(documentKey({ source, document: url }));
    if (!record || said.length === 0 || !isRegrouped(record, known)) continue;
    const { authority } = known;
    const components = said.map(({ metadata }) => metadata);
    regrouped.push({ url, components, record: { of: record.of, authority } });
  }
  return regrouped.length === 0 ? undefined : { source, documents: regrouped, record: (now) => now };
}

/** Undefined for what stays as it is, which is looked at, too. */
function* stepsOf(
  source: Source,
  change: DocumentChange,
  { held, statements }: DifferenceParts,
): Generator<DocumentStep | undefined> {
  const { url: document, record: after } = change;
  const { said } = statements(documentKey({ source, document }));
  const record = held?.documents.get(document)?.record ?? {};
  const stored = documentBefore(record, said);
  const of = { before: record.of ?? '', after: after?.of ?? '' };
  for (const step of documentSteps(change, stored)) {
    if (step.kind === 'kept' && !isRegrouped(after, record)) {
      yield undefined;
      continue;
    }
    const before = step.before && stored.metadataOf(step.before);
    const uri = (step.after ?? before)?.uri ?? '';
    yield { document, of, uri, step, before, after: step.after };
  }
}

/** Entries parse what they say each time; the one that was asked for last is asked for again. */
function documentBefore(record: DocumentRecord, said: readonly Entry[]): DocumentBefore<Entry> {
  let last: { readonly entry: Entry; readonly metadata: Metadata } | undefined;
  const metadataOf = (entry: Entry) => {
    if (last?.entry !== entry) last = { entry, metadata: entry.metadata };
    return last.metadata;
  };
  return {
    record,
    size: said.length,
    find: (uri) => itemOf(said, uri),
    all: () => said,
    metadataOf,
    says: (entry, after) => sameMetadata(metadataOf(entry), after),
  };
}

function takeStep({ step, document, of, before }: DocumentStep, hashes: HashChange): void {
  const record = { of: of.after };
  const stored = { record: { of: of.before }, metadataOf: (entry: Entry) => before ?? entry.metadata };
  hashStep(step, { url: document, record }, stored, hashes);
}

function finalRecords(changes: readonly DocumentChange[]): Map<string, DocumentRecord | null> {
  return new Map(changes.map(({ url, record }) => [url, record]));
}

/** Of the documents of these steps, what makes them be read again should the rest never come. */
function recordsOnTheWay(
  steps: readonly DocumentStep[],
  changes: readonly DocumentChange[],
  held: HeldSource | undefined,
): Map<string, DocumentRecord> {
  const given = finalRecords(changes);
  const records = new Map<string, DocumentRecord>();
  for (const { document } of steps) {
    const known = held?.documents.get(document)?.record;
    records.set(document, unread(known ?? given.get(document) ?? {}));
  }
  return records;
}
