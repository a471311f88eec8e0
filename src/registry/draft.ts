import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { SourceHashes } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Keep, Row, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import type { Step } from './difference.js';
import type { HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';
import { graphName, sourceRowKey } from './row-keys.js';
import { hashRow, removalRows, rowOf, type SourceRow, statementRow } from './rows.js';

/** What every commit is made with. */
export interface RegistryParts {
  readonly keep: Keep;
  /** Are quads stored beside the rows? */
  readonly isQuadstore: boolean;
  readonly data: RegistryData;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** Quads are made when they are gone through: those of ten thousand statements would fill the memory for as long as a commit takes. */
type QuadMakers = (() => Iterable<Quad>)[];

function inTurn(makers: QuadMakers): Iterable<Quad> {
  return {
    *[Symbol.iterator]() {
      for (const make of makers) yield* make();
    },
  };
}

/** A commit that is being worked out from what is stored; the writer adds where the registry stands afterwards. */
export class Draft {
  readonly rows: Row[] = [];
  readonly quads: { readonly remove: QuadMakers; readonly put: QuadMakers } = { remove: [], put: [] };
  /** Positions that it gives; undefined while readers are shown nothing new. */
  positions: number | undefined;
  /** The revision that a commit moves when it shows readers something new. */
  moves: 'revision' | 'networkRevision' = 'revision';
  /** When it happens, ms since the Unix epoch: never earlier than what happened before. */
  at: number;
  readonly #parts: RegistryParts;
  /** What is added to the sum of the seals of a source, by the key of its row. */
  readonly #seals = new Map<string, number>();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.at = Math.max(parts.clock.now(), parts.data.now.meta.at);
  }

  get isEmpty(): boolean {
    return this.rows.length + this.quads.remove.length + this.quads.put.length === 0;
  }

  get writes(): Writes {
    return { rows: this.rows, quads: { remove: inTurn(this.quads.remove), put: inTurn(this.quads.put) } };
  }

  /** Gives a step the next position, and writes what it makes of its statement. */
  place({ source, document, uri, kind, before, after }: Step): void {
    const { isQuadstore, data } = this.#parts;
    const { vocabulary } = data.catalog.naming;
    this.positions = (this.positions ?? 0) + 1;
    const { at } = this;
    const isSaidAsBefore = kind === 'moved' || kind === 'pinned';
    const place = { source, document, position: data.now.meta.position + this.positions };
    let seals = (this.#seals.get(sourceRowKey(source)) ?? 0) - (before?.seal ?? 0);
    if (after) {
      const stamp = { at, isUpdate: kind !== 'added', since: isSaidAsBefore ? before?.since : undefined };
      const row = statementRow({ ...place, listed: listingText(after, vocabulary), stamp });
      seals += row.seal | 0;
      this.rows.push(row);
      const isBack = kind === 'added' && data.catalog.isRemoved({ source, document, uri });
      if (isBack) this.rows.push(rowOf('removal', row.key, undefined));
    } else this.rows.push(...removalRows({ ...place, at, uri }));
    this.#seals.set(sourceRowKey(source), seals);
    if (!isQuadstore || isSaidAsBefore) return;
    const graph = DataFactory.namedNode(graphName(source, document));
    if (before) this.quads.remove.push(() => storedQuads(before.metadata, graph));
    if (after) this.quads.put.push(() => storedQuads(after, graph));
  }

  /**
   * Writes what becomes of a source, as it is held before, whose steps have their places.
   * @param record undefined when nothing is left of the source, and nothing to be remembered
   * @param hashes absent where nothing else is said; `changed`: which of them differ from before
   */
  source(
    { source, rank, position: before, seals: sealed }: HeldSource,
    record: SourceRecord | undefined,
    hashes?: { readonly changed: Pick<ReadonlySet<string>, 'size' | 'keys'>; readonly all: SourceHashes },
  ): void {
    if (hashes && hashes.changed.size > 0) this.positions ??= 1;
    const position = this.positions ? this.#parts.data.now.meta.position + this.positions : before;
    const seals = sealed + (this.#seals.get(sourceRowKey(source)) ?? 0);
    const row: SourceRow | undefined = record && { source, record, rank, position, seals };
    this.rows.push(rowOf('source', sourceRowKey(source), row));
    for (const owner of hashes?.changed.keys() ?? [])
      this.rows.push(hashRow(source, owner, hashes?.all.get(owner)));
  }
}
