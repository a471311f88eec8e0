import { samePin } from '../../../component/pin.js';
import { sameSource, sourceOfKey } from '../../../component/source.js';
import { sourceText } from '../../../component/writing/provenance-text.js';
import { compareStandings } from '../../../core/precedence.js';
import type { Breather } from '../../../lib/pace.js';
import type { Revision } from '../../../registry/revision.js';
import type { Draft } from '../catalog/catalog-change.js';
import type { CatalogIndex } from '../catalog/catalog-index.js';
import type { FeedRow } from '../changes/change-log.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore } from '../database/quad-store.js';
import { positionKey, readPositionKey, type TombstoneRow } from '../database/tables.js';
import { addTo, type DiskDocument, type Sources } from '../disk-source.js';
import type { BlockSpace } from '../listing/block-space.js';
import type { Entry } from '../listing/entry.js';
import { type Origin, sourceTextOf } from '../listing/origin.js';
import type { PinTable } from '../pin-table.js';
import { readSnapshot, type SnapshotCatalog } from '../snapshot/read-snapshot.js';
import { TornSnapshot } from '../snapshot/snapshot-file.js';
import type { SnapshotDocument, SnapshotState } from '../snapshot/snapshot-head.js';
import { mostToRead } from '../snapshot/snapshot-worth.js';
import type { StatementReader } from './statement-reader.js';

export interface SnapshotParts {
  readonly store: QuadStore;
  readonly sources: Sources;
  readonly pins: PinTable;
  readonly reader: StatementReader;
  /** How many statements there are. */
  readonly statements: number;
  readonly writtenAs: string;
  readonly space: BlockSpace;
  readonly breathe: Breather;
}

/**
 * The catalog from its snapshot, brought up to date: with what has changed since, and with the pins and the order of sources
 * that there are now. Then the documents hold their entries.
 * @returns undefined where there is no snapshot of this data, or where too much has changed
 * @throws TornSnapshot and whatever reading the file does; then nothing has been changed
 */
export async function loadSnapshot(
  directory: string,
  parts: SnapshotParts,
): Promise<{ readonly index: CatalogIndex; readonly position: number } | undefined> {
  const { store, sources, writtenAs, space, breathe } = parts;
  const documents = new Map<Origin, DiskDocument | undefined>();
  const originOf = (document: SnapshotDocument) => {
    const held = documentNamed(sources, document.graph);
    const origin = presentOrigin(document, held);
    documents.set(origin, held);
    return origin;
  };
  const isWanted = async (head: SnapshotState & { readonly writtenAs: string }) =>
    head.writtenAs === writtenAs &&
    (await isOfThisData(store, head)) &&
    (await haveFewCome(store, head, mostToRead(parts.statements)));
  const snapshot = await readSnapshot(directory, { isWanted, originOf, space, breathe });
  if (!snapshot) return undefined;
  const update = new Update(snapshot, parts, documents);
  return (await update.run()) ? { index: snapshot.index, position: snapshot.state.position } : undefined;
}

/** Have at most so many statements come since? Their keys are counted before anything else is read. */
async function haveFewCome(store: QuadStore, { position }: SnapshotState, most: number): Promise<boolean> {
  let count = 0;
  for await (const page of store.texts('change', positionKey(position))) {
    count += page.length;
    if (count > most) return false;
  }
  return true;
}

/** Has the data been in that state, and is it known what has changed since? */
export async function isOfThisData(store: QuadStore, state: SnapshotState): Promise<boolean> {
  const revision = await store.row<Revision>('meta', 'revision');
  const feed = await store.row<FeedRow>('meta', 'feed');
  const digest = await store.row<string>('state', positionKey(state.position));
  return (
    revision?.epoch === state.epoch &&
    digest === state.digest &&
    feed !== undefined &&
    feed.floor <= state.position
  );
}

function documentNamed(sources: Sources, graph: string): DiskDocument | undefined {
  const name = readGraphName(graph);
  return name && sources.get(name.source)?.documents.get(name.document);
}

/** That of the document, where readers are told the same of it as the snapshot has them told; else the one of then. */
export function presentOrigin({ graph, standing, authority }: SnapshotDocument, held?: DiskDocument): Origin {
  if (held && sourceTextOf(held.origin).text === sourceText(standing)) return held.origin;
  const name = readGraphName(graph);
  if (!name) throw new TornSnapshot(`it has a graph of the name ${graph}`);
  return { ...name, standing, authority, rankWithin: 0 };
}

/** What has to go and to come, so that the catalog of a snapshot is the present one. */
class Update {
  readonly #snapshot: SnapshotCatalog;
  readonly #parts: SnapshotParts;
  readonly #documents: ReadonlyMap<Origin, DiskDocument | undefined>;
  readonly #gone = new Set<Entry>();
  readonly #come: { readonly draft: Draft; readonly document: DiskDocument }[] = [];

