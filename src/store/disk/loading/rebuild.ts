import type { Quad } from '@rdfjs/types';
import type { Naming } from '../../../component/naming.js';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { BATCH } from '../changes/redo-log.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { statementKey, statementRow } from '../database/statement-row.js';
import { SCHEMA_VERSION, TABLES } from '../database/tables.js';

/**
 * Makes the rows of statements anew from the quads, which are the truth, and says how many there are. A
 * crash in between does no harm: the rows count only once their number has been noted; `mark` is written first,
 * and says that they do not count.
 */
export async function rebuildStatements(store: QuadStore, naming: Naming, mark: Row): Promise<number> {
  const begun = [mark, TABLES.meta('schema', SCHEMA_VERSION)];
  await store.write({ rows: begun, durable: true });
  await removeStatements(store);
  const numbers = new Map<string, number>();
  for await (const [name, number] of store.rows<number>('graph')) numbers.set(name, number);
  let count = 0;
  let rows: Row[] = [];
  const write = async () => {
    await store.write({ rows, durable: false });
    rows = [];
  };
  for await (const quads of subjectsOf(store)) {
    const name = quads[0]?.graph.value ?? '';
    if (!readGraphName(name)) continue;
    const number = numbers.get(name) ?? Math.max(0, ...numbers.values()) + 1;
    if (!numbers.has(name)) rows.push(TABLES.graph(name, number));
    numbers.set(name, number);
    for (const metadata of componentsFromQuads(quads, naming.vocabulary).components) {
      rows.push(TABLES.statement(statementKey(metadata.uri, number), statementRow(metadata, naming)));
      count += 1;
    }
    if (rows.length >= BATCH) await write();
  }
  await write();
  return count;
}

async function removeStatements(store: QuadStore): Promise<void> {
  for await (const page of store.texts('statement')) {
    await store.write({ rows: page.map(([key]) => TABLES.statement(key, undefined)), durable: false });
  }
}

/** The quads of one subject in one graph at a time. */
export async function* subjectsOf(store: QuadStore): AsyncGenerator<Quad[]> {
  let current: Quad[] = [];
  for await (const quads of store.read({})) {
    for (const quad of quads) {
      const [first] = current;
      if (first && !(first.graph.value === quad.graph.value && first.subject.value === quad.subject.value)) {
        yield current;
        current = [];
      }
      current.push(quad);
    }
  }
  if (current.length > 0) yield current;
}
