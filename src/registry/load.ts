import { CatalogLoader } from '../catalog/catalog-loader.js';
import { RememberedStates } from '../catalog/remembered-states.js';
import { createVocabulary } from '../component/vocabulary.js';
import { NO_NETWORK } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import { precedenceOf } from '../core/precedence.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Head, Keep } from '../keep/keep.js';
import type { StoredRow } from '../keep/stored-row.js';
import type { Clock } from '../lib/clock.js';
import type { Breather, Pace } from '../lib/pace.js';
import { entryMaker } from './entry-maker.js';
import { Held } from './held.js';
import { LayeredMap } from './layered-map.js';
import { lossesIn } from './losses.js';
import { contentsOf, type RowContents } from './row-contents.js';
import { statementRowKey } from './row-keys.js';
import { type Meta, SCHEMA, StatementReader, TABLES } from './rows.js';
import type { Serving } from './serving.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

export interface LoadParts {
  readonly keep: Pick<Keep, 'rows'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly pace: Pace;
  /** How it is to be shown. @param shown how a node has shown it last; absent in a keep that held nothing yet */
  readonly serving: (shown: Serving | undefined) => Serving;
  /** Told how many statements have been read, of how many. */
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
}

export type Loaded = Awaited<ReturnType<typeof load>>;

/** Reads everything from the keep. @throws KeepDamaged, KeepUnusable, StoreUnavailable */
export async function load(parts: LoadParts) {
  const breathe = parts.pace(SLICE_MS);
  const others: StoredRow[] = [];
  const reader = new StatementReader();
  /** Keys of rows of statements that a damaged table has brought back, after they were removed. */
  const revived: string[] = [];
  let begun: Awaited<ReturnType<typeof begin>> | undefined;
  let [read, last] = [0, 0];
  for await (const { head, table, rows } of parts.keep.rows(TABLES)) {
    if (table !== 'statement') {
      others.push(...rows);
      continue;
    }
    begun ??= await begin(head, await contentsOf(others, breathe), parts, breathe);
    for (const stored of rows) {
      const { key } = stored;
      const row = reader.read(stored);
      last = Math.max(last, row.position);
      if (row.position < (begun.removed.get(key) ?? 0)) revived.push(key);
      else begun.loader.add(begun.entryOf(row));
      const pause = breathe();
      if (pause) await pause;
    }
    read += rows.length;
    parts.onProgress?.(read, Math.max(begun.expected, read));
  }
  if (!begun) throw new Error('A keep names its head with each table, also with an empty one');
  const { removals, loader, data, shown } = begun;
  const contents = await loader.end(removals, breathe);
  const losses = await lossesIn(contents.documents.values(), data.held, breathe);
  // After a repair the row that tells the position may be lost, or an earlier one.
  for (const { position } of [data.meta, ...removals]) last = Math.max(last, position);
  return { ...data, meta: { ...data.meta, position: last }, contents, shown, losses, revived };
}

/** What is known before the first statement is read. */
async function begin(
  head: Head,
  others: RowContents,
  { clock, pace, serving: servingAfter }: LoadParts,
  breathe: Breather,
) {
  const { sources, removals, single } = others;
  const { registry: meta = newMeta(clock.now()), serving: shown, network = NO_NETWORK, checked } = single;
  if (meta.schema !== SCHEMA)
    throw new KeepUnusable(
      `The stored data has schema version ${meta.schema}, and this software knows ${SCHEMA} alone; ` +
        'start the version that wrote it, and import its export into an empty place',
    );
  const serving = servingAfter(shown);
  const { baseUrl, namespace, order } = serving;
  const held = await new Held(precedenceOf(order)).with(sources, breathe);
  const pins = await new LayeredMap<StoredPin>().changed(others.pins, breathe);
  const states = new RememberedStates();
  states.apply(others.states);
  const naming = { baseUrl, vocabulary: createVocabulary(namespace) };
  return {
    data: { head, meta, serving, network, checked, held, pins, states },
    shown,
    removals,
    /** Positions of removals, by the keys of the statements that were removed. */
    removed: new Map(removals.map((removal) => [statementRowKey(removal), removal.position])),
    loader: new CatalogLoader(naming, pace),
    entryOf: entryMaker(naming, held, pins),
    expected: held.statements,
  };
}

function newMeta(now: number): Meta {
  const never = { number: 0, since: now };
  return { schema: SCHEMA, revision: never, networkRevision: never, position: 0, at: 0, purged: 0 };
}
