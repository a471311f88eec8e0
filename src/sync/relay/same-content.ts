import type { Metadata } from '../../component/metadata.js';
import type { Source } from '../../component/precedence.js';
import { payloadHash } from '../../component/statement-digest.js';
import type { Breather } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';

export interface Comparing {
  readonly catalog: Pick<Catalog, 'statements'>;
  readonly source: Source;
  readonly stored: StoredSource | undefined;
  readonly breathe: Breather;
}

/** Does a document say already just this? Each component costs a look into the catalog. */
async function says(
  document: string,
  components: readonly Metadata[],
  { catalog, source, stored, breathe }: Comparing,
): Promise<boolean> {
  if (stored?.documents.get(document)?.components !== components.length) return false;
  for (const component of components) {
    await breathe();
    const statement = (await catalog.statements(component.uri)).find(
      (one) => one.document === document && one.source.kind === source.kind && one.source.url === source.url,
    );
    if (!statement || payloadHash(statement.metadata) !== payloadHash(component)) return false;
  }
  return true;
}

/** Would changes make a source say something else than it does? */
export async function isNews(changes: readonly DocumentChange[], comparing: Comparing): Promise<boolean> {
  for (const { url, components, record } of changes) {
    const known = comparing.stored?.documents.get(url)?.components ?? 0;
    if (record === null && known > 0) return true;
    if (components && !(components.length === 0 && known === 0)) {
      if (!(await says(url, components, comparing))) return true;
    }
  }
  return false;
}

/**
 * What makes a source say just what these documents say. Those that say it already keep what is remembered of them, so that
 * their server need not send them again.
 */
export async function changesTo(
  documents: ReadonlyMap<string, readonly Metadata[]>,
  comparing: Comparing,
): Promise<DocumentChange[]> {
  const changes: DocumentChange[] = [];
  for (const [url, components] of documents) {
    if (!(await says(url, components, comparing))) changes.push({ url, components, record: {} });
  }
  for (const [url, { components }] of comparing.stored?.documents ?? []) {
    if (components > 0 && !documents.has(url)) changes.push({ url, record: null });
  }
  return changes;
}
