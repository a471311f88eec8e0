import { createHash } from 'node:crypto';
import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type CheckedWrites, refuseQuad } from './checked-writes.js';
import type { Reads, Row } from './keep.js';

/** Begins the names of tables that no service can have: one for each graph, by its hash, for IRIs are longer than an index takes. */
const TABLE = 'QUADS/';

/** Is it a table of quads, where an engine that has nothing but rows keeps them? */
export function isOfQuads(table: string): boolean {
  return table.startsWith(TABLE);
}

/** The changes of quads as changes of rows, each once: their terms, under the hashes of their subject and of all. */
export function quadRows({ remove, put }: Pick<CheckedWrites, 'remove' | 'put'>): Row[] {
  const rows = new Map<string, Row>();
  const take = (quad: Quad, isPut: boolean) => {
    refuseQuad(quad);
    const { graph, subject, predicate, object } = quad;
    const terms = JSON.stringify([subject, predicate, object].map(termText));
    // All that is said of a subject stands together.
    const key = `${hashOf(JSON.stringify(termText(subject)))} ${hashOf(terms)}`;
    const table = tableOf(graph);
    rows.set(`${table} ${key}`, { table, key, value: isPut ? terms : undefined });
  };
  for (const quad of remove) take(quad, false);
  for (const quad of put) take(quad, true);
  return [...rows.values()];
}

/** The quads of these graphs, where they are rows. */
export async function* quadsInRows(
  reads: Pick<Reads, 'rows'>,
  graphs: readonly NamedNode[],
): AsyncGenerator<readonly Quad[]> {
  const byTable = new Map(graphs.map((graph) => [tableOf(graph), graph.value]));
  for await (const { table, rows } of reads.rows([...byTable.keys()])) {
    const graph = DataFactory.namedNode(byTable.get(table) ?? '');
    if (rows.length > 0) yield rows.map(({ value }) => quadOf(JSON.parse(value), graph));
  }
}

/** Reads back what `termText` wrote of its subject, predicate and object. */
export function quadOf(terms: readonly (readonly string[])[], graph: NamedNode): Quad {
  const [subject, predicate, object] = terms.map(readTerm);
  return DataFactory.quad(subject as never, predicate as never, object as never, graph);
}

function tableOf(graph: Term): string {
  return TABLE + hashOf(JSON.stringify(termText(graph)));
}

/** 128 bits of SHA-256 in hexadecimal, which every collation orders alike. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A text that is different for each term. */
export function termText(term: Term): readonly string[] {
  if (term.termType !== 'Literal') return [term.termType, term.value];
  return [term.termType, term.value, term.datatype.value, term.language];
}

function readTerm([type, value = '', datatype = '', language = '']: readonly string[]): Term {
  if (type === 'NamedNode') return DataFactory.namedNode(value);
  if (type === 'BlankNode') return DataFactory.blankNode(value);
  return DataFactory.literal(value, language === '' ? DataFactory.namedNode(datatype) : language);
}
