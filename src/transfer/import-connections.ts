import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import {
  counterRow,
  KINDS,
  type Kind,
  type Kinds,
  keyOf,
  rowsOfRecord,
  type Stored,
} from '../connection/records/records.js';
import type { Keep, Row } from '../keep/keep.js';
import { UnusableExport } from './export-file.js';
import type { ExportRecord } from './export-record.js';
import { quadOfTexts } from './quad-texts.js';

/** Rows, or quads, that are written at a time. */
const PORTION = 5_000;

/** A record as this release stores it: 0.2.0 had other keys. */
export function asStored(record: ExportRecord): ExportRecord {
  const kind = record.type === 'record' && kindOf(record.table);
  return kind ? { ...record, key: keyOf(kind, (record.value as AnyStored).record) } : record;
}

type AnyStored = Stored<Kinds[Kind]>;

const kindOf = (table: string) => KINDS.find((kind) => kind === table);

/** Stores what a file holds of the connection service. */
export class ConnectionsImport {
  readonly #keep: Keep;
  #rows: Row[] = [];
  #quads: Quad[] = [];
  /** The highest number of a record. */
  #last = 0;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** @throws UnusableExport */
  async store(record: ExportRecord): Promise<void> {
    if (record.type === 'record') {
      const kind = kindOf(record.table);
      if (!kind) throw new UnusableExport(`this release knows no records of the kind ${record.table}`);
      const stored = record.value as AnyStored;
      this.#rows.push(...rowsOfRecord(kind, stored));
      this.#last = Math.max(this.#last, stored.seq);
    } else if (record.type === 'quads') {
      const graph = DataFactory.namedNode(record.graph);
      for (const texts of record.quads) this.#quads.push(quadOfTexts(texts, graph));
    }
    if (this.#rows.length + this.#quads.length >= PORTION) await this.end();
  }

  /** Resolves when everything is stored. */
  async end(): Promise<void> {
    const writes = { rows: [...this.#rows, counterRow(this.#last)], quads: { put: this.#quads } };
    [this.#rows, this.#quads] = [[], []];
    await this.#keep.exclusively(async () => ({ ...writes, result: undefined }));
  }
}
