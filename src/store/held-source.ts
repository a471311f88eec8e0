import type { Source } from '../component/precedence.js';
import type { Entry } from './catalog.js';
import type { DocumentRecord, SourceRecord, StoredSource } from './source-record.js';

/** What one document of a source says, and what is remembered of it. */
export interface HeldDocument {
  record: DocumentRecord;
  /** By uri. */
  readonly entries: Map<string, Entry>;
}

/** A source in memory, as the disk has it. */
export interface HeldSource {
  readonly source: Source;
  record: SourceRecord;
  /** By URL. */
  readonly documents: Map<string, HeldDocument>;
}

export function createHeldSource(source: Source): HeldSource {
  return { source, record: { failures: 0 }, documents: new Map() };
}

/** The document of that URL; an empty one is made when there is none. */
export function heldDocument({ documents }: HeldSource, url: string): HeldDocument {
  const document = documents.get(url) ?? { record: {}, entries: new Map<string, Entry>() };
  documents.set(url, document);
  return document;
}

/** A view of it for those who only read: what is remembered, and how much there is. */
export function storedSource({ source, record, documents }: HeldSource): StoredSource {
  const described = [...documents].map(([url, document]) => {
    return [url, { ...document.record, components: document.entries.size }] as const;
  });
  return { source, record, documents: new Map(described) };
}
