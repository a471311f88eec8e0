import type { Metadata } from '../component/metadata.js';
import { type Source, sameSource, sourceKey } from '../component/source.js';
import type { StoredPin } from '../core/pins.js';
import { grouped } from '../lib/grouped.js';
import type { DocumentRecord } from '../registry/document-record.js';
import type { Pins } from '../registry/pins.js';
import type { Registry } from '../registry/registry.js';
import type { DocumentChange } from '../registry/source-change.js';
import type { SourceRecord } from '../registry/source-record.js';
import { unfinishedImport } from '../store/unfinished-import.js';
import type { ExportEntry, StatementEntry } from './export-entry.js';
import type { ImportClock } from './import-clock.js';

/** Statements, or documents, that are stored in one commit. */
const PORTION = 500;

export interface RegistryImportParts {
  readonly registry: Registry;
  readonly pins: Pins;
  /** That of the registry. */
  readonly clock: ImportClock;
  /** Statements at the beginning of the file that are stored already. */
  readonly stored: number;
}

/**
 * Stores what a file holds of a registry. Pins come first, so that statements are shown with them from the beginning. Then
 * come the statements, in the order in which they were first made and with their times; what is remembered of documents and
 * sources comes last, so that no document counts as read before all of it is there.
 */
export class RegistryImport {
  readonly #registry: Registry;
  readonly #clock: ImportClock;
  readonly #pinStore: Pins;
  #pins: StoredPin[] = [];
  readonly #known: Set<string>;
  #skip: number;
  #statements: StatementEntry[] = [];
  #documents: DocumentChange[] = [];
  #source: Source | undefined;

  private constructor({ registry, pins, clock, stored }: RegistryImportParts, known: Set<string>) {
    this.#registry = registry;
    this.#pinStore = pins;
    this.#clock = clock;
    this.#skip = stored;
    this.#known = known;
  }

  static async begin(parts: RegistryImportParts): Promise<RegistryImport> {
    const known = new Set<string>();
    for (const { source, documents } of await parts.registry.sources()) {
      for (const url of documents.keys()) known.add(documentKey(source, url));
    }
    return new RegistryImport(parts, known);
  }

  async store(entry: ExportEntry): Promise<void> {
    if (entry.type === 'pin') return this.#pin(entry.pin);
    await this.#flushPins();
    if (entry.type === 'statement') return this.#statement(entry);
    await this.#flushStatements();
    if (entry.type === 'document') return this.#document(entry.source, entry.url, entry.record);
    if (entry.type === 'source') return this.#sourceRecord(entry.source, entry.record);
    await this.#flushDocuments();
    if (entry.type === 'network') {
      const { peers, storage } = entry;
      // When they were set is not in the file; an earlier time than that would call older lists unchanged.
      this.#clock.showPresent();
      await this.#registry.setNetwork({ peers, storage });
    }
  }

  /** Resolves when everything is stored. */
  async end(): Promise<void> {
    await this.#flushPins();
    await this.#flushStatements();
    await this.#flushDocuments();
  }

  async #pin(pin: StoredPin): Promise<void> {
    this.#pins.push(pin);
    if (this.#pins.length >= PORTION) await this.#flushPins();
  }

  async #flushPins(): Promise<void> {
    if (this.#pins.length > 0) await this.#pinStore.change(this.#pins, (pin) => pin);
    this.#pins = [];
  }

  async #statement(entry: StatementEntry): Promise<void> {
    if (this.#skip > 0) {
      this.#skip -= 1;
      return;
    }
    const [first] = this.#statements;
    const isSameCommit = !first || (first.at === entry.at && sameSource(first.source, entry.source));
    if (!isSameCommit || this.#statements.length >= PORTION) await this.#flushStatements();
    this.#statements.push(entry);
  }

  async #document(source: Source, url: string, record: DocumentRecord): Promise<void> {
    const isOther = this.#source && sourceKey(this.#source) !== sourceKey(source);
    if (isOther || this.#documents.length >= PORTION) await this.#flushDocuments();
    this.#source = source;
    this.#documents.push({ url, record });
  }

  async #sourceRecord(source: Source, record: SourceRecord): Promise<void> {
    await this.#flushDocuments();
    // A note of the import stays until its end.
    const noted = source.kind === 'local' ? await unfinishedImport(this.#registry) : undefined;
    const memo = noted ? { ...record.memo, import: noted } : record.memo;
    await this.#registry.commit({ source, documents: [], record: () => ({ ...record, memo }) });
  }

  async #flushStatements(): Promise<void> {
    const [first] = this.#statements;
    if (!first) return;
    const { source, at } = first;
    const byDocument = grouped(this.#statements, ({ document }) => document);
    const documents = [...byDocument].map(([url, entries]) => this.#documentChange(source, url, entries));
    this.#clock.at = at;
    await this.#registry.commit({ source, documents, record: (record) => record });
    this.#statements = [];
  }

  /** What a document belongs to, and its authority, are said with its first statements. */
  #documentChange(source: Source, url: string, entries: readonly StatementEntry[]): DocumentChange {
    const { of, authority } = entries[0] ?? {};
    const record = { of, authority };
    const components: Metadata[] = entries.map(({ component }) => component);
    const key = documentKey(source, url);
    if (this.#known.has(key)) return { url, record, amend: { put: components } };
    this.#known.add(key);
    return { url, record, components };
  }

  async #flushDocuments(): Promise<void> {
    const source = this.#source;
    if (!source || this.#documents.length === 0) return;
    await this.#registry.commit({ source, documents: this.#documents, record: (record) => record });
    this.#documents = [];
  }
}

function documentKey(source: Source, url: string): string {
  return `${sourceKey(source)} ${url}`;
}
