import type { Metadata } from '../../component/metadata.js';
import { type Source, sourceKey } from '../../component/precedence.js';
import { compareText } from '../../lib/compare-text.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { DocumentRecord, StoredSource } from '../../registry/source-record.js';
import { sizeOf } from '../component-size.js';
import type { Amount } from '../sync-source.js';

export interface QuotaLimits {
  /** Components kept of one source. */
  readonly maxComponents: number;
  /** Components kept of all learned sources together. */
  readonly maxLearnedComponents: number;
}

/**
 * Bytes of text that go with each component of a limit, on average: more than twice what authors write. Without it,
 * a hundred thousand components of the largest size allowed would take twenty gigabytes.
 */
const BYTES_PER_COMPONENT = 512;
/** However few components are kept, a single one of the largest size has room. */
const LEAST_BYTES = 1_000_000;
/** What the bookkeeping of one document takes in memory, in bytes. */
const DOCUMENT_BYTES = 200;
/** With less than this part of its bytes left a source is full: the room is not worth reading it again. */
const FULL = 1 / 16;

const NOTHING: Amount = { components: 0, bytes: 0 };

type Known = DocumentRecord & { readonly components: number };

/**
 * Bounds what the node keeps of each source, and of all learned sources together. What is beyond is left out and
 * counted in the record of its document (`omitted`); everything else of the source is kept.
 */
export class StorageQuota {
  readonly #limits: QuotaLimits;
  /** What is stored of each source. */
  readonly #sources = new Map<string, { trust: Trust; amount: Amount }>();
  /** What is held of all learned sources together. */
  #learned = NOTHING;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /** Notes what is held of a source: at first, and whenever that may have changed behind the quota's back. */
  set(source: Source, trust: Trust, stored: StoredSource | undefined): void {
    let amount = NOTHING;
    for (const [url, known] of stored?.documents ?? []) amount = sum(amount, amountOf(url, known));
    this.#sources.set(sourceKey(source), { trust, amount: this.#amount(source) });
    this.#add(source, difference(amount, this.#amount(source)));
  }

  delete(source: Source): void {
    this.#add(source, difference(NOTHING, this.#amount(source)));
    this.#sources.delete(sourceKey(source));
  }

  /** How much of the source may be held in all. */
  limit(source: Source): Amount {
    const own = allowance(this.#limits.maxComponents);
    const held = this.#sources.get(sourceKey(source));
    if (held?.trust !== 'learned') return own;
    const others = difference(this.#learned, held.amount);
    const left = difference(allowance(this.#limits.maxLearnedComponents), others);
    return {
      components: Math.max(0, Math.min(own.components, left.components)),
      bytes: Math.max(0, Math.min(own.bytes, left.bytes)),
    };
  }

  isFull(source: Source): boolean {
    const limit = this.limit(source);
    const room = difference(limit, this.#amount(source));
    return room.components < 1 || room.bytes < limit.bytes * FULL;
  }

  /** The changes without what there is no room for, and how many documents do not fit at all. */
  admit(
    source: Source,
    known: ReadonlyMap<string, Known>,
    changes: readonly DocumentChange[],
  ): { documents: DocumentChange[]; refused: number } {
    const documents: DocumentChange[] = [];
    // What goes makes room for what comes.
    const gone = changes.filter(({ record }) => record === null);
    for (const change of [...gone, ...changes.filter(({ record }) => record !== null)]) {
      const before = known.get(change.url);
      const held = amountOf(change.url, before);
      const room = difference(this.limit(source), difference(this.#amount(source), held));
      const admitted = cut(change, before, room);
      if (!admitted) continue;
      this.#add(source, difference(amountAfter(admitted, before), held));
      documents.push(admitted);
    }
    return { documents, refused: changes.length - documents.length };
  }

  #amount(source: Source): Amount {
    return this.#sources.get(sourceKey(source))?.amount ?? NOTHING;
  }

  #add(source: Source, more: Amount): void {
    const held = this.#sources.get(sourceKey(source));
    if (!held) return;
    held.amount = sum(held.amount, more);
    if (held.trust === 'learned') this.#learned = sum(this.#learned, more);
  }
}

/** The change with as many of its components as there is room for, in the order of their uris; nothing when there is none. */
function cut(change: DocumentChange, known: Known | undefined, room: Amount): DocumentChange | undefined {
  const { url, components, record } = change;
  if (record === null) return change;
  const overhead = documentAmount(url, record, 0, 0).bytes;
  if (!known && overhead > room.bytes) return undefined;
  if (!components) return known ? { url, record: { ...record, ...quotaFieldsOf(known) } } : change;
  const fitting: Metadata[] = [];
  let size = 0;
  for (const component of inOrder(components, room)) {
    const bytes = sizeOf(component);
    if (fitting.length >= room.components || overhead + size + bytes > room.bytes) break;
    size += bytes;
    fitting.push(component);
  }
  const omitted = (record.omitted ?? 0) + components.length - fitting.length;
  return { url, components: fitting, record: { ...record, size, ...(omitted === 0 ? {} : { omitted }) } };
}

/** Sorted only when not all have room: which ones are kept must not depend on the order in a document. */
function inOrder(components: readonly Metadata[], room: Amount): readonly Metadata[] {
  const bytes = components.reduce((all, component) => all + sizeOf(component), 0);
  if (components.length <= room.components && bytes <= room.bytes) return components;
  return [...components].sort((one, other) => compareText(one.uri, other.uri));
}

function quotaFieldsOf({ size, omitted }: DocumentRecord): Pick<DocumentRecord, 'size' | 'omitted'> {
  return { ...(size === undefined ? {} : { size }), ...(omitted === undefined ? {} : { omitted }) };
}

function amountAfter({ url, components, record }: DocumentChange, known: Known | undefined): Amount {
  if (record === null) return NOTHING;
  return amountOf(url, { ...record, components: components?.length ?? known?.components ?? 0 });
}

function amountOf(url: string, known: Known | undefined): Amount {
  if (!known) return NOTHING;
  // Documents that an older version has stored bear no size.
  return documentAmount(url, known, known.components, known.size ?? known.components * BYTES_PER_COMPONENT);
}

function documentAmount(url: string, { invalid }: DocumentRecord, components: number, size: number): Amount {
  const named = invalid ? JSON.stringify(invalid).length : 0;
  return { components, bytes: DOCUMENT_BYTES + url.length + named + size };
}

function allowance(components: number): Amount {
  return { components, bytes: Math.max(components * BYTES_PER_COMPONENT, LEAST_BYTES) };
}

function sum(one: Amount, other: Amount): Amount {
  return { components: one.components + other.components, bytes: one.bytes + other.bytes };
}

function difference(one: Amount, other: Amount): Amount {
  return { components: one.components - other.components, bytes: one.bytes - other.bytes };
}
