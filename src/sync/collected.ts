import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { DocumentRecord } from '../core/document-record.js';
import { compareStandings, type Precedence } from '../core/precedence.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { RehearsedDescription } from '../explain/effects.js';
import { compareText } from '../lib/compare-text.js';
import { type ChangeCount, NO_CHANGE } from '../registry/change.js';
import type { Registry } from '../registry/registry.js';
import type { SourceChange } from '../registry/source-change.js';

/** What a poll would have stored of a source of which nothing is stored. */
export class Collected implements Pick<Registry, 'commit' | 'source'> {
  readonly #source: Source;
  readonly #documents = new Map<string, { record: DocumentRecord; components: readonly Metadata[] }>();
  #record: SourceRecord = { failures: 0 };

  constructor(source: Source) {
    this.#source = source;
  }

  get stored(): StoredSource {
    const documents = [...this.#documents].map(
      ([url, { record, components }]) => [url, { ...record, components: components.length }] as const,
    );
    return { source: this.#source, record: this.#record, documents: new Map(documents) };
  }

  /** In the order of their uris, each component once: as the source's first description of it would be served. */
  descriptions(precedence: Precedence): RehearsedDescription[] {
    const first = new Map<string, RehearsedDescription>();
    for (const [document, { record, components }] of this.#documents) {
      const { authority } = record;
      const standing = precedence.standing({ source: this.#source, document, authority });
      for (const metadata of components) {
        const before = first.get(metadata.uri);
        if (!before || compareStandings(standing, before) < 0)
          first.set(metadata.uri, { ...standing, metadata });
      }
    }
    return [...first.values()].sort((one, other) => compareText(one.metadata.uri, other.metadata.uri));
  }

  source(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async commit({ documents, record, expected }: SourceChange): Promise<ChangeCount> {
    for (const { url, components, amend, record } of documents)
      if (record) this.#documents.set(url, { record, components: components ?? amend?.put ?? [] });
    this.#verify(expected);
    this.#record = record(this.#record);
    return NO_CHANGE;
  }

  /** @throws DigestMismatch */
  #verify(expected: SourceChange['expected']): void {
    if (!expected || expected.size === 0) return;
    const hashes = new HashChange(NO_HASHES);
    for (const [url, { record, components }] of this.#documents)
      for (const component of components) hashes.add(record.of ?? '', url, component);
    hashes.verify(expected);
  }
}
