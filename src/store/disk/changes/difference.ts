import { sameMetadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import { samePin } from '../../../component/pin.js';
import {
  type ChangedDocument,
  type DocumentBefore,
  documentSteps,
  hashStep,
  isWhole,
  StepCount,
} from '../../../core/document-change.js';
import type { HashChange } from '../../../core/source-digests.js';
import type { Pace } from '../../../lib/pace.js';
import type { Change, ChangeCount } from '../../../registry/change.js';
import type { DocumentChange } from '../../../registry/source-change.js';
import type { DiskDocument } from '../disk-source.js';
import { createEntry, type Entry } from '../listing/entry.js';
import type { Origin } from '../listing/origin.js';
import type { SharedTexts } from '../listing/shared-texts.js';
import type { PinTable } from '../pin-table.js';

/** What has to happen so that a document says something else. */
export interface DocumentDifference {
  readonly document: DiskDocument;
  /** Of its entries, once that has happened. */
  readonly origin: Origin;
  /** Each gets a position, in this order. Where only the authority or the pin differs, both sides are the same. */
  readonly changes: readonly EntryChange[];
  readonly count: ChangeCount;
}

/** A change of what is said, the entry that says it no longer, and the one that says it from now on. */
export interface EntryChange extends Change {
  readonly gone?: Entry | undefined;
  readonly entry?: Entry;
  /** Since when it is said, ms since the Unix epoch, where this change is only one of its pin. */
  readonly since?: number;
  /** The position of what was said before. */
  readonly was?: number | undefined;
}

export interface DifferenceParts extends Naming {
  readonly document: DiskDocument;
  /**
   * Of the entries that come. When it is not that of the document now, entries that say the same as
   * before go and come too: they take another place among those of the same components.
   */
  readonly origin: Origin;
  /** Of the source: takes in what the change does to them. */
  readonly hashes: HashChange;
  /** All that is said of a component. */
  readonly statements: (uri: string) => readonly Entry[];
  readonly pins: PinTable;
  readonly pace: Pace;
  readonly versions: SharedTexts;
}

/**
 * Compares what a document says with what it shall say. Gives way to other work on the way.
 * @throws TypeError, see `documentSteps`
 */
export async function documentDifference(
  change: DocumentChange,
  { document, origin, hashes, statements, pins, pace, versions, ...naming }: DifferenceParts,
): Promise<DocumentDifference> {
  const changes: EntryChange[] = [];
  const count = new StepCount();
  const breathe = pace();
  const said = documentBefore(document, change, statements);
  for (const step of documentSteps(change, said)) {
    await breathe();
    const { kind, before: gone, after } = step;
    // Entries parse what they say each time: once for both uses.
    const before = kind === 'kept' ? undefined : gone?.metadata;
    hashStep(step, change, { ...said, metadataOf: (entry) => before ?? entry.metadata }, hashes);
    count.count(step, said);
    if (kind !== 'kept') changes.push({ before, after, gone, was: gone?.position });
  }
  // Behind the hashes: collecting the garbage of those takes longer the more has just been made that stays.
  for (const [i, one] of changes.entries()) {
    if (!one.after) continue;
    const pin = pins.of(one.after, { ...origin.standing, metadata: one.after });
    changes[i] = { ...one, entry: createEntry(one.after, origin, naming, { versions, pin }) };
    await breathe();
  }
  return { document, origin, changes, count };
}

/** A document of many components is not looked through for a few that are named. */
function documentBefore(
  { record, entries, origin }: DiskDocument,
  change: ChangedDocument,
  statements: DifferenceParts['statements'],
): DocumentBefore<Entry> {
  const all = isWhole(change, record) ? new Map(entries.map((entry) => [entry.uri, entry])) : undefined;
  return {
    record,
    size: entries.length,
    find: (uri) => (all ? all.get(uri) : statements(uri).find((entry) => entry.origin === origin)),
    all: () => all?.values() ?? [],
    metadataOf: ({ metadata }) => metadata,
    says: ({ metadata }, after) => sameMetadata(metadata, after),
  };
}

/** The differences with the pins that there are now: some may have come since their entries were made. */
export function withPresentPins(
  differences: readonly DocumentDifference[],
  pins: PinTable,
): readonly DocumentDifference[] {
  const present = (change: EntryChange): EntryChange => {
    const { after, entry } = change;
    const pin = after && entry && pins.of(after, entry);
    return !entry || samePin(entry.pin, pin) ? change : { ...change, entry: entry.with({ pin }) };
  };
  return differences.map((difference) => ({ ...difference, changes: difference.changes.map(present) }));
}