  constructor(
    snapshot: SnapshotCatalog,
    parts: SnapshotParts,
    documents: ReadonlyMap<Origin, DiskDocument | undefined>,
  ) {
    this.#snapshot = snapshot;
    this.#parts = parts;
    this.#documents = documents;
  }

  /** @returns whether it has been brought up to date */
  async run(): Promise<boolean> {
    const { index, entries } = this.#snapshot;
    const { breathe, statements } = this.#parts;
    await this.#takeChanges();
    await this.#takeRemovals();
    await this.#attribute();
    await this.#order();
    const changed = this.#gone.size + this.#come.length;
    if (changed > mostToRead(statements)) return false;
    const total = entries.length - this.#gone.size + this.#come.length;
    if (total !== statements)
      throw new TornSnapshot(`it leads to ${total} descriptions and not ${statements}`);
    const drafts = this.#come.map(({ draft }) => draft);
    index.apply(await index.prepare(this.#gone, drafts, breathe));
    for (const entry of entries) {
      const document = this.#gone.has(entry) ? undefined : this.#documents.get(entry.origin);
      if (document) addTo(document, entry);
    }
    for (const { draft, document } of this.#come) addTo(document, draft.entry);
    return true;
  }

  /** What has been said since. */
  async #takeChanges(): Promise<void> {
    const { store, reader, breathe } = this.#parts;
    for await (const page of store.texts('change', positionKey(this.#snapshot.state.position))) {
      const rows = await Promise.all(
        page.map(async ([, key]) => [key, await store.text('statement', key)] as const),
      );
      const there = rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
      const positions = page.map(([position]) => readPositionKey(position)).values();
      for await (const statements of reader.read(there)) {
        for (const statement of statements) {
          const { document, metadata, place } = statement;
          if (place.position !== positions.next().value)
            throw new TornSnapshot('what has been said since is not there');
          this.#remove(metadata.uri, document.origin);
          this.#come.push({ draft: { entry: reader.entry(statement), metadata }, document });
          await breathe();
        }
      }
      if (!positions.next().done) throw new TornSnapshot('what has been said since is not there');
    }
    await reader.close();
  }

  async #takeRemovals(): Promise<void> {
    const { store, breathe } = this.#parts;
    const after = positionKey(this.#snapshot.state.position);
    for await (const page of store.texts('tombstone', after)) {
      for (const [, text] of page) {
        const { source, document, uri } = JSON.parse(text) as TombstoneRow;
        this.#remove(uri, { source: sourceOfKey(source), document });
        await breathe();
      }
    }
  }

  #remove(uri: string, { source, document }: Pick<Origin, 'source' | 'document'>): void {
    for (const entry of this.#snapshot.index.statements(uri)) {
      const { origin } = entry;
      if (origin.document === document && sameSource(origin.source, source)) this.#gone.add(entry);
    }
  }

  /** Entries that readers are told something else of now: by whom they are said, or which pin they have. */
  async #attribute(): Promise<void> {
    const { pins, breathe } = this.#parts;
    const hasPins = this.#snapshot.hasPins || pins.counts.all > 0;
    const isOther = [...this.#documents].some(([origin, document]) => document?.origin !== origin);
    if (!hasPins && !isOther) return;
    for (const entry of this.#snapshot.entries) {
      const document = this.#documents.get(entry.origin);
      const pin = hasPins ? pins.of({ uri: entry.uri, version: entry.version }, entry) : undefined;
      if (!document) this.#gone.add(entry);
      else if (document.origin !== entry.origin || !samePin(entry.pin, pin))
        this.#replace(entry, document, pin);
      await breathe();
    }
  }

  /** Of components that several describe, another description may come first now. */
  async #order(): Promise<void> {
    const { index } = this.#snapshot;
    const uris = new Set(index.shadowed.entries.map(({ uri }) => uri));
    for (const uri of uris) {
      const entries = index.statements(uri).filter((entry) => !this.#gone.has(entry));
      const isOrdered = entries.every(({ origin }, i) => {
        const before = entries[i - 1];
        return !before || compareStandings(before.origin.standing, origin.standing) <= 0;
      });
      for (const entry of isOrdered ? [] : entries) {
        const document = this.#documents.get(entry.origin);
        if (document) this.#replace(entry, document, entry.pin);
      }
      await this.#parts.breathe();
    }
  }

  #replace(entry: Entry, document: DiskDocument, pin: Entry['pin']): void {
    if (this.#gone.has(entry)) return;
    this.#gone.add(entry);
    const another = entry.with({ pin, origin: document.origin });
    this.#come.push({ draft: { entry: another, metadata: entry.metadata }, document });
  }
}
