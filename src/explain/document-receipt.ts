import { takenFrom } from '../component/provenance.js';
import type { Source } from '../component/source.js';
import type { SourceRecord, StoredDocument, StoredSource } from '../core/source-record.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** What this node knows of a document that a source has: when it was read, and in which form. */
export interface KnownDocument {
  /** The URL as the author knows it. */
  readonly url: string;
  /** What the document is called here: the graph of its statements. */
  readonly name: string;
  readonly source: Source;
  readonly record: StoredDocument;
  /** Of the source. Times are ms since the Unix epoch. */
  readonly polled: Pick<SourceRecord, 'lastAttempt' | 'lastSuccess' | 'nextAttempt'>;
}

/** The document with this URL, as the first source that has it knows it: a pod, or a peer that has passed it on. */
export function findDocument(url: string, sources: readonly StoredSource[]): KnownDocument | undefined {
  for (const { source, record, documents } of sources) {
    const name = source.kind === 'peer' ? takenFrom(source.url, url) : url;
    const known = documents.get(name);
    if (known) return { url, name, source, record: known, polled: record };
  }
  return undefined;
}

/** The source with this URL, where it has documents beneath it; a slash at the end makes no difference. */
export function findContainer(url: string, sources: readonly StoredSource[]): StoredSource | undefined {
  return sources.find(
    ({ source, documents }) =>
      withoutTrailingSlashes(source.url) === withoutTrailingSlashes(url) && documents.size > 0,
  );
}
