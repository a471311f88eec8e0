import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { RECORD_LAYOUT } from '../connection/records/records.js';
import type { RecordRow, RecordStore } from '../store/record-store.js';
import { graphOfRow, TABLES } from './content.js';
import type { ExportRecord } from './export-record.js';
import { quadOfTexts } from './quad-texts.js';

/** Rows, or quads, that are written at a time. */
const PORTION = 500;

/** Stores what a file holds of the connection service. To store it twice is the same as once. */
export class RecordsImport {
  readonly #records: RecordStore;
  #rows: RecordRow[] = [];
  #quads: Quad[] = [];

  constructor(records: RecordStore) {
    this.#records = records;
  }

  async store(record: ExportRecord): Promise<void> {
    if (record.type === 'record') {
      const { table, key, value } = record;
      if (!TABLES.includes(table)) throw new Error(`this release knows no records of the kind ${table}`);
      this.#rows.push({ table, key, value });
    } else if (record.type === 'quads') {
      const graph = DataFactory.namedNode(record.graph);
      for (const texts of record.quads) this.#quads.push(quadOfTexts(texts, graph));
    }
    if (this.#rows.length >= PORTION || this.#quads.length >= PORTION) await this.end();
  }

  /** Resolves when everything is stored. */
  async end(): Promise<void> {
    if (this.#rows.length === 0 && this.#quads.length === 0) return;
    await write(this.#records, this.#rows, { add: this.#quads });
    [this.#rows, this.#quads] = [[], []];
  }
}

export async function hasRecords(records: RecordStore): Promise<boolean> {
  for (const table of TABLES) for await (const _row of records.rows(table)) return true;
  return false;
}

/** Removes all records, with the triples of cached documents. */
export async function clearRecords(records: RecordStore): Promise<void> {
  for (const table of TABLES) {
    for await (const [key, value] of records.rows<unknown>(table)) {
      if (table === RECORD_LAYOUT.cached) {
        const graph = graphOfRow(value);
        for await (const quads of records.quads(graph)) await write(records, [], { remove: quads });
      }
      await write(records, [{ table, key }], {});
    }
  }
}

async function write(
  records: RecordStore,
  rows: readonly RecordRow[],
  quads: { add?: readonly Quad[]; remove?: readonly Quad[] },
): Promise<void> {
  const prepared = await records.prepare(quads);
  await prepared.write(rows);
}
