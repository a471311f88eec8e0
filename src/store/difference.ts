import type { Naming } from '../component/codec.js';
import { type Metadata, sameMetadata } from '../component/metadata.js';
import { breather } from '../lib/slices.js';
import type { Draft } from './catalog-change.js';
import { createEntry, type Entry } from './entry.js';
import type { HeldDocument } from './held-source.js';
import type { Replacement } from './replacement.js';
import type { SharedTexts } from './shared-texts.js';
import type { ChangeCount } from './source-record.js';

/** What has to happen so that a document says something else. */
export interface DocumentDifference {
  readonly document: HeldDocument;
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
  /** Those of its entries that go when `after` does not have them. */
  readonly among: Iterable<Entry>;
}

/** Compares what a document says with what it shall say. Gives way to other work on the way. */
export async function documentDifference(
  { document, find, after, among }: Comparison,
  naming: Naming,
  versions: SharedTexts,
): Promise<DocumentDifference> {
  const replacements: Replacement[] = [];
  const gone: Entry[] = [];
  const come: Draft[] = [];
  const kept = new Set<Entry>();
  const seen = new Set<string>();
  const breathe = breather();
  for (const metadata of after) {
    await breathe();
    if (seen.has(metadata.uri)) continue;
    seen.add(metadata.uri);
    const old = find(metadata.uri);
    if (old) kept.add(old);
    const before = old?.metadata;
    if (before && sameMetadata(before, metadata)) continue;
    come.push({ metadata, entry: createEntry(metadata, document, naming, versions) });
    if (old) gone.push(old);
    replacements.push(before ? { before, after: metadata } : { after: metadata });
  }
  const changed = gone.length;
  for (const entry of among) {
    if (kept.has(entry)) continue;
    await breathe();
    gone.push(entry);
    replacements.push({ before: entry.metadata });
  }
  const count = { added: come.length - changed, changed, removed: gone.length - changed };
  return { document, replacements, gone, come, count };
}
