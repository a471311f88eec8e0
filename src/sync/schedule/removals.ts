import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.js';
import type { Source } from '../../component/source.js';
import type { DocumentRecord } from '../../core/document-record.js';
import type { StoredDocument } from '../../core/source-record.js';
import type { Pace } from '../../lib/pace.js';
import type { DocumentChange } from '../../registry/source-change.js';

/** What documents do not say any more: uris of components, and the key of each such statement, by document. */
export type Removals = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Statements that are looked at in one go. */
const PORTION = 1_000;

/** Finds the stored statements that changes take back. Reads all that is stored of the source, and gives way to other work. */
export async function removalsIn(
  changes: readonly DocumentChange[],
  stored: ReadonlyMap<string, StoredDocument>,
  { source, catalog, pace }: { source: Source; catalog: Pick<Catalog, 'changes'>; pace: Pace },
): Promise<Removals> {
  const breathe = pace();
  const staying = new Map<string, (uri: string) => boolean>();
  for (const change of changes) {
    if ((stored.get(change.url)?.components ?? 0) > 0) staying.set(change.url, stayingIn(change));
  }
  const removals = new Map<string, Map<string, string>>();
  for (let after: number | undefined = 0; after !== undefined && staying.size > 0; ) {
    const page = await catalog.changes({ source, after, limit: PORTION });
    if ('unknown' in page) throw new Error('A listing that begins at no state is of an unknown state');
    for (const { document, uri } of page.changes) {
      await breathe();
      if (staying.get(document)?.(uri) !== false) continue;
      const uris = removals.get(document) ?? new Map<string, string>();
      removals.set(document, uris.set(uri, keyOf(document, uri)));
    }
    after = page.next;
  }
  return removals;
}

/** Does a document say something of a component once it is changed, of which it says something now? */
function stayingIn({ components, amend, record }: DocumentChange): (uri: string) => boolean {
  const said = new Set((components ?? amend?.put ?? []).map(({ uri }) => uri));
  if (components || record === null) return (uri) => said.has(uri);
  const removed = new Set(amend?.remove ?? []);
  return (uri) => said.has(uri) || !removed.has(uri);
}

/** 96 bits of a hash: of a hundred thousand pending removals, less is remembered than of what they say. */
function keyOf(document: string, uri: string): string {
  return createHash('sha256').update(`${document}\n${uri}`).digest('base64url').slice(0, 16);
}

export interface PendingRemovals {
  readonly found: Removals;
  readonly keys: ReadonlySet<string>;
}

/**
 * The changes without the pending removals. What a document says no more it may say again: as long as something of
 * it is pending, nothing is remembered by which its server could tell that it is as it was.
 */
export function withoutPending(
  changes: readonly DocumentChange[],
  stored: ReadonlyMap<string, StoredDocument>,
  { found, keys }: PendingRemovals,
): DocumentChange[] {
  return changes.flatMap((change): DocumentChange[] => {
    const { url, components, amend, record } = change;
    const document = stored.get(url);
    const gone = [...(found.get(url) ?? [])];
    const remove = gone.filter(([, key]) => !keys.has(key)).map(([uri]) => uri);
    if (!document || remove.length === gone.length) return [change];
    const put = components ?? amend?.put ?? [];
    if (record === null && remove.length === 0) return [];
    const { components: _, ...before } = document;
    return [{ url, amend: { put, remove }, record: withoutValidators(record ?? before) }];
  });
}

function withoutValidators(record: DocumentRecord): DocumentRecord {
  const { etag: _, lastModified: _lastModified, modified: _modified, hash: _hash, ...rest } = record;
  return rest;
}
