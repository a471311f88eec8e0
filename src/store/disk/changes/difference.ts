import type { Naming } from '../component/codec.js';
import { type Metadata, sameMetadata } from '../component/metadata.js';
import { breather } from '../lib/slices.js';
import type { Draft } from './catalog-change.js';
import { createEntry, type Entry, type Origin } from './entry.js';
import type { HeldDocument } from './held-source.js';
import type { Replacement } from './replacement.js';
import type { SharedTexts } from './shared-texts.js';
import type { ChangeCount } from './source-record.js';

/** What has to happen so that a document says something else. */
export interface DocumentDifference {
  readonly document: HeldDocument;
  /** Of its entries, once that has happened. */
  readonly origin: Origin;
  readonly replacements: readonly Replacement[];
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
  { document, origin, find, after, among }: Comparison,
  naming: Naming,
  versions: SharedTexts,
): Promise<DocumentDifference> {
  const replacements: Replacement[] = [];
  const gone: Entry[] = [];
  const come: Draft[] = [];
  const kept = new Set<Entry>();
  const seen = new Set<string>();
  let [added, changed] = [0, 0];
  const breathe = breather();
  for (const metadata of after) {
    await breathe();
    if (seen.has(metadata.uri)) continue;
    seen.add(metadata.uri);
    const old = find(metadata.uri);
    if (old) kept.add(old);
    const before = old?.metadata;
    const same = before !== undefined && sameMetadata(before, metadata);
    if (same && origin.rank === document.origin.rank) continue;
    come.push({ metadata, entry: createEntry(metadata, origin, naming, versions) });
    if (old) gone.push(old);
    if (same) continue;
    replacements.push(before ? { before, after: metadata } : { after: metadata });
    if (before) changed += 1;
    else added += 1;
  }
  const replaced = gone.length;
  for (const entry of among) {
    if (kept.has(entry)) continue;
    await breathe();
    gone.push(entry);
    replacements.push({ before: entry.metadata });
  }
  const count = { added, changed, removed: gone.length - replaced };
  return { document, origin, replacements, gone, come, count };
}
