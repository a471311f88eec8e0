import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type CachedResource, graphOf } from '../connection/records/cached-resource.js';
import { KINDS, type Kinds, rowsOfRecord } from '../connection/records/records.js';
import type { Head, Reads, Row } from '../keep/keep.js';
import { readTerm, termText } from '../keep/quad-rows.js';
import { UnusableExport } from './export-file.js';
import type { ExportRecord, Portion } from './export-record.js';

/** Texts that tell one term from all others: kind, value, and of literals the datatype and the language. */
const TEXTS_PER_TERM = 4;

/**
 * What the connection service has stored. Rows are one state and quads may be another: so they belong together when nothing has been
 * written up to the end. @throws Error when the service stores something meanwhile
 */
export async function* connectionRecords(keep: Pick<Reads, 'rows' | 'quads'>): AsyncGenerator<ExportRecord> {
  let begun: Head | undefined;
  for await (const { head, rows } of keep.rows(KINDS)) {
    begun = head;
    for (const { table, key, value } of rows) {
      yield { type: 'record', table, key, value: JSON.parse(value) };
      if (table !== 'resource') continue;
      const graph = graphOf((JSON.parse(value) as { record: CachedResource }).record);
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

/** What a file holds of the connection service, as its rows and quads. */
export class RestoredConnections {
  readonly #rows: Row[] = [];
  readonly #put: Quad[] = [];

  /** @throws UnusableExport */
  add(record: ExportRecord): void {
    if (record.type === 'record') {
      const kind = KINDS.find((one) => one === record.table);
      if (!kind) throw new UnusableExport(`this release knows no records of the kind ${record.table}`);
      // Its fields are those of a node's own rows: the file is whole, by its checksum.
      const stored = record.value as unknown as { record: Kinds[typeof kind] };
      this.#rows.push(...rowsOfRecord(kind, stored.record));
    } else if (record.type === 'quads') {
      const graph = DataFactory.namedNode(record.graph);
      for (const texts of record.quads) this.#put.push(quadOf(texts, graph));
    }
  }

  end(): Portion {
    return { rows: this.#rows, put: this.#put };
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
