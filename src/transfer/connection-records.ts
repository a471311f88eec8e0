import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type CachedResource, graphOf } from '../connection/records/cached-resource.js';
import { type AnyStored, counterRow, KINDS, kindOf, rowsOfRecord } from '../connection/records/records.js';
import type { Head, Keep, Reads, Row } from '../keep/keep.js';
import { readTerm, termText } from '../keep/terms-text.js';
import { UnusableExport } from './export-file.js';
import type { ExportRecord } from './export-record.js';

/** Texts that tell one term from all others: kind, value, and of literals the datatype and the language. */
const TEXTS_PER_TERM = 4;
/** Rows, or quads, that are written at a time. */
const PORTION = 5_000;

/**
 * What the connection service has stored. Rows are one state and quads may be another: so they belong together when nothing has been
 * written up to the end. @throws Error when the service stores something meanwhile
 */
export async function* connectionRecords(keep: Pick<Reads, 'rows' | 'quads'>): AsyncGenerator<ExportRecord> {
  let begun: Head | undefined;
  for await (const { head, rows } of keep.rows(KINDS)) {
    begun = head;
    for (const row of rows) {
      const { table, key } = row;
      yield { type: 'record', table, key, value: JSON.parse(row.value) };
      for (const graph of graphsOf([row]))
        for await (const quads of keep.quads([graph]))
          yield { type: 'quads', graph: graph.value, quads: quads.map(textsOf) };
    }
  }
  for await (const { head } of keep.rows(KINDS)) {
    if (head.mark === begun?.mark) return;
    throw new Error(
      'connections were changed while they were read: stop the nodes that use them, or try again',
    );
  }
}

/** The graphs in which the triples of cached documents are that these rows tell of. */
export function graphsOf(rows: readonly Row[]): NamedNode[] {
  const resources = rows.filter(({ table }) => table === 'resource');
  return resources.map(({ value = '' }) => graphOf((JSON.parse(value) as { record: CachedResource }).record));
}

/** Stores what a file holds of the connection service. Everything is there when `end` has resolved. */
export class RestoredConnections {
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
      // Its fields are those of a node's own rows: the file is whole, by its checksum.
      const stored = record.value as unknown as AnyStored;
      this.#rows.push(...rowsOfRecord(kind, stored));
      this.#last = Math.max(this.#last, stored.seq);
    } else if (record.type === 'quads') {
      const graph = DataFactory.namedNode(record.graph);
      for (const texts of record.quads) this.#quads.push(quadOf(texts, graph));
    }
    if (this.#rows.length + this.#quads.length >= PORTION) await this.end();
  }

  async end(): Promise<void> {
    const writes = { rows: [...this.#rows, counterRow(this.#last)], quads: { put: this.#quads } };
    [this.#rows, this.#quads] = [[], []];
    await this.#keep.exclusively(async () => ({ ...writes, result: undefined }));
  }
}

/** A quad of a known graph as texts, so that blank nodes keep their labels, which no syntax of RDF promises. */
function textsOf({ subject, predicate, object }: Quad): string[] {
  return [subject, predicate, object].flatMap((term) => {
    const [type = '', value = '', datatype = '', language = ''] = termText(term);
    return [type, value, datatype, language];
  });
}

function quadOf(texts: readonly string[], graph: NamedNode): Quad {
  const term = (at: number): Term => readTerm(texts.slice(at * TEXTS_PER_TERM, (at + 1) * TEXTS_PER_TERM));
  return DataFactory.quad(term(0) as never, term(1) as never, term(2) as never, graph);
}
