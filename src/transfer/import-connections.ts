import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { recordKey } from '../connection/records/record-index.js';
import { KINDS } from '../connection/records/records.js';
import type { Keep, Row } from '../keep/keep.js';
import { UnusableExport } from './export-file.js';
import type { ExportRecord } from './export-record.js';
import { quadOfTexts } from './quad-texts.js';

/** Rows, or quads, that are written at a time. */
const PORTION = 5_000;

/** A record as this release stores it: 0.2.0 had keys of any length. */
export function asStored(record: ExportRecord): ExportRecord {
  return record.type === 'record' ? { ...record, key: recordKey(record.key) } : record;
}

/** Stores what a file holds of the connection service. */
export class ConnectionsImport {
  readonly #keep: Keep;
  #rows: Row[] = [];
  #quads: Quad[] = [];

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** @throws UnusableExport */
  async store(record: ExportRecord): Promise<void> {
    if (record.type === 'record') {
      const { table, key, value } = record;
      if (!(KINDS as readonly string[]).includes(table))
        throw new UnusableExport(`this release knows no records of the kind ${table}`);
      this.#rows.push({ table, key, value: JSON.stringify(value) });
    } else if (record.type === 'quads') {
      const graph = DataFactory.namedNode(record.graph);
      for (const texts of record.quads) this.#quads.push(quadOfTexts(texts, graph));
    }
    if (this.#rows.length + this.#quads.length >= PORTION) await this.end();
  }

  /** Resolves when everything is stored. */
  async end(): Promise<void> {
    const writes = { rows: this.#rows, quads: { put: this.#quads } };
    [this.#rows, this.#quads] = [[], []];
    await this.#keep.exclusively(async () => ({ ...writes, result: undefined }));
  }
}
