import { type Source, sourceKey } from '../../component/source.js';
import type { StoredDocument, StoredSource } from '../../core/source-record.js';
import type { Trust } from '../../lib/fetch/hop.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Amount } from '../sync-source.js';
import {
  allowance,
  amountAfter,
  amountOf,
  cutToRoom,
  difference,
  NOTHING,
  type Replaced,
  sum,
} from './cut-to-room.js';

export interface QuotaLimits {
  /** Components kept of one source. */
  readonly maxComponents: number;
  /** Components kept of all learned sources together. */
  readonly maxLearnedComponents: number;
}

/** With less than this part of its bytes left, or with fewer bytes than these, a source is full: nothing new of it is read. */
const FULL = 1 / 16;
const LEAST_ROOM = 4_096;

/** What is stored of a source's documents, by URL. */
export interface Stored {
  readonly documents: ReadonlyMap<string, StoredDocument>;
  readonly replaced: Replaced;
}

export interface Admission {
  readonly documents: readonly DocumentChange[];
  /** Documents that do not fit at all. */
  readonly refused: number;
  /** Components of the others that do not fit. */
  readonly omitted: number;
  /** To be called when nothing of it is stored. */
  readonly undo: () => void;
}

/**
 * Bounds what the node keeps of each source, and of all learned sources together. What is beyond is left out and
 * counted in the record of its document (`omitted`); everything else of the source is kept.
 */
export class StorageQuota {
  readonly #limits: QuotaLimits;
  readonly #sources = new Map<string, { trust: Trust; amount: Amount }>();
  /** What is stored of all learned sources together. */
  #learned = NOTHING;
  readonly #mutex = new KeyedMutex();

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /** Notes what is stored of a source: at first, and whenever that may have changed behind the quota's back. */
  set(source: Source, trust: Trust, stored: StoredSource | undefined): void {
    let amount = NOTHING;
    for (const [url, document] of stored?.documents ?? []) amount = sum(amount, amountOf(url, document));
    this.#sources.set(sourceKey(source), { trust, amount: this.#amount(source) });
    this.#add(source, difference(amount, this.#amount(source)));
  }

  delete(source: Source): void {
    this.#add(source, difference(NOTHING, this.#amount(source)));
    this.#sources.delete(sourceKey(source));
  }

  /** How much of the source may be stored in all. */
  limit(source: Source): Amount {
    const own = allowance(this.#limits.maxComponents);
    const stored = this.#sources.get(sourceKey(source));
    if (stored?.trust !== 'learned') return own;
    const others = difference(this.#learned, stored.amount);
    const left = difference(allowance(this.#limits.maxLearnedComponents), others);
    return {
      components: Math.max(0, Math.min(own.components, left.components)),
      bytes: Math.max(0, Math.min(own.bytes, left.bytes)),
    };
  }

  /** How much more of the source may be stored. */
  room(source: Source): Amount {
    return difference(this.limit(source), this.#amount(source));
  }

  isFull(source: Source): boolean {
    const { components, bytes } = this.room(source);
    return components < 1 || bytes < Math.max(this.limit(source).bytes * FULL, LEAST_ROOM);
  }

  /** The changes without what there is no room for. Gives way to other work; one admission after another. */
  admit(
    source: Source,
    changes: readonly DocumentChange[],
    stored: Stored,
    breathe: Breather,
  ): Promise<Admission> {
    return this.#mutex.run('', () => this.#admit(source, changes, stored, breathe));
  }

  async #admit(
    source: Source,
    changes: readonly DocumentChange[],
    { documents: before, replaced }: Stored,
    breathe: Breather,
  ): Promise<Admission> {
    let added = NOTHING;
    const documents: DocumentChange[] = [];
    let omitted = 0;
    // What goes makes room for what comes.
    const gone = changes.filter(({ record }) => record === null);
    for (const change of [...gone, ...changes.filter(({ record }) => record !== null)]) {
      const from = { stored: before.get(change.url), replaced: replaced.get(change.url) };
      const now = amountOf(change.url, from.stored);
      const room = difference(this.limit(source), difference(this.#amount(source), now));
      const admitted = await cutToRoom(change, from, room, breathe);
      if (!admitted) continue;
      omitted += described(change) - described(admitted);
      const more = difference(amountAfter(admitted, from.stored, from.replaced), now);
      this.#add(source, more);
      added = sum(added, more);
      documents.push(admitted);
    }
    const undo = () => this.#add(source, difference(NOTHING, added));
    return { documents, refused: changes.length - documents.length, omitted, undo };
  }

  #amount(source: Source): Amount {
    return this.#sources.get(sourceKey(source))?.amount ?? NOTHING;
  }

  #add(source: Source, more: Amount): void {
    const stored = this.#sources.get(sourceKey(source));
    if (!stored) return;
    stored.amount = sum(stored.amount, more);
    if (stored.trust === 'learned') this.#learned = sum(this.#learned, more);
  }
}

/** How many components a change has descriptions of. */
function described({ components, amend }: DocumentChange): number {
  return (components ?? amend?.put ?? []).length;
}
