import type { DocumentChange } from '../../../core/document-change.js';
import type { DocumentRecord } from '../../../core/document-record.js';
import type { StoredDocument, StoredSource } from '../../../core/source-record.js';
import { StatementHash } from '../../../core/statement-hash.js';
import type { AuthorityOf } from '../../../core/upstream-order.js';
import type { Breather } from '../../../lib/pace.js';
import type { FeedPolling } from './feed-polling.js';

/**
 * What is staged, as changes of what is stored: of a source that was read whole, its documents again, and the end of those
 * that it no longer has; of others, what has changed in their documents. Gives way to other work.
 * @param authorityOf where this is a mirror
 */
export async function stagedDocuments(
  { staging, documents, dropped, names, clock }: FeedPolling,
  authorityOf: AuthorityOf | undefined,
  breathe: Breather,
): Promise<readonly DocumentChange[]> {
  const changes = new Map<string, DocumentChange>(dropped.documents.map((change) => [change.url, change]));
  for (const [url, { of }] of documents) {
    const isRead = staging.isEverything || (of !== undefined && staging.isWhole(of));
    if (isRead) changes.set(url, { url, record: null });
    await breathe();
  }
  for (const [of, { graphs, isWhole }] of staging.sources) {
    for (const [name, graph] of graphs) {
      await breathe();
      const url = names.nameOf(of, name);
      const stored = isWhole || documents.get(url)?.of !== of ? undefined : documents.get(url);
      const said = [...graph.values()].filter((one) => one !== null);
      const invalid = staging.wrong.invalidIn(of, name, stored, new Set(graph.keys()));
      if (said.length === 0 && !stored && !invalid) continue;
      const record: DocumentRecord = { of, authority: authorityOf?.(url, of), invalid };
      const remove = [...graph].flatMap(([uri, one]) => (one ? [] : [uri]));
      changes.set(
        url,
        stored ? { url, amend: { put: said, remove }, record } : { url, components: said, record },
      );
    }
  }
  for (const { of, graph, message } of staging.wrong.refused) {
    await breathe();
    const url = names.nameOf(of, graph);
    changes.set(url, { url, record: refusedRecord(documents.get(url), of, message, clock.now()) });
  }
  return [...changes.values()];
}

/** Nothing of a document is taken: what was stored of it stays, and the status tells why. */
function refusedRecord(
  stored: StoredDocument | undefined,
  of: string,
  error: string,
  now: number,
): DocumentRecord {
  const { components: _, ...kept } = stored ?? { components: 0 };
  return { ...kept, of, error, failingSince: kept.failingSince ?? now };
}

const NOTHING = StatementHash.empty().digest();

/**
 * The digests that the peer's sources must have once what is staged is stored: of each source of which something is
 * staged, or which the peer says has changed, and of which nothing is refused.
 */
export function expectedDigests({
  staging,
  summaries,
}: Pick<FeedPolling, 'staging' | 'summaries'>): Map<string, string> {
  const touched = new Set([...staging.sources.keys(), ...summaries.changed]);
  const verified = [...touched].filter((of) => !staging.refused.has(of));
  return new Map(verified.map((of) => [of, summaries.all.get(of)?.digest ?? NOTHING]));
}

/** What is remembered of documents, by URL. */
export type Documents = ReadonlyMap<string, DocumentRecord>;

/** The documents that are stored once changes are. */
export function documentsAfter(
  stored: StoredSource['documents'],
  changes: readonly DocumentChange[],
): Documents {
  const documents = new Map<string, DocumentRecord>(stored);
  for (const { url, record } of changes) {
    if (record) documents.set(url, record);
    else documents.delete(url);
  }
  return documents;
}
