import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { documentKey } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Keep, Row } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import type { Step } from './difference.js';
import { graphName } from './graph-name.js';
import type { HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';
import { sourceRowKey } from './row-keys.js';
import { forgottenRow, hashRow, removalRows, sourceRow, statementRow } from './rows.js';

/** What every commit is made with. */
export interface RegistryParts {
  readonly keep: Keep;
  readonly data: RegistryData;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** Quads that are made when they are gone through: those of ten thousand statements would fill the memory for as long as a commit takes. */
class QuadsInTurn implements Iterable<Quad> {
  readonly #makers: (() => Iterable<Quad>)[] = [];

  get isEmpty(): boolean {
    return this.#makers.length === 0;
  }

  add(make: () => Iterable<Quad>): void {
    this.#makers.push(make);
  }

  *[Symbol.iterator](): Generator<Quad> {
    for (const make of this.#makers) yield* make();
  }
}

/** A commit that is being worked out from what is stored; the writer adds where the registry stands afterwards. */
export class Draft {
  readonly rows: Row[] = [];
  readonly quads = { remove: new QuadsInTurn(), put: new QuadsInTurn() };
  /** Positions that it gives; undefined while readers are shown nothing new. */
  positions: number | undefined;
  /** Are the network lists what readers are shown anew? */
  isOfNetwork = false;
  /** When it happens, ms since the Unix epoch: never earlier than what happened before. */
  readonly at: number;
  readonly #parts: Pick<RegistryParts, 'keep' | 'data'>;
  /** What is added to the sum of the seals of a source, by the key of its row. */
  readonly #seals = new Map<string, number>();
  /** Of the quads that are removed, which may still be those of former vocabularies. */
  readonly #vocabularies: readonly ReturnType<typeof createVocabulary>[];

  constructor({ keep, data, clock }: RegistryParts) {
    this.#parts = { keep, data };
    this.at = Math.max(clock.now(), data.now.meta.at);
    const former = data.now.serving.former.map((namespace) => createVocabulary(namespace));
    this.#vocabularies = [data.catalog.naming.vocabulary, ...former];
  }

  get isEmpty(): boolean {
    return this.rows.length === 0 && this.quads.remove.isEmpty && this.quads.put.isEmpty;
  }

  /** Gives a step the next position, and writes what it makes of its statement. */
  place({ source, document, uri, kind, before, after }: Step): void {
    const { keep, data } = this.#parts;
    this.positions = (this.positions ?? 0) + 1;
    const place = { source, document, position: data.now.meta.position + this.positions, at: this.at };
    if (before) this.#addSeal(source, -before.seal);
    if (after) {
      const since = kind === 'told' ? before?.since : undefined;
      const listed = listingText(after, data.catalog.naming.vocabulary);
      const row = statementRow({ ...place, listed, isUpdate: kind !== 'added', since });
      this.#addSeal(source, row.seal | 0);
      this.rows.push(row);
      const isBack = kind === 'added' && data.catalog.isRemoved(documentKey(place), uri);
      if (isBack) this.rows.push(forgottenRow({ ...place, uri }));
    } else this.rows.push(...removalRows({ ...place, uri }));
    if (!keep.holdsQuads || kind === 'moved' || kind === 'told') return;
    const graph = DataFactory.namedNode(graphName(source, document));
    const [vocabulary] = this.#vocabularies;
    if (before)
      for (const one of this.#vocabularies)
        this.quads.remove.add(() => storedQuads(before.metadata, one, graph));
    if (after && vocabulary) this.quads.put.add(() => storedQuads(after, vocabulary, graph));
  }

  /**
   * Writes what becomes of a source whose steps have their places.
   * @param held as it is before
   * @param record undefined when nothing is left of the source, and nothing to be remembered
   */
  source(held: HeldSource, record: SourceRecord | undefined, { changed, all }: HashChange): void {
    const { source, rank, position: before } = held;
    if (changed.size > 0) this.positions ??= 1;
    const position = this.positions ? this.#parts.data.now.meta.position + this.positions : before;
    const seals = held.seals + (this.#seals.get(sourceRowKey(source)) ?? 0);
    this.rows.push(sourceRow(source, record && { source, record, rank, position, seals }));
    for (const of of changed.keys()) this.rows.push(hashRow(source, of, all.get(of)));
  }

  #addSeal(source: Source, seal: number): void {
    const key = sourceRowKey(source);
    this.#seals.set(key, (this.#seals.get(key) ?? 0) + seal);
  }
}
