import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { listingText } from '../../src/component/writing/listing-text.js';
import { quadOf } from '../../src/store/disk/database/quad-keys.js';
import type { QuadStore, Row } from '../../src/store/disk/database/quad-store.js';
import { readStatementKey, readStatementRow } from '../../src/store/disk/database/statement-row.js';
import { SCHEMA_VERSION, TABLES } from '../../src/store/disk/database/tables.js';
import { BASE_URL, VOCABULARY } from './registry.js';

const digits = (number: number) => number.toString(36).padStart(9, '0');
const hexadecimal = (number: number) => number.toString(16).padStart(8, '0');

/** Makes the rows of statements what software of schema 6 has written: with the metadata in them. */
export async function writeEarlierRows(
  store: QuadStore,
  isWanted: (uri: string) => boolean = () => true,
): Promise<void> {
  const naming = { baseUrl: BASE_URL, vocabulary: VOCABULARY };
  const graphs = new Map<number, string>();
  for await (const [name, number] of store.rows<number>('graph')) graphs.set(number, name);
  const rows: Row[] = [];
  for await (const page of store.texts('statement')) {
    for (const [key, row] of page) {
      const { uri, graph } = readStatementKey(key);
      if (!isWanted(uri)) continue;
      const cursor = store.cursor(graphs.get(graph) ?? '');
      const [metadata] = componentsFromQuads((await cursor.about(uri)).map(quadOf), VOCABULARY).components;
      await cursor.close();
      if (!metadata) throw new Error(`there are no quads of ${uri}`);
      const { position, at, isUpdate, since } = readStatementRow(row).place;
      const what = since === undefined ? (isUpdate ? 'u' : 'c') : `p${digits(since)}`;
      const { text, plain } = listingText(metadata, naming);
      const earlier = `p${digits(position)}${digits(at)}${what}${hexadecimal(plain)}${hexadecimal(1)}${text}`;
      rows.push(TABLES.statement(key, earlier));
    }
  }
  const { count = 0 } = (await store.row<{ count: number }>('meta', 'statements')) ?? {};
  const writtenAs = JSON.stringify([2, BASE_URL, VOCABULARY.namespace]);
  rows.push(TABLES.meta('schema', SCHEMA_VERSION), TABLES.meta('slim', undefined));
  await store.write({ rows: [...rows, TABLES.meta('statements', { writtenAs, count })], durable: true });
}

/** How many rows have text, of so many. */
export async function rowsWithText(store: QuadStore): Promise<readonly [count: number, all: number]> {
  let [count, all] = [0, 0];
  for await (const page of store.texts('statement')) {
    all += page.length;
    count += page.filter(([, row]) => row.includes('{"@id"')).length;
  }
  return [count, all];
}
