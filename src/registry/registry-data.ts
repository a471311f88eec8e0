import type { CatalogChange } from '../catalog/catalog-change.js';
import type { ComponentCatalog, Shown } from '../catalog/component-catalog.js';
import { documentKey, type Entry, type Origin, type Said } from '../catalog/entry.js';
import { type Pin, type PinSubject, pinKey, samePin } from '../component/pin.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { type ListingText, listingText, metadataOf } from '../component/writing/listing-text.js';
import type { NetworkLists } from '../core/network-lists.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { feedDigest, type SourceSummary } from '../core/source-digests.js';
import type { Head } from '../keep/keep.js';
import type { Breather, Pace } from '../lib/pace.js';
import type { CommitContents, DocumentRow, Meta, SealedStatement, Serving } from './commit-contents.js';
import type { Held } from './held.js';
import { documentRowKey, pinRowKey, sourceRowKey, statementRowKey, uriOfRowKey } from './row-keys.js';
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
  #now: LoadedData;

  constructor(catalog: ComponentCatalog, loaded: LoadedData, pace: Pace) {
    this.catalog = catalog;
    this.#pace = pace;
    this.#now = loaded;
  }

  get head(): Head {
    return this.#now.head;
  }

  get meta(): Meta {
    return this.#now.meta;
  }

  get serving(): Serving {
    return this.#now.serving;
  }

  get network(): NetworkLists {
    return this.#now.network;
  }

  get held(): Held {
    return this.#now.held;
  }

  get blocks(): StateBlocks {
    return this.#now.blocks;
  }

  /** Holds other data from now on, which the catalog has loaded. */
  replace(loaded: LoadedData): void {
    this.#now = loaded;
    this.show();
  }

  /** Takes in what a commit has changed, and shows it in one step. Nothing else may be absorbed meanwhile. */
  async absorb(effects: CommitContents, head: Head): Promise<void> {
    const change = await this.#catalogChange(effects, this.#pace());
    const isChanged = change.said.length + change.removed.length + change.forgotten.length > 0;
    const changed = isChanged ? await this.catalog.prepare(change) : undefined;
    const { held, blocks, meta, network, serving } = this.#now;
    const isOtherEpoch = head.epoch !== this.head.epoch;
    held.apply(effects);
    // Several commits of others may be taken in at once: readers may come from a state between them.
    this.catalog.remember(blocks.apply(effects.states, meta.position));
    this.#now = {
      ...{ held, blocks, head },
      meta: effects.meta ?? meta,
      network: effects.network ?? network,
      serving: effects.serving ?? serving,
    };
    // Another node may have found out that commits are lost of which this one had not heard yet.
    if (changed || effects.meta || isOtherEpoch) this.show(changed);
  }

  /** Shows readers where the registry stands now. */
  show(changed?: Parameters<ComponentCatalog['show']>[1]): void {
    const { meta, head, held, network } = this.#now;
    const sources = held.summaries();
    const shown: Shown = {
      revision: { epoch: head.epoch, ...meta.revision },
      networkRevision: { epoch: head.epoch, ...meta.networkRevision },
      feed: {
        position: meta.position,
        floor: meta.floor,
        digest: feedDigest(sources, meta.networkRevision.number),
        sources,
      },
      network,
    };
    this.catalog.show(shown, changed);
  }

  /** Shows a later date of the present revision. */
  date(since: number): Meta {
    const { meta } = this.#now;
    const dated = { ...meta, revision: { ...meta.revision, since } };
    this.#now = { ...this.#now, meta: dated };
    this.show();
    return dated;
  }

  /** The summaries as they are once some have changed. */
  summariesWith(changed: ReadonlyMap<string, SourceSummary | undefined>): SourceSummary[] {
    const others = this.held.summaries().filter(({ source }) => !changed.has(sourceRowKey(source)));
    return [...others, ...[...changed.values()].flatMap((summary) => summary ?? [])];
  }

  /** Gives way to other work. */
  async #catalogChange(effects: CommitContents, breathe: Breather): Promise<CatalogChange> {
    const origins = new OriginsAfter(this.held, effects);
    const said: Said[] = [];
    for (const statement of effects.statements) {
      said.push(saidBy(statement, origins));
      await breathe();
    }
    const staying = [...this.#ofOtherOrigin(effects, origins), ...this.#ofOtherPin(effects, origins)];
    const gone = await this.#gone(effects, breathe);
    if (staying.length + gone.length === 0)
      return { said, removed: effects.removals, forgotten: this.#purged(effects) };
    const named = new Set(said.map(({ origin, listed }) => `${origin.key} ${listed.uri}`));
    for (const removal of effects.removals) named.add(`${documentKey(removal)} ${removal.uri}`);
    for (const entry of staying) {
      const name = `${entry.origin.key} ${entry.uri}`;
      if (named.has(name)) continue;
      named.add(name);
      said.push(again(entry, origins, this.catalog.naming.vocabulary));
      await breathe();
    }
    const forgotten = [...this.#purged(effects), ...gone];
    const isNamed = (one: (typeof forgotten)[number]) => named.has(`${documentKey(one)} ${one.uri}`);
    return { said, removed: effects.removals, forgotten: forgotten.filter((one) => !isNamed(one)) };
  }

  /** What documents say whose authority is another one now. */
  #ofOtherOrigin({ documents }: CommitContents, origins: OriginsAfter): Entry[] {
    const entries: Entry[] = [];
    for (const row of documents.values()) {
      if (!row) continue;
      const before = this.held.source(row.source)?.documents.get(row.document)?.origin;
      if (!before || origins.of(row) === before) continue;
      entries.push(...this.catalog.document(before.key).said);
    }
    return entries;
  }

  /** What is said of modules of which something else has been seen. */
  #ofOtherPin({ pins }: CommitContents, origins: OriginsAfter): Entry[] {
    const entries: Entry[] = [];
    for (const [key, pin] of pins) {
      const subject = pin ?? this.held.pins.at(key);
      if (!subject) continue;
      for (const entry of this.catalog.entriesOf(subject.uri)) {
        if (pinKey(entry) !== pinKey(subject)) continue;
        if (!samePin(entry.pin, pinOf(origins.pinOf(entry), entry))) entries.push(entry);
      }
    }
    return entries;
  }

  /** Removals that are forgotten, as far as they are not named otherwise. */
  #purged({ meta }: CommitContents): CatalogChange['forgotten'] {
    if (!meta || meta.purged <= this.meta.purged) return [];
    return this.catalog.removalsUntil(meta.purged);
  }

  /** Statements that went, and were forgotten, before this node heard of it. */
  async #gone({ gone }: CommitContents, breathe: Breather): Promise<CatalogChange['forgotten']> {
    const forgotten: CatalogChange['forgotten'][number][] = [];
    for (const key of gone) {
      await breathe();
      const isMeant = ({ uri, origin }: Entry) => statementRowKey(uri, origin.key) === key;
      const entry = this.catalog.entriesOf(uriOfRowKey(key)).find(isMeant);
      if (!entry) continue;
      const { source, document } = entry.origin;
      forgotten.push({ position: entry.position, at: entry.stamp.at, source, document, uri: entry.uri });
    }
    return forgotten;
  }
}

