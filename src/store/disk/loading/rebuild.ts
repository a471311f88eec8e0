import type { Quad } from '@rdfjs/types';
import type { Naming } from '../../../component/naming.js';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import type { Clock } from '../../../lib/clock.js';
import type { FeedRow } from '../changes/change-log.js';
import { BATCH } from '../changes/redo-log.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { readPlace, type StatementPlace, statementKey, statementRow } from '../database/statement-row.js';
import { outdatedStatements, refuseLoss, type StatementsNote } from '../database/statements-note.js';
import { SCHEMA_VERSION, TABLES } from '../database/tables.js';

/** Positions that are set aside where nothing tells how many statements there are. */
const MANY = 10_000_000;

/**
 * Makes the rows of statements anew from the quads, which are the truth, and says how many there are. Statements keep
 * their positions; those whose row is lost get new ones. A crash in between does no
 * harm: the rows count only once their number has been noted, and what is written first says that they do not count.
 * @throws DamagedData when there are not as many as have been recorded, before any row is removed
 */
export async function rebuildStatements(
  store: QuadStore,
  options: Naming & { readonly clock: Clock },
  known: StatementsNote | undefined,
): Promise<number> {
  const places = await Places.reserve(store, options.clock.now(), known);
  const numbers = new Map<string, number>();
  for await (const [name, number] of store.rows<number>('graph')) numbers.set(name, number);
  const found = new Set<number>();
  let count = 0;
  let rows: Row[] = [];
  const write = async () => {
    await store.write({ rows, durable: false });
    rows = [];
  };
  for await (const quads of subjectsOf(store.read({}))) {
    const name = quads[0]?.graph.value ?? '';
    if (!readGraphName(name)) continue;
    const number = numbers.get(name) ?? Math.max(0, ...numbers.values()) + 1;
    if (!numbers.has(name)) rows.push(TABLES.graph(name, number));
    numbers.set(name, number);
    for (const metadata of componentsFromQuads(quads, options.vocabulary).components) {
      const key = statementKey(metadata.uri, number);
      const row = await store.text('statement', key);
      const place = places.of(row);
      if (row === undefined) rows.push(TABLES.change(place.position, key));
      found.add(place.position);
      rows.push(TABLES.statement(key, statementRow(metadata, options, place)));
      count += 1;
    }
    if (rows.length >= BATCH) await write();
  }
  await write();
  refuseLoss(store.place, known, count);
  await removeOthers(store, found);
  await store.write({ rows: [TABLES.meta('feed', places.row)], durable: true });
  return count;
}

/** Gives statements the positions that they have, or new ones behind all others. */
class Places {
  readonly #now: number;
  readonly #known: FeedRow;
  #position: number;

  private constructor(known: FeedRow, now: number) {
    this.#known = known;
    this.#now = Math.max(now, known.at);
    this.#position = known.position;
  }

  /** Sets positions aside before any is given: after a crash, others are given. */
  static async reserve(store: QuadStore, now: number, known: StatementsNote | undefined): Promise<Places> {
    const feed = (await store.row<FeedRow>('meta', 'feed')) ?? { position: 0, at: 0, floor: 0, states: 0 };
    const position = feed.position + (known?.count ?? MANY);
    const rows = [
      outdatedStatements(known),
      TABLES.meta('schema', SCHEMA_VERSION),
      TABLES.meta('feed', { ...feed, position }),
    ];
    await store.write({ rows, durable: true });
    return new Places(feed, now);
  }

  of(row: string | undefined): StatementPlace {
    if (row !== undefined) return readPlace(row);
    this.#position += 1;
    return { position: this.#position, at: this.#now, isUpdate: false };
  }

  /** Of the feed, once all have their positions. */
  get row(): FeedRow {
    return this.#position === this.#known.position
      ? this.#known
      : { ...this.#known, position: this.#position, at: this.#now };
  }
}

/** Removes the rows of statements that no quads stand for. */
async function removeOthers(store: QuadStore, found: ReadonlySet<number>): Promise<void> {
  for await (const page of store.texts('statement')) {
    const others = page.filter(([, row]) => !found.has(readPlace(row).position));
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
