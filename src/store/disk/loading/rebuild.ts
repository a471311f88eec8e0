import type { Quad } from '@rdfjs/types';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import type { Clock } from '../../../lib/clock.js';
import type { FeedRow } from '../changes/change-log.js';
import { BATCH } from '../changes/redo-log.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { readStatementRow, statementKey, statementRow } from '../database/statement-row.js';
import { SCHEMA_VERSION, TABLES } from '../database/tables.js';

/** Positions that are set aside: a crash in between must not lead to the same ones for others. */
const MANY = 10_000_000;

/**
 * Makes the rows of statements that have none, as after a repair: they get positions behind all others. Rows that no quads
 * stand for go. Says how many statements there are. A crash in between does no harm, because the rows count only once their
 * number has been noted.
 */
export async function rebuildRows(
  store: QuadStore,
  options: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<number> {
  const feed = (await store.row<FeedRow>('meta', 'feed')) ?? { position: 0, at: 0, floor: 0, states: 0 };
  const at = Math.max(options.clock.now(), feed.at);
  const noted = (position: number, more: Partial<FeedRow> = {}) =>
    store.write({
      rows: [TABLES.meta('schema', SCHEMA_VERSION), TABLES.meta('feed', { ...feed, ...more, position })],
      durable: true,
    });
  await noted(feed.position + MANY);
  const numbers = new Map<string, number>();
  for await (const [name, number] of store.rows<number>('graph')) numbers.set(name, number);
  let { position } = feed;
  const found = new Set<number>();
  const rows: Row[] = [];
  for await (const quads of subjectsOf(store.read())) {
    const name = quads[0]?.graph.value ?? '';
    if (!readGraphName(name)) continue;
    const number = numbers.get(name) ?? Math.max(0, ...numbers.values()) + 1;
    if (!numbers.has(name)) rows.push(TABLES.graph(name, number));
    numbers.set(name, number);
    const [metadata] = componentsFromQuads(quads, options.vocabulary).components;
    if (!metadata) continue;
    const key = statementKey(metadata.uri, number);
    const known = await store.text('statement', key);
    if (known !== undefined) {
      found.add(readStatementRow(known).place.position);
      continue;
    }
    position += 1;
    found.add(position);
    const row = statementRow({ place: { position, at, isUpdate: false }, quads: quads.length });
    rows.push(TABLES.statement(key, row), TABLES.change(position, key));
    if (rows.length >= BATCH) await store.write({ rows: rows.splice(0), durable: false });
  }
  await store.write({ rows, durable: false });
  await removeOthers(store, found);
  await noted(position, position === feed.position ? {} : { at });
  return found.size;
}

/** Removes the rows of statements that no quads stand for. */
async function removeOthers(store: QuadStore, found: ReadonlySet<number>): Promise<void> {
  for await (const page of store.texts('statement')) {
    const others = page.filter(([, row]) => !found.has(readStatementRow(row).place.position));
    const rows = others.map(([key]) => TABLES.statement(key, undefined));
    if (rows.length > 0) await store.write({ rows, durable: false });
  }
}

/** The quads of one subject in one graph at a time. */
export async function* subjectsOf(lists: AsyncIterable<readonly Quad[]>): AsyncGenerator<Quad[]> {
  let current: Quad[] = [];
  for await (const quads of lists) {
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
