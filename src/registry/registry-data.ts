import type { CatalogChange } from '../catalog/catalog-change.js';
import type { ComponentCatalog, Shown } from '../catalog/component-catalog.js';
import { documentKey, type Entry, type Origin, type Said } from '../catalog/entry.js';
import { type Pin, type PinSubject, samePin } from '../component/pin.js';
import { type ListingText, listingText, metadataOf } from '../component/writing/listing-text.js';
import type { NetworkLists } from '../core/network-lists.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { feedDigest } from '../core/source-digests.js';
import type { Head } from '../keep/keep.js';
import type { Pace } from '../lib/pace.js';
import type { CommitContents, DocumentRow, Meta, Serving } from './commit-contents.js';
import type { Held } from './held.js';
import { documentRowKey, pinRowKey, statementRowKey, uriOfRowKey } from './row-keys.js';
import type { StateBlocks } from './state-blocks.js';

/** What a start has read, beside the contents of the catalog. */
export interface LoadedData {
  readonly head: Head;
  readonly meta: Meta;
  readonly serving: Serving;
  readonly network: NetworkLists;
  readonly held: Held;
  readonly blocks: StateBlocks;
}

/**
 * Everything that a registry holds in memory: a function of the rows in its keep. What a commit changes is absorbed in the same
 * way, whoever made the commit: so all nodes that share the data show the same.
 */
export class RegistryData {
  readonly catalog: ComponentCatalog;
  readonly #pace: Pace;
  now: LoadedData;

  /** What was loaded is shown at once: the catalog has its contents. */
  constructor(catalog: ComponentCatalog, loaded: LoadedData, pace: Pace) {
    this.catalog = catalog;
    this.#pace = pace;
    this.now = loaded;
    this.#show();
  }

  /** Holds other data from now on, which the catalog has loaded. */
  replace(loaded: LoadedData): void {
    this.now = loaded;
    this.#show();
  }

  /** Takes in what a commit has changed, and shows it in one step. Nothing else may be absorbed meanwhile. */
  async absorb(contents: CommitContents, head: Head): Promise<void> {
    const change = await this.#catalogChange(contents);
    const isChanged = change.said.length + change.removed.length + change.forgotten.length > 0;
    const changed = isChanged ? await this.catalog.prepare(change) : undefined;
    const { held, blocks, meta, network, serving } = this.now;
    const isOtherEpoch = head.epoch !== this.now.head.epoch;
    held.apply(contents);
    // Several commits of others may be taken in at once: readers may come from a state between them.
    this.catalog.remember(blocks.apply(contents.states, meta.position));
    this.now = {
      ...{ held, blocks, head },
      meta: contents.meta ?? meta,
      network: contents.network ?? network,
      serving: contents.serving ?? serving,
    };
    // Another node may have found out that commits are lost of which this one had not heard yet.
    if (changed || contents.meta || isOtherEpoch) this.#show(changed);
  }

  /** Shows readers where the registry stands now. */
  #show(changed?: Parameters<ComponentCatalog['show']>[1]): void {
    const { meta, head, held, network } = this.now;
    const { epoch } = head;
    const { position, floor, networkRevision } = meta;
    const sources = held.summaries();
    const digest = feedDigest(sources, networkRevision.number);
    const shown: Shown = {
      revision: { epoch, ...meta.revision },
      networkRevision: { epoch, ...networkRevision },
      feed: { position, floor, digest, sources },
      network,
    };
    this.catalog.show(shown, changed);
  }

  /** Gives way to other work. */
  async #catalogChange(contents: CommitContents): Promise<CatalogChange> {
    const breathe = this.#pace();
    const { naming } = this.catalog;
    const originAfter = this.#originsAfter(contents);
    const seenAfter = this.#pinsAfter(contents);
    const said = new Map<string, Said>();
    for (const entry of this.#restated(contents, originAfter, seenAfter)) {
      const { uri, metadata, position, stamp, seal } = entry;
      const listed = listingText(metadata, naming.vocabulary);
      const origin = originAfter(entry.origin);
      const pin = pinShown(seenAfter(listed), origin, listed);
      said.set(nameOf(origin.key, uri), { origin, listed, position, stamp, seal, pin });
      await breathe();
    }
    for (const statement of contents.statements) {
      const { listed, position, at, isUpdate, since, seal } = statement;
      const origin = originAfter(statement);
      const pin = pinShown(seenAfter(listed), origin, listed);
      const stamp = since === undefined ? { at, isUpdate } : { at, isUpdate, since };
      said.set(nameOf(origin.key, listed.uri), { origin, listed, position, stamp, seal, pin });
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

  /** The origins of documents, once a commit is taken in. */
  #originsAfter({ documents }: CommitContents): OriginAfter {
    const known = new Map<string, Origin>();
    return ({ source, document }) => {
      const key = documentKey({ source, document });
      const row = documents.get(documentRowKey(key));
      const record = row?.record ?? this.now.held.source(source)?.documents.get(document)?.record ?? {};
      const origin = known.get(key) ?? this.now.held.originOf(source, document, record);
      known.set(key, origin);
      return origin;
    };
  }

  /** What was seen of modules, once a commit is taken in. */
  #pinsAfter({ pins }: CommitContents): SeenAfter {
    if (pins.size === 0) return (subject) => this.now.held.pins.get(subject);
    return (subject) => {
      const key = pinRowKey(subject);
      return pins.has(key) ? pins.get(key) : this.now.held.pins.at(key);
    };
  }

  /** What documents say whose authority is another one now, and what is said of modules of which something else has been seen. */
  *#restated(
    { documents, pins }: CommitContents,
    originAfter: OriginAfter,
    seenAfter: SeenAfter,
  ): Generator<Entry> {
    for (const row of documents.values()) {
      const before = row && this.now.held.source(row.source)?.documents.get(row.document)?.origin;
      if (before && originAfter(row) !== before) yield* this.catalog.document(before.key).said;
    }
    for (const [key, pin] of pins) {
      const subject = pin ?? this.now.held.pins.at(key);
      for (const entry of subject ? this.catalog.entriesOf(subject.uri) : [])
        if (pinRowKey(entry) === key && !samePin(entry.pin, pinOf(seenAfter(entry), entry))) yield entry;
    }
  }

  /** Removals that are forgotten. */
  #purged({ meta }: CommitContents): CatalogChange['forgotten'] {
    if (!meta || meta.purged <= this.now.meta.purged) return [];
    return this.catalog.removalsUntil(meta.purged);
  }

  /** Statements that went, and were forgotten, before this node heard of it. */
  #missed({ gone }: CommitContents): CatalogChange['forgotten'] {
    return gone.flatMap((key) => {
      const isMeant = ({ uri, origin }: Entry) => statementRowKey(uri, origin.key) === key;
      const entry = this.catalog.entriesOf(uriOfRowKey(key)).find(isMeant);
      if (!entry) return [];
      const { source, document } = entry.origin;
      return [{ position: entry.position, at: entry.stamp.at, source, document, uri: entry.uri }];
    });
  }
}

type OriginAfter = (of: Pick<DocumentRow, 'source' | 'document'>) => Origin;
type SeenAfter = (subject: PinSubject) => StoredPin | undefined;

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
