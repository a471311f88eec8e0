import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import type { Pace } from '../../../lib/pace.js';
import { type Change, type ChangeCount, countChanges, isUnchanged } from '../../../registry/change.js';
import type { Draft } from '../catalog/catalog-change.js';
import type { HeldDocument } from '../held-source.js';
import { createEntry, type Entry, type Origin } from '../listing/entry.js';
import type { SharedTexts } from '../listing/shared-texts.js';

/** What has to happen so that a document says something else. */
export interface DocumentDifference {
  readonly document: HeldDocument;
  /** Of its entries, once that has happened. */
  readonly origin: Origin;
  readonly changes: readonly Change[];
  readonly gone: readonly Entry[];
  readonly come: readonly Draft[];
  readonly count: ChangeCount;
}

export interface Comparison {
  readonly document: HeldDocument;
  /** What it says of a component now. */
  readonly find: (uri: string) => Entry | undefined;
  readonly after: Iterable<Metadata>;
  /**
   * Of the entries that come. When its rank is not that of the document now, entries that say the same as
   * before go and come too: they take another place among those of the same components.
   */
  readonly origin: Origin;
  /** Those of its entries that go when `after` does not have them. */
  readonly among: Iterable<Entry>;
}

/** Compares what a document says with what it shall say. Gives way to other work on the way. */
export async function documentDifference(
  { document, origin, find, after: components, among }: Comparison,
  { pace, ...naming }: Naming & { readonly pace: Pace },
  versions: SharedTexts,
): Promise<DocumentDifference> {
  const changes: Change[] = [];
  const gone: Entry[] = [];
  const come: Draft[] = [];
  const kept = new Set<Entry>();
  const seen = new Set<string>();
  const breathe = pace();
  for (const after of components) {
    await breathe();
    if (seen.has(after.uri)) continue;
    seen.add(after.uri);
    const old = find(after.uri);
    if (old) kept.add(old);
    const change: Change = old ? { before: old.metadata, after } : { after };
    const unchanged = isUnchanged(change);
    if (unchanged && origin.rank === document.origin.rank) continue;
    come.push({ metadata: after, entry: createEntry(after, origin, naming, versions) });
    if (old) gone.push(old);
    if (!unchanged) changes.push(change);
  }
  for (const entry of among) {
    if (kept.has(entry)) continue;
    await breathe();
    gone.push(entry);
    changes.push({ before: entry.metadata });
  }
  return { document, origin, changes, gone, come, count: countChanges(changes) };
}
