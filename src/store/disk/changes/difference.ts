import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import type { Pace } from '../../../lib/pace.js';
import { type Change, type ChangeCount, isUnchanged } from '../../../registry/change.js';
import type { Draft } from '../catalog/catalog-change.js';
import type { HeldPins } from '../held-pins.js';
import type { HeldDocument } from '../held-source.js';
import { createEntry, type Entry, type Origin } from '../listing/entry.js';
import type { SharedTexts } from '../listing/shared-texts.js';

/** What has to happen so that a document says something else. */
export interface DocumentDifference {
  readonly document: HeldDocument;
  /** Of its entries, once that has happened. */
  readonly origin: Origin;
  /** `DocumentRecord.of`, from then on. */
  readonly of: string;
  /** Each gets a position, in this order. Where only the authority differs, both sides are the same. */
  readonly changes: readonly EntryChange[];
  readonly gone: readonly Entry[];
  readonly come: readonly Draft[];
  readonly count: ChangeCount;
}

/** A change of what is said, and the entry that says it from now on. */
export interface EntryChange extends Change {
  readonly entry?: Entry;
  /** Since when it is said, ms since the Unix epoch, where this change is only one of its pin. */
  readonly since?: number;
  /** Length of its facets in characters (see `ListingText`). */
  readonly facets?: number;
}

export interface Comparison {
  readonly document: HeldDocument;
  /** What it says of a component now. */
  readonly find: (uri: string) => Entry | undefined;
  readonly after: Iterable<Metadata>;
  /**
   * Of the entries that come. When it is not that of the document now, entries that say the same as
   * before go and come too: they take another place among those of the same components.
   */
  readonly origin: Origin;
  readonly of: string;
  readonly pins: HeldPins;
  /** Those of its entries that go when `after` does not have them. */
  readonly among: Iterable<Entry>;
}

/** Compares what a document says with what it shall say. Gives way to other work on the way. */
export async function documentDifference(
  { document, origin, of, find, after: components, among, pins }: Comparison,
  { pace, ...naming }: Naming & { readonly pace: Pace },
  versions: SharedTexts,
): Promise<DocumentDifference> {
  const changes: EntryChange[] = [];
  const gone: Entry[] = [];
  const come: Draft[] = [];
  const kept = new Set<Entry>();
  const seen = new Set<string>();
  const count = { added: 0, changed: 0, removed: 0 };
  const breathe = pace();
  for (const after of components) {
    await breathe();
    if (seen.has(after.uri)) continue;
    seen.add(after.uri);
    const old = find(after.uri);
    if (old) kept.add(old);
    const change: Change = old ? { before: old.metadata, after } : { after };
    const unchanged = isUnchanged(change);
    if (unchanged && origin === document.origin) continue;
    if (!unchanged) count[old ? 'changed' : 'added'] += 1;
    const pin = pins.of(after, { ...origin.standing, metadata: after });
    const { entry, facets } = createEntry(after, origin, naming, { versions, pin });
    come.push({ metadata: after, entry });
    if (old) gone.push(old);
    changes.push({ ...change, entry, facets });
  }
  for (const entry of among) {
    if (kept.has(entry)) continue;
    await breathe();
    gone.push(entry);
    changes.push({ before: entry.metadata });
    count.removed += 1;
  }
  return { document, origin, of, changes, gone, come, count };
}
