import { type Metadata, sameMetadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import { samePin } from '../../../component/pin.js';
import {
  type ChangedDocument,
  type DocumentBefore,
  documentSteps,
  isRegrouped,
  isWhole,
  StepCount,
} from '../../../core/document-change.js';
import type { Pace } from '../../../lib/pace.js';
import type { Change, ChangeCount } from '../../../registry/change.js';
import type { Draft } from '../catalog/catalog-change.js';
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
  /** `DocumentRecord.of`, from then on. */
  readonly of: string;
  /** Each gets a position, in this order. Where only the authority differs, both sides are the same. */
  readonly changes: readonly EntryChange[];
  /** What it says as before, where it belongs to another source of the peer from then on. */
  readonly regrouped: readonly Metadata[];
  readonly gone: readonly Entry[];
  readonly come: readonly Draft[];
  readonly count: ChangeCount;
}

/** A change of what is said, and the entry that says it from now on. */
export interface EntryChange extends Change {
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
  change: ChangedDocument,
  { document, origin, statements, pins, pace, versions, ...naming }: DifferenceParts,
): Promise<DocumentDifference> {
  const changes: EntryChange[] = [];
  const gone: Entry[] = [];
  const come: Draft[] = [];
  const regrouped: Metadata[] = [];
  const count = new StepCount();
  const breathe = pace();
  const isGrouped = !isRegrouped(change.record, document.record);
  for (const step of documentSteps(change, documentBefore(document, change, statements))) {
    await breathe();
    const { kind, before, after } = step;
    if (kind === 'kept') {
      if (!isGrouped) regrouped.push(step.after);
      continue;
    }
    count.count(step);
    if (before) gone.push(before);
    const said = before && { before: before.metadata, was: before.position };
    if (!after) {
      changes.push({ ...said });
      continue;
    }
    const pin = pins.of(after, { ...origin.standing, metadata: after });
    const entry = createEntry(after, origin, naming, { versions, pin });
    come.push({ metadata: after, entry });
    changes.push({ ...said, after, entry });
  }
  const of = (change.record ?? document.record).of ?? '';
  return { document, origin, of, changes, regrouped, gone, come, count };
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
  return differences.map((difference) => {
    const present = new Map<Entry, Entry>();
    for (const { entry, metadata } of difference.come) {
      const pin = pins.of(metadata, entry);
      if (!samePin(entry.pin, pin)) present.set(entry, entry.with({ pin }));
    }
    if (present.size === 0) return difference;
    return {
      ...difference,
      come: difference.come.map((draft) => ({ ...draft, entry: present.get(draft.entry) ?? draft.entry })),
      changes: difference.changes.map((change) =>
        change.entry ? { ...change, entry: present.get(change.entry) ?? change.entry } : change,
      ),
    };
  });
}
