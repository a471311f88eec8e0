import { graphTaken, takenFrom } from '../../component/provenance.js';
import type { Source } from '../../component/source.js';
import type { StoredDocument } from '../../core/document-record.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import { isSameAddress } from '../../explain/why.js';
import type { Breather } from '../../lib/pace.js';

/** What this node knows of a document that a source has: when it was read, and in which form. */
export interface KnownDocument {
  readonly url: string;
  /** What the document is called here: the graph of its statements. */
  readonly name: string;
  readonly source: Source;
  readonly record: StoredDocument;
  /** Of the source. Times are ms since the Unix epoch. */
  readonly polled: Pick<SourceRecord, 'lastAttempt' | 'lastSuccess' | 'nextAttempt'>;
}

/** The document with this URL, as the first source that has it knows it: a pod, or a peer that passed it on. */
export function findDocument(url: string, sources: readonly StoredSource[]): KnownDocument | undefined {
  for (const { source, record, documents } of sources) {
    const name = source.kind === 'peer' ? takenFrom(source.url, url) : url;
    const known = documents.get(name);
    if (known) return { url, name, source, record: known, polled: record };
  }
  return undefined;
}

/** Documents of a container that are named at most. */
const NAMED = 200;

/** The documents of a source, or below a container, that describe components or should, faulty ones first. */
export async function documentsBelow(url: string, sources: readonly StoredSource[], breathe: Breather) {
  const [faulty, sound]: [KnownDocument[], KnownDocument[]] = [[], []];
  let count = 0;
  for (const { source, record: polled, documents } of sources) {
    const isOf = isSameAddress(source.url, url);
    for (const [name, record] of documents) {
      const pause = breathe();
      if (pause) await pause;
      const document = graphTaken(name) ?? name;
      const isFaulty = record.error !== undefined || record.invalid !== undefined;
      const isBelow = isOf || (url.endsWith('/') && document.startsWith(url));
      if (!isBelow || (record.components === 0 && !isFaulty)) continue;
      count += 1;
      const list = isFaulty ? faulty : sound;
      if (list.length < NAMED) list.push({ url: document, name, source, record, polled });
    }
  }
  return { count, documents: [...faulty, ...sound].slice(0, NAMED) };
}
