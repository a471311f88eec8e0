import type { CatalogContents } from '../catalog/catalog-change.js';
import { CatalogLoader } from '../catalog/catalog-loader.js';
import { documentKey, type Origin, originOf, type Stamp } from '../catalog/entry.js';
import { RememberedStates } from '../catalog/remembered-states.js';
import type { Source } from '../component/source.js';
import { unread } from '../core/document-record.js';
import { NO_NETWORK } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import type { Head, Keep } from '../keep/keep.js';
import type { StoredRow } from '../keep/stored-row.js';
import type { Pace } from '../lib/pace.js';
import { type Contents, contentsOf } from './contents.js';
import { Held } from './held.js';
import { type Loss, lossesIn } from './losses.js';
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
  readonly keep: Pick<Keep, 'rows'>;
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
  let loading: Loading | undefined;
  for await (const { head, table, rows } of keep.rows(TABLES)) {
    if (table !== 'statement') {
      others.push(...rows);
      continue;
    }
    loading ??= await begin(head, await contentsOf(others, breathe), showing, pace);
    for (const row of rows) {
      loading.add(row);
      const pause = breathe();
      if (pause) await pause;
    }
    onProgress?.(loading.read, Math.max(loading.expected, loading.read));
  }
  if (!loading) throw new Error('A keep names its head with each table, also with an empty one');
  return loading.end();
}

/** What is known before the first statement is read. */
async function begin(head: Head, others: Contents, showing: LoadParts['showing'], pace: Pace) {
  const { serving, sources } = others;
  const { naming, precedence } = showing(serving);
  const { namespace } = naming.vocabulary;
  const isTranslated = serving && (serving.former.length > 0 || serving.namespace !== namespace);
  // In another vocabulary, the same documents may say something else.
  for (const { documents } of isTranslated ? sources.values() : [])
    for (const [key, row] of documents) documents.set(key, row && { ...row, record: unread(row.record) });
  const held = new Held(precedence).with(sources);
  return new Loading({ head, others, held, pace, loader: new CatalogLoader(naming, pace) });
}

interface LoadingParts extends Pick<LoadedData, 'head' | 'held'> {
  /** What the other tables say. */
  readonly others: Contents;
  readonly loader: CatalogLoader;
  readonly pace: Pace;
}

/** Puts the catalog together. */
class Loading {
  read = 0;
  readonly expected: number;
  readonly #parts: LoadingParts;
  readonly #pins = new Map<string, StoredPin>();
  /** Positions of removals, by the keys of the statements that were removed. */
  readonly #removed: ReadonlyMap<string, number>;
  readonly #reader = new StatementReader();
  readonly #origins = new Map<string, Origin>();
  /** The latest of each time: what came with one change shares one stamp, wherever it stands in the listing. */
  readonly #stamps = new Map<number, Stamp>();
  #last = 0;
  readonly #revived: string[] = [];

  constructor(parts: LoadingParts) {
    this.#parts = parts;
    const { pins, removals } = parts.others;
    for (const [key, pin] of pins) if (pin) this.#pins.set(key, pin);
    const positionOf = (removal: Contents['removals'][number]) =>
      [statementRowKey(removal.uri, documentKey(removal)), removal.position] as const;
    this.#removed = new Map(removals.map(positionOf));
    this.expected = parts.held.summaries().reduce((sum, { count }) => sum + count, 0);
  }

  add({ key, bytes, seal }: StoredRow): void {
    const { source, document, listed, position, at, isUpdate, since } = this.#reader.read(bytes);
    this.#last = Math.max(this.#last, position);
    // A damaged table may have lost that the row was deleted.
    if (position < (this.#removed.get(key) ?? 0)) {
      this.#revived.push(key);
      return;
    }
    this.read += 1;
    const origin = this.#originOf(source, document);
    const pin = this.#pins.size > 0 ? pinShown(this.#pins.get(pinRowKey(listed)), origin, listed) : undefined;
    const stamp = this.#stampOf(since === undefined ? { at, isUpdate } : { at, isUpdate, since });
    this.#parts.loader.add({ origin, listed, position, stamp, seal: seal | 0, pin });
  }

  async end(): Promise<Loaded> {
    const { head, others, held, loader, pace } = this.#parts;
    const { removals, meta, serving, network = NO_NETWORK } = others;
    const states = new RememberedStates();
    states.apply(others.states);
    const contents = await loader.end(removals, pace(SLICE_MS));
    const losses = await lossesIn(contents.documents.values(), held, pace(SLICE_MS));
    const last = removals.reduce((most, { position }) => Math.max(most, position), this.#last);
    const known = { contents, head, held, pins: this.#pins, states, network, meta, serving };
    return { ...known, last, losses, revived: this.#revived };
  }

  #originOf(source: Source, document: string): Origin {
    const key = documentKey({ source, document });
    const { held } = this.#parts;
    const authority = held.document({ source, document })?.authority;
    const origin = this.#origins.get(key) ?? originOf({ source, document, authority }, held.precedence);
    this.#origins.set(key, origin);
    return origin;
  }

  #stampOf(stamp: Stamp): Stamp {
    const known = this.#stamps.get(stamp.at);
    if (known?.isUpdate === stamp.isUpdate && known.since === stamp.since) return known;
    this.#stamps.set(stamp.at, stamp);
    return stamp;
  }
}
