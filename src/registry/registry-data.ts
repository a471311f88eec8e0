import type { CatalogChange, CatalogContents } from '../catalog/catalog-change.js';
import { ComponentCatalog, type Shown } from '../catalog/component-catalog.js';
import { documentKey, type Entry, type Origin, type Said } from '../catalog/entry.js';
import type { RememberedStates } from '../catalog/remembered-states.js';
import { type Pin, type PinSubject, samePin } from '../component/pin.js';
import { type ListingText, listingText, metadataOf } from '../component/writing/listing-text.js';
import type { NetworkLists } from '../core/network-lists.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { feedDigest } from '../core/source-digests.js';
import type { Head } from '../keep/keep.js';
import type { Pace } from '../lib/pace.js';
import type { Contents } from './contents.js';
import type { Held } from './held.js';
import { pinRowKey, statementRowKey, uriOfRowKey } from './row-keys.js';
import type { Meta, Serving } from './rows.js';

/** What a registry holds in memory beside its catalog. */
export interface LoadedData {
  readonly head: Head;
  readonly meta: Meta;
  readonly serving: Serving;
  readonly network: NetworkLists;
  readonly held: Held;
  /** What has been seen of modules, by the keys of the rows. Changed in place. */
  readonly pins: Map<string, StoredPin>;
  /** Changed in place. */
  readonly states: RememberedStates;
}

type SeenOf = (subject: PinSubject) => StoredPin | undefined;

/**
 * Everything that a registry holds in memory: a function of the rows in its keep. What a commit changes is absorbed in the same
 * way, whoever made the commit: so all nodes that share the data show the same.
 */
export class RegistryData {
  readonly catalog: ComponentCatalog;
  readonly #pace: Pace;
  #now: LoadedData;

  constructor(contents: CatalogContents, loaded: LoadedData, pace: Pace) {
    this.catalog = new ComponentCatalog(contents, pace, shownOf(loaded));
    this.#pace = pace;
    this.#now = loaded;
  }

  get now(): LoadedData {
    return this.#now;
  }

  /** Holds and shows other data from now on. */
  replace(contents: CatalogContents, loaded: LoadedData): void {
    this.#now = loaded;
    this.catalog.show(shownOf(loaded), () => contents);
  }

  /**
   * Takes in what a commit has changed, and shows it in one step. Nothing else may be absorbed or remembered meanwhile.
   * @param prepared what is held then, where the commit has worked it out from what is held now
   */
  async absorb(contents: Contents, head: Head, prepared?: Held): Promise<void> {
    const before = this.#now;
    const held = prepared ?? (await before.held.with(contents, this.#pace()));
    const change = await this.#catalogChange(contents, held);
    const isChanged = change.said.length + change.removed.length + change.forgotten.length > 0;
    const changed = isChanged ? await this.catalog.prepare(change) : undefined;
    const { pins, states } = before;
    for (const [key, pin] of contents.pins) {
      if (pin) pins.set(key, pin);
      else pins.delete(key);
    }
    states.apply(contents.states);
    const { meta = before.meta, serving = before.serving, network = before.network } = contents;
    this.#now = { head, meta, serving, network, held, pins, states };
    // Another node may have found out that commits are lost of which this one had not heard yet.
    if (changed || contents.meta || head.epoch !== before.head.epoch)
      this.catalog.show(shownOf(this.#now), changed);
    for (const row of contents.documents.values())
      if (row) held.count(row, this.catalog.document(documentKey(row)).said.length);
  }

  /** @param held as it is once the contents are taken in. Gives way to other work. */
  async #catalogChange(contents: Contents, held: Held): Promise<CatalogChange> {
    const breathe = this.#pace();
    const { vocabulary } = this.catalog.naming;
    const seenOf = this.#seenAfter(contents);
    const said = new Map<string, Said>();
    const say = (origin: Origin, listed: ListingText, one: Omit<Said, 'origin' | 'listed' | 'pin'>) => {
      const { position, stamp, seal } = one;
      const pin = pinShown(seenOf(listed), origin, listed);
      said.set(nameOf(origin.key, listed.uri), { origin, listed, position, stamp, seal, pin });
    };
    for (const entry of this.#restated(contents, held, seenOf)) {
      say(held.originOf(entry.origin), listingText(entry.metadata, vocabulary), entry);
      await breathe();
    }
    for (const { position, at, isUpdate, since, seal, listed, ...place } of contents.statements) {
      const stamp = since === undefined ? { at, isUpdate } : { at, isUpdate, since };
      say(held.originOf(place), listed, { position, stamp, seal });
      await breathe();
    }
    const removed = new Set<string>();
    for (const removal of contents.removals) {
      const name = nameOf(documentKey(removal), removal.uri);
      removed.add(name);
      said.delete(name);
      await breathe();
    }
    const forgotten = [...this.#purged(contents), ...this.#missed(contents)].filter((one) => {
      const name = nameOf(documentKey(one), one.uri);
      return !said.has(name) && !removed.has(name);
    });
    return { said: [...said.values()], removed: contents.removals, forgotten };
  }

  /** What was seen of modules, once a commit is taken in. */
  #seenAfter({ pins }: Contents): SeenOf {
    const { pins: held } = this.#now;
    if (held.size + pins.size === 0) return () => undefined;
    return (subject) => {
      const key = pinRowKey(subject);
      return pins.has(key) ? pins.get(key) : held.get(key);
    };
  }

  /** What documents say whose authority is another one now, and what is said of modules of which something else has been seen. */
  *#restated({ documents, pins }: Contents, held: Held, seenOf: SeenOf): Generator<Entry> {
    for (const row of documents.values()) {
      const before = row && this.#now.held.originOf(row);
      if (before && held.originOf(row) !== before) yield* this.catalog.document(before.key).said;
    }
    for (const [key, pin] of pins) {
      const subject = pin ?? this.#now.pins.get(key);
      for (const entry of subject ? this.catalog.entriesOf(subject.uri) : [])
        if (pinRowKey(entry) === key && !samePin(entry.pin, pinOf(seenOf(entry), entry))) yield entry;
    }
  }

  /** Removals that are forgotten. */
  #purged({ meta }: Contents): CatalogChange['forgotten'] {
    const { purged } = this.#now.meta;
    return meta && meta.purged > purged ? this.catalog.removalsUntil(meta.purged) : [];
  }

  /** Statements that went, and were forgotten, before this node heard of it. */
  #missed({ gone }: Contents): CatalogChange['forgotten'] {
    return gone.flatMap((key) => {
      const isMeant = ({ uri, origin }: Entry) => statementRowKey(uri, origin.key) === key;
      const entry = this.catalog.entriesOf(uriOfRowKey(key)).find(isMeant);
      if (!entry) return [];
      const { position, stamp, origin, uri } = entry;
      return [{ position, at: stamp.at, source: origin.source, document: origin.document, uri }];
    });
  }
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

/** Tells the statements of a catalog apart; neither part has a line feed. */
function nameOf(document: string, uri: string): string {
  return `${document}\n${uri}`;
}

/** What readers are told of the module's bytes. Only where something was seen of them, the metadata are parsed. */
export function pinShown(
  seen: StoredPin | undefined,
  { standing }: Origin,
  listed: ListingText,
): Pin | undefined {
  return seen && pinOf(seen, { ...standing, metadata: metadataOf(listed) });
}
