import type { CatalogContents } from '../catalog/catalog-change.js';
import { CatalogLoader } from '../catalog/catalog-loader.js';
import { documentKey, type Origin, type Stamp } from '../catalog/entry.js';
import { RememberedStates } from '../catalog/remembered-states.js';
import type { Source } from '../component/source.js';
import { unread } from '../core/document-record.js';
import { NO_NETWORK } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import type { Head, Keep } from '../keep/keep.js';
import type { StoredRow } from '../keep/stored-row.js';
import type { Breather, Pace } from '../lib/pace.js';
import { type Contents, contentsOf } from './contents.js';
import { Held } from './held.js';
import { type FoundStatements, type Loss, lossesOf } from './losses.js';
import type { Showing } from './presentation.js';
import { type LoadedData, pinShown } from './registry-data.js';
import { pinRowKey, statementRowKey } from './row-keys.js';
import { type Meta, type Serving, StatementReader, TABLES } from './rows.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

/** What was read; not yet brought up to date with the configuration. */
export interface Loaded extends Omit<LoadedData, 'meta' | 'serving'> {
  /** Absent in a keep that holds nothing yet. */
  readonly meta: Meta | undefined;
  readonly serving: Serving | undefined;
  /** For the catalog. */
  readonly contents: CatalogContents;
  /** The greatest position of a statement. */
  readonly last: number;
  readonly losses: readonly Loss[];
  /** Keys of rows of statements that a damaged table has brought back, after they were removed. */
  readonly revived: readonly string[];
}

export interface LoadParts {
  readonly keep: Keep;
  readonly pace: Pace;
  /** @param stored how the node, or another one on the same data, has shown it last */
  readonly showing: (stored: Serving | undefined) => Showing;
  /** Told how many statements have been read, of how many. */
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
}

/** Reads everything from the keep. @throws KeepDamaged, KeepUnavailable */
export async function load({ keep, pace, showing, onProgress }: LoadParts): Promise<Loaded> {
  const breathe = pace(SLICE_MS);
  const others: StoredRow[] = [];
  let loading: StatementLoading | undefined;
  let head: Head | undefined;
  for await (const batch of keep.rows(TABLES)) {
    head = batch.head;
    if (batch.table !== 'statement') {
      others.push(...batch.rows);
      continue;
    }
    loading ??= await begin(others, { pace, showing });
    for (const row of batch.rows) {
      loading.add(row);
      const pause = breathe();
      if (pause) await pause;
    }
    onProgress?.(loading.read, Math.max(loading.expected, loading.read));
  }
  if (!loading || !head) throw new Error('A keep names its head with each table, also with an empty one');
  return loading.end(head, breathe);
}

/** What is known before the first statement is read. */
async function begin(rows: readonly StoredRow[], { pace, showing }: Pick<LoadParts, 'pace' | 'showing'>) {
  const breathe = pace(SLICE_MS);
  const others = await contentsOf(rows, breathe);
  const { naming, precedence } = showing(others.serving);
  const { namespace } = naming.vocabulary;
  const { serving } = others;
  const isTranslated = serving && (serving.former.length > 0 || serving.namespace !== namespace);
  const documents = isTranslated ? allUnread(others.documents) : others.documents;
  const held = await new Held(precedence).with({ ...others, documents }, breathe);
  const pins = new Map<string, StoredPin>();
  for (const [key, pin] of others.pins) if (pin) pins.set(key, pin);
  const removed = new Map<string, number>();
  for (const removal of others.removals) {
    removed.set(statementRowKey(removal.uri, documentKey(removal)), removal.position);
    await breathe();
  }
  return new StatementLoading({ others, held, pins, removed, loader: new CatalogLoader(naming, pace) });
}

/** In another vocabulary, the same documents may say something else. */
function allUnread(documents: Contents['documents']): Contents['documents'] {
  return new Map([...documents].map(([key, row]) => [key, row && { ...row, record: unread(row.record) }]));
}

interface FoundDocument extends FoundStatements {
  readonly origin: Origin;
  count: number;
  seals: number;
}

interface LoadingParts extends Pick<LoadedData, 'held' | 'pins'> {
  /** What the other tables say. */
  readonly others: Contents;
  /** Positions of removals, by the keys of the statements that were removed. */
  readonly removed: ReadonlyMap<string, number>;
  readonly loader: CatalogLoader;
}

/** Puts the catalog together, and compares what there is with what has been stored. */
class StatementLoading {
  read = 0;
  readonly expected: number;
  readonly #parts: LoadingParts;
  /** The latest of each time: what came with one change shares one stamp, wherever it stands in the listing. */
  readonly #stamps = new Map<number, Stamp>();
  #last = 0;
  readonly #revived: string[] = [];
  readonly #reader = new StatementReader();
  readonly #found = new Map<string, FoundDocument>();
  /** Of the row before, as its reader has it. */
  #before: { readonly source: Source; readonly document: string; readonly found: FoundDocument } | undefined;

  constructor(parts: LoadingParts) {
    this.#parts = parts;
    this.expected = parts.held.summaries().reduce((sum, { count }) => sum + count, 0);
  }

  add({ key, bytes, seal: unsigned }: StoredRow): void {
    const { source, document, listed, position, at, isUpdate, since } = this.#reader.read(bytes);
    const { pins, removed, loader } = this.#parts;
    // A damaged table may have lost that the row was deleted.
    if (removed.size > 0 && position < (removed.get(key) ?? 0)) {
      this.#revived.push(key);
      return;
    }
    const seal = unsigned | 0;
    const found = this.#foundOf(source, document);
    found.count += 1;
    found.seals += seal;
    this.read += 1;
    this.#last = Math.max(this.#last, position);
    const { origin } = found;
    const seen = pins.size === 0 ? undefined : pins.get(pinRowKey(listed));
    const pin = pinShown(seen, origin, listed);
    const stamp = this.#stampOf(at, isUpdate, since);
    loader.add({ origin, listed, position, stamp, seal, pin });
  }

  #foundOf(source: Source, document: string): FoundDocument {
    const last = this.#before;
    if (last?.source === source && last.document === document) return last.found;
    const key = documentKey({ source, document });
    const origin = this.#parts.held.originOf({ source, document });
    const found = this.#found.get(key) ?? { source, document, origin, count: 0, seals: 0 };
    this.#found.set(key, found);
    this.#before = { source, document, found };
    return found;
  }

  async end(head: Head, breathe: Breather): Promise<Loaded> {
    const { others, held, pins, loader } = this.#parts;
    const { removals, meta, serving, network = NO_NETWORK } = others;
    const states = new RememberedStates();
    states.apply(others.states);
    const contents = await loader.end(removals, breathe);
    const last = removals.reduce((most, { position }) => Math.max(most, position), this.#last);
    for (const found of this.#found.values()) {
      held.count(found, found.count);
      const pause = breathe();
      if (pause) await pause;
    }
    const losses = lossesOf(this.#found.values(), held);
    const known = { contents, head, held, pins, states, network, meta, serving };
    return { ...known, last, losses, revived: this.#revived };
  }

  #stampOf(at: number, isUpdate: boolean, since: number | undefined): Stamp {
    const known = this.#stamps.get(at);
    if (known?.isUpdate === isUpdate && known.since === since) return known;
    const stamp = since === undefined ? { at, isUpdate } : { at, isUpdate, since };
    this.#stamps.set(at, stamp);
    return stamp;
  }
}