/** What a statement says, once effects are applied. */
function saidBy(statement: SealedStatement, after: OriginsAfter): Said {
  const { listed, position, at, isUpdate, since, seal } = statement;
  const origin = after.of(statement);
  const pin = pinShown(after.pinOf(listed), origin, listed);
  const stamp = since === undefined ? { at, isUpdate } : { at, isUpdate, since };
  return { origin, listed, position, stamp, seal, pin };
}

/** Says the same again, of another origin or with another pin. */
function again(
  { origin, metadata, position, stamp, seal }: Entry,
  after: OriginsAfter,
  vocabulary: Vocabulary,
): Said {
  const now = after.of(origin);
  const listed = listingText(metadata, vocabulary);
  return { origin: now, listed, position, stamp, seal, pin: pinShown(after.pinOf(listed), now, listed) };
}

/** What readers are told of the module's bytes. Only where something was seen of them, the metadata are parsed. */
export function pinShown(
  seen: StoredPin | undefined,
  { standing }: Origin,
  listed: ListingText,
): Pin | undefined {
  return seen && pinOf(seen, { ...standing, metadata: metadataOf(listed) });
}

/** Origins of documents, and what was seen of modules, once effects are applied. */
class OriginsAfter {
  readonly #held: Held;
  readonly #effects: CommitContents;
  readonly #known = new Map<string, Origin>();

  constructor(held: Held, effects: CommitContents) {
    this.#held = held;
    this.#effects = effects;
  }

  of({ source, document }: Pick<DocumentRow | SealedStatement | Origin, 'source' | 'document'>): Origin {
    const key = documentKey({ source, document });
    const known = this.#known.get(key);
    if (known) return known;
    const row = this.#effects.documents.get(documentRowKey(key));
    const record = row?.record ?? this.#held.source(source)?.documents.get(document)?.record ?? {};
    const origin = this.#held.originOf(source, document, record);
    this.#known.set(key, origin);
    return origin;
  }

  pinOf(subject: PinSubject): StoredPin | undefined {
    const { pins } = this.#effects;
    if (pins.size === 0) return this.#held.pins.get(subject);
    const key = pinRowKey(subject);
    return pins.has(key) ? pins.get(key) : this.#held.pins.at(key);
  }
}
