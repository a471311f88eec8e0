import type { Entry } from '../catalog/entry.js';
import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import { type DocumentChange, documentSteps, type StatementStep } from '../core/document-change.js';
import { type DocumentRecord, toBeReadAgain } from '../core/document-record.js';
import { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Lease } from '../keep/keep.js';
import type { Breather } from '../lib/pace.js';
import { portions } from '../lib/portions.js';
import type { HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';

/** Statements that one commit changes at most (design, section 5). */
export const MOST_AT_ONCE = 10_000;

/** What one poll of one source changes. */
export interface SourceChange {
  readonly source: Source;
  /** Each document once. */
  readonly documents: readonly DocumentChange[];
  /** What becomes of the source's record, given what it is when the change has its turn. */
  readonly record: (current: SourceRecord) => SourceRecord;
  /** What its documents must say afterwards, in digests (`LtHash.digest`) by `DocumentRecord.of`, or else `DigestMismatch`. */
  readonly expected?: ReadonlyMap<string, string>;
  /** Of the poll that has found this, where nodes share the registry. The change is refused with `LeaseLost` when it is lost. */
  readonly lease?: Lease;
}

/** What becomes of one statement. `pinned`: it is said as before, and gets a position because its pin has changed. */
export interface Step {
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
  readonly kind: StatementStep<Entry>['kind'] | 'pinned';
  readonly before?: Entry | undefined;
  readonly after?: Metadata | undefined;
}

/**
 * What a change does to what is stored, in as many portions as need commits of their own: first what comes and changes, then what
 * goes. Of a document whose portions are not all stored, nothing is remembered that would keep it from being read again; and the
 * digests fit what is stored behind each of them. Gives way to other work: the source must not change meanwhile.
 * @param most statements that one commit changes at most
 * @throws DigestMismatch; TypeError for a document that is named twice, and see `documentSteps`
 */
export async function differenceOf(
  { source, documents, expected }: Pick<SourceChange, 'source' | 'documents' | 'expected'>,
  { catalog, now }: Pick<RegistryData, 'catalog' | 'now'>,
  most: number,
  breathe: Breather,
) {
  const held = now.held.current(source);
  const recordOf = new Map(documents.map(({ url, record }) => [url, record]));
  if (recordOf.size < documents.length) throw new TypeError('A change names each document once');
  const { steps, regrouped, ofAfter, ...done } = await stepsOf(held, documents, catalog, breathe);
  let { hashes } = done;
  const parted = inPortions(steps, most);
  const end = parted.length - 1;
  /** In which portion the last of a document is stored. */
  const last = new Map(documents.map(({ url }) => [url, end]));
  for (const [at, some] of parted.entries()) for (const { document } of some) last.set(document, at);
  const portions = [];
  for (const [at, some] of parted.entries()) {
    if (at > 0) hashes = new HashChange(hashes.all);
    const named = new Set(at === 0 ? regrouped : []);
    for (const { kind, document, before, after } of some) {
      named.add(document);
      if (kind === 'moved') continue;
      const of = ofAfter.get(document) ?? '';
      if (before) hashes.remove(of, document, before.metadata);
      if (after) hashes.add(of, document, after);
      await breathe();
    }
    for (const [url, place] of last) if (place === at) named.add(url);
    /** By URL; null for a document that goes. */
    const records = new Map<string, DocumentRecord | null>();
    for (const url of named) {
      const record = recordOf.get(url) ?? null;
      const left = { ...(held.documents.get(url) ?? record), of: ofAfter.get(url) };
      records.set(url, last.get(url) === at ? record : toBeReadAgain(left));
    }
    // Steps in the order of their positions.
    portions.push({ steps: some, documents: records, hashes });
  }
  hashes.verify(expected);
  return portions;
}

/** What becomes of all statements of these documents. `hashes`: with the documents where they belong from now on. */
async function stepsOf(
  held: HeldSource,
  documents: readonly DocumentChange[],
  catalog: RegistryData['catalog'],
  breathe: Breather,
) {
  const { source } = held;
  /** To what documents belong from the first portion on. */
  const ofAfter = new Map<string, string | undefined>();
  const regrouped: string[] = [];
  const steps: Step[] = [];
  const hashes = new HashChange(held.hashes);
  for (const one of documents) {
    const { url: document, record } = one;
    const known: DocumentRecord = held.documents.get(document) ?? {};
    const sayings = catalog.sayings({ source, document });
    const [{ of = '' }, { of: after }] = [known, record ?? known];
    ofAfter.set(document, after);
    for (const step of documentSteps(one, known, sayings)) {
      const { uri } = step.after ?? step.before;
      if (step.kind !== 'kept') steps.push({ source, document, uri, ...step });
      await breathe();
    }
    if (of === (after ?? '')) continue;
    // All that it says comes to another source of the peer before anything else happens to it.
    regrouped.push(document);
    for (const { metadata } of sayings.said) {
      hashes.remove(of, document, metadata);
      hashes.add(after ?? '', document, metadata);
      await breathe();
    }
  }
  return { steps, regrouped, ofAfter, hashes };
}

/** What goes comes last, where it does not fit into one commit. One portion at least, because records change, too. */
function inPortions(steps: readonly Step[], most: number): readonly (readonly Step[])[] {
  if (steps.length <= most) return [steps];
  const isRemoval = ({ kind }: Step) => kind === 'removed';
  const ordered = [...steps.filter((step) => !isRemoval(step)), ...steps.filter(isRemoval)];
  return [...portions(ordered, () => 1, { items: most, length: most })];
}
