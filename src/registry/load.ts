import type { CatalogContents } from '../catalog/catalog-change.js';
import { CatalogLoader } from '../catalog/catalog-loader.js';
import { documentKey, type Origin, originOf, type Stamp } from '../catalog/entry.js';
import { RememberedStates } from '../catalog/remembered-states.js';
import type { Source } from '../component/source.js';
import { unread } from '../core/document-record.js';
import { NO_NETWORK } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Head, Keep } from '../keep/keep.js';
import type { StoredRow } from '../keep/stored-row.js';
import type { Clock } from '../lib/clock.js';
import type { Pace } from '../lib/pace.js';
import { type Contents, contentsOf } from './contents.js';
import { Held } from './held.js';
import { type Loss, lossesIn } from './losses.js';
import { showingOf } from './presentation.js';
import { type LoadedData, pinShown } from './registry-data.js';
import { pinRowKey, statementRowKey } from './row-keys.js';
import { type Meta, SCHEMA, type Serving, StatementReader, TABLES } from './rows.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

/** What was read. */
export interface Loaded extends LoadedData {
  /** For the catalog. */
  readonly contents: CatalogContents;
  /** How it has been shown last, by whichever node; absent in a keep that holds nothing yet. */
  readonly shown: Serving | undefined;
  readonly losses: readonly Loss[];
  /** Keys of rows of statements that a damaged table has brought back, after they were removed. */
  readonly revived: readonly string[];
}

export interface LoadParts {
  readonly keep: Pick<Keep, 'rows'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly pace: Pace;
  /** How it is to be shown. @param shown see `Loaded` */
  readonly serving: (shown: Serving | undefined) => Serving;
  /** Told how many statements have been read, of how many. */
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
}

/** Reads everything from the keep. @throws KeepDamaged, KeepUnusable, KeepUnavailable */
export async function load(parts: LoadParts): Promise<Loaded> {
  const breathe = parts.pace(SLICE_MS);
  const others: StoredRow[] = [];
  let loading: Loading | undefined;
  for await (const { head, table, rows } of parts.keep.rows(TABLES)) {
    if (table !== 'statement') {
      others.push(...rows);
      continue;
    }
    loading ??= new Loading(head, await contentsOf(others, breathe), parts);
    for (const row of rows) {
      loading.add(row);
      const pause = breathe();
      if (pause) await pause;
    }
    parts.onProgress?.(loading.read, Math.max(loading.expected, loading.read));
  }
  if (!loading) throw new Error('A keep names its head with each table, also with an empty one');
  return loading.end();
}

/** Puts the catalog together. */
class Loading {
  read = 0;
  readonly expected: number;
  readonly #head: Head;
  /** What the other tables say. */
  readonly #others: Contents;
  readonly #parts: LoadParts;
  readonly #serving: Serving;
  readonly #held: Held;
  readonly #loader: CatalogLoader;
  readonly #pins = new Map<string, StoredPin>();
  /** Positions of removals, by the keys of the statements that were removed. */
  readonly #removed: ReadonlyMap<string, number>;
  readonly #reader = new StatementReader();
  readonly #origins = new Map<string, Origin>();
  /** The latest of each time: what came with one change shares one stamp, wherever it stands in the listing. */
  readonly #stamps = new Map<number, Stamp>();
  #last = 0;
  readonly #revived: string[] = [];

  constructor(head: Head, others: Contents, parts: LoadParts) {
    const { sources, pins, removals } = others;
    const { registry: meta, serving: shown } = others.single;
    if (meta && meta.schema !== SCHEMA)
      throw new KeepUnusable(
        `The stored data has schema version ${meta.schema}, and this software knows ${SCHEMA} alone; start the version that wrote it, and import its export into an empty place`,
      );
    [this.#head, this.#others, this.#parts] = [head, others, parts];
    this.#serving = parts.serving(shown);
    const { naming, precedence } = showingOf(this.#serving);
    const isTranslated = shown && (shown.former.length > 0 || shown.namespace !== this.#serving.namespace);
    // In another vocabulary, the same documents may say something else.
    for (const { documents } of isTranslated ? sources.values() : [])
      for (const [key, row] of documents) documents.set(key, row && { ...row, record: unread(row.record) });
    this.#held = new Held(precedence).with(sources);
    this.expected = this.#held.summaries().reduce((sum, { count }) => sum + count, 0);
    this.#loader = new CatalogLoader(naming, parts.pace);
    for (const [key, pin] of pins) if (pin) this.#pins.set(key, pin);
    this.#removed = new Map(removals.map((removal) => [statementRowKey(removal), removal.position]));
  }

  add({ key, bytes, seal }: StoredRow): void {
    const { source, document, listed, position, stamp } = this.#reader.read(bytes);
    this.#last = Math.max(this.#last, position);
    // A damaged table may have lost that the row was deleted.
    if (position < (this.#removed.get(key) ?? 0)) {
      this.#revived.push(key);
      return;
    }
    this.read += 1;
    const origin = this.#originOf(source, document);
    const pin = this.#pins.size > 0 ? pinShown(this.#pins.get(pinRowKey(listed)), origin, listed) : undefined;
    this.#loader.add({ origin, listed, position, stamp: this.#stampOf(stamp), seal: seal | 0, pin });
  }

  async end(): Promise<Loaded> {
    const { clock, pace } = this.#parts;
    const { removals, single } = this.#others;
    const { registry, serving: shown, network = NO_NETWORK, checked } = single;
    const states = new RememberedStates();
    states.apply(this.#others.states);
    const contents = await this.#loader.end(removals, pace(SLICE_MS));
    const losses = await lossesIn(contents.documents.values(), this.#held, pace(SLICE_MS));
    const stored = registry ?? newMeta(clock.now());
    // After a repair the row that tells the position may be lost, or an earlier one.
    const last = removals.reduce((most, { position }) => Math.max(most, position), this.#last);
    const meta = { ...stored, position: Math.max(stored.position, last) };
    const known = { head: this.#head, meta, serving: this.#serving, network, checked };
    return {
      ...known,
      held: this.#held,
      pins: this.#pins,
      states,
      contents,
      shown,
      losses,
      revived: this.#revived,
    };
  }

  #originOf(source: Source, document: string): Origin {
    const key = documentKey({ source, document });
    const authority = this.#held.document({ source, document })?.authority;
    const origin = this.#origins.get(key) ?? originOf({ source, document, authority }, this.#held.precedence);
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

function newMeta(now: number): Meta {
  const never = { number: 0, since: now };
  return { schema: SCHEMA, revision: never, networkRevision: never, position: 0, at: 0, purged: 0 };
}
