import { type CatalogContents, editOf, type StatementEdit } from '../catalog/catalog-change.js';
import { ComponentCatalog, type Shown } from '../catalog/component-catalog.js';
import type { Entry } from '../catalog/entry.js';
import type { RememberedStates } from '../catalog/remembered-states.js';
import { samePin } from '../component/pin.js';
import { listingText } from '../component/writing/listing-text.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { sameAuthority } from '../core/precedence.js';
import { feedDigest } from '../core/source-digests.js';
import type { Head } from '../keep/keep.js';
import type { Pace } from '../lib/pace.js';
import { entryMaker } from './entry-maker.js';
import type { Held } from './held.js';
import type { LayeredMap } from './layered-map.js';
import type { RowContents } from './row-contents.js';
import { pinRowKey } from './row-keys.js';
import type { DocumentRow, Meta, Single } from './rows.js';
import { type Serving, showsTheSame } from './serving.js';

/** What a registry holds in memory beside its catalog. */
export interface LoadedData extends Omit<Single, 'registry' | 'checked'> {
  readonly head: Head;
  readonly meta: Meta;
  readonly checked?: Single['checked'] | undefined;
  readonly held: Held;
  /** What has been seen of modules, by the keys of the rows. */
  readonly pins: LayeredMap<StoredPin>;
  /** Changed in place. */
  readonly states: RememberedStates;
}

/**
 * Everything that a registry holds in memory: a function of the rows in its keep. What a commit changes is absorbed in the same
 * way, whoever made the commit: so all nodes that share the data show the same.
 */
export class RegistryData {
  readonly catalog: ComponentCatalog;
  readonly #pace: Pace;
  /** How this node is configured to show it. */
  readonly configured: Serving;
  #now: LoadedData;

  constructor(contents: CatalogContents, loaded: LoadedData, pace: Pace, catchUp?: () => Promise<unknown>) {
    this.catalog = new ComponentCatalog(contents, shownOf(loaded), pace, catchUp);
    this.#pace = pace;
    this.configured = loaded.serving;
    this.#now = loaded;
  }

  get now(): LoadedData {
    return this.#now;
  }

  /**
   * Are there the sources with which this node is configured, and not those of another one that was started on the same data
   * since? Then only that one knows which are to be forgotten.
   */
  get isCurrent(): boolean {
    return this.isShownAs({ ...this.configured, baseUrl: this.#now.serving.baseUrl });
  }

  isShownAs(serving: Serving): boolean {
    return showsTheSame(serving, this.#now.serving);
  }

  /** Holds and shows other data from now on. */
  replace(contents: CatalogContents, loaded: LoadedData): void {
    this.#now = loaded;
    this.catalog.show(shownOf(loaded), () => contents);
  }

  /**
   * Takes in what a commit has changed, and shows it in one step. Nothing else may be absorbed or remembered meanwhile.
   * @param held what is held then, where the commit has worked it out
   */
  async absorb(contents: RowContents, head: Head, held?: Held): Promise<void> {
    const before = this.#now;
    const after = held ?? (await before.held.with(contents.sources, this.#pace()));
    const pins = await before.pins.changed(contents.pins, this.#pace());
    const swap = await this.catalog.prepare(this.#edits(contents, after, pins));
    before.states.apply(contents.states);
    const { registry: meta, ...single } = contents.single;
    this.#now = { ...before, ...single, meta: meta ?? before.meta, head, held: after, pins };
    // Another node may have found out that commits are lost of which this one had not heard yet.
    if (swap || meta || head.epoch !== before.head.epoch) this.catalog.show(shownOf(this.#now), swap);
    for (const row of documentsIn(contents)) {
      const document = after.document(row);
      if (document) document.components = this.catalog.sayings(row).said.length;
    }
  }

  /** @param held @param pins as they are once the contents are taken in */
  *#edits(contents: RowContents, held: Held, pins: LayeredMap<StoredPin>): Generator<StatementEdit> {
    const { naming } = this.catalog;
    const entryOf = entryMaker(naming, held, pins, (row) => this.catalog.sayings(row).said[0]?.origin);
    const { purged = 0 } = contents.single.registry ?? {};
    for (const removal of this.catalog.remembered.values()) {
      if (removal.position > purged) break;
      yield { ...editOf(removal), removal: undefined };
    }
    for (const { origin, metadata, position, stamp, seal } of this.#restated(contents, pins)) {
      const { source, document } = origin;
      const listed = listingText(metadata, naming.vocabulary);
      yield editOf(entryOf({ source, document, listed, position, stamp, seal }));
    }
    for (const row of contents.statements) yield editOf(entryOf(row));
    for (const removal of contents.removals) yield editOf(removal);
  }

  /** What documents say whose authority is another one now, and what is said of modules of which something else has been seen. */
  *#restated(contents: RowContents, pins: LayeredMap<StoredPin>): Generator<Entry> {
    for (const row of documentsIn(contents)) {
      const { said } = this.catalog.sayings(row);
      if (said[0] && !sameAuthority(said[0].origin.authority, row.record.authority)) yield* said;
    }
    for (const [key, pin] of contents.pins) {
      const subject = pin ?? this.#now.pins.get(key);
      for (const entry of subject ? this.catalog.entriesOf(subject.uri) : [])
        if (pinRowKey(entry) === key && !samePin(entry.pin, pinOf(pins.get(key), entry))) yield entry;
    }
  }
}

function* documentsIn({ sources }: RowContents): Generator<DocumentRow> {
  for (const { documents } of sources.values()) for (const row of documents.values()) if (row) yield row;
}

/** Where the registry stands, as readers are told it. */
function shownOf({ meta, head, held, network, states }: LoadedData): Shown {
  const { epoch } = head;
  const { position, purged, networkRevision } = meta;
  const sources = held.summaries();
  const digest = feedDigest(sources, networkRevision.number);
  return {
    revision: { epoch, ...meta.revision },
    networkRevision: { epoch, ...networkRevision },
    feed: { position, floor: Math.max(purged, states.floor), digest, sources },
    ...{ network, states },
  };
}
