import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type DocumentChange, isRegrouped } from './document-change.js';
import type { DocumentRecord } from './document-record.js';
import type { Amount } from './reading.js';
import type { StoredDocument } from './source-record.js';

/**
 * How much is kept of a source, in descriptions and bytes of their texts (design, section 6): what is stored stays before what
 * comes, a limit never withdraws, and the document that crosses it is cut in the order of uris.
 */

export const NOTHING: Amount = { components: 0, bytes: 0 };

/**
 * Bytes of text that go with each component of a limit, on average: more than twice what authors write. Without it,
 * a hundred thousand components of the largest size allowed would take twenty gigabytes.
 */
const BYTES_PER_COMPONENT = 512;
/** However few components are kept, a single one of the largest size has room. */
const LEAST_BYTES = 1_000_000;
/** What the bookkeeping of one document takes in memory, in bytes. */
const DOCUMENT_BYTES = 200;

/** The amount that goes with a limit of so many components. */
export function allowance(components: number): Amount {
  return { components, bytes: Math.max(components * BYTES_PER_COMPONENT, LEAST_BYTES) };
}

export function sum(one: Amount, other: Amount): Amount {
  return { components: one.components + other.components, bytes: one.bytes + other.bytes };
}

export function difference(one: Amount, other: Amount): Amount {
  return { components: one.components - other.components, bytes: one.bytes - other.bytes };
}

/** What is kept of a document. */
export function amountOf(url: string, stored: StoredDocument | undefined): Amount {
  if (!stored) return NOTHING;
  const { components, size = components * BYTES_PER_COMPONENT } = stored;
  return { components, bytes: overheadOf(url, stored) + size };
}

/** What is kept of all documents. */
export function amountOfAll(documents: ReadonlyMap<string, StoredDocument>): Amount {
  let all = NOTHING;
  for (const [url, document] of documents) all = sum(all, amountOf(url, document));
  return all;
}

/** How many components a document describes, those included that are not kept. */
export function describedBy(stored: StoredDocument | undefined): number {
  return stored ? stored.components + (stored.omitted ?? 0) : 0;
}

/**
 * Could some of what was left out of a document be stored, when there is so much room for more of its source? It is
 * read again whole only then: near a limit it would be read at every poll, and nothing of it would ever be stored.
 */
export function fitsMore(
  { omitted = 0, firstOmitted = BYTES_PER_COMPONENT }: DocumentRecord,
  room: Amount,
): boolean {
  return omitted > 0 && room.components > 0 && room.bytes >= firstOmitted;
}

/** What a document says now of components, in bytes by uri. Those of which it says nothing are absent. */
export type Said = ReadonlyMap<string, number>;

/** A change as it is stored, and the document afterwards; `undefined` when it goes. */
export interface Settled {
  readonly change: DocumentChange;
  readonly after: StoredDocument | undefined;
}

/**
 * A change that has room. A document that is amended until it says nothing goes.
 * @param said of the components that an amendment names
 */
export async function settle(
  change: DocumentChange,
  before: StoredDocument | undefined,
  said: Said,
  breathe: Breather,
): Promise<Settled> {
  const { url, components, amend, record } = change;
  if (record === null) return { change, after: undefined };
  if (components) {
    const { omitted, firstOmitted, ...rest } = record;
    const size = await bytesOf(components, breathe);
    const kept = { ...rest, size, omitted, ...(omitted ? { firstOmitted } : {}) };
    return { change: { url, components, record: kept }, after: { ...kept, components: components.length } };
  }
  const left = difference(textsOf(before), totalOf(said));
  const put = amend?.put ?? [];
  const now = amend ? left.components + put.length : (before?.components ?? 0);
  if (amend && now === 0 && !before?.omitted) return { change: { url, record: null }, after: undefined };
  const { omitted, firstOmitted } = before ?? {};
  const size = amend ? left.bytes + (await bytesOf(put, breathe)) : before?.size;
  const kept = { ...record, size, omitted, firstOmitted };
  const settled: DocumentChange = amend ? { url, amend, record: kept } : { url, record: kept };
  return { change: settled, after: { ...kept, components: now } };
}

/**
 * A change of a document that has not room for all of it, with what there is room for; nothing when there is none. What the
 * document says already comes first, and stays as it was where what it says now has no room. Gives way to other work.
 * @param said all that it says, or, where it is amended, of the components that are named
 * @param room for all of the document
 */
export async function cut(
  change: DocumentChange,
  before: StoredDocument | undefined,
  said: Said,
  room: Amount,
  breathe: Breather,
): Promise<Settled | undefined> {
  const { url, components, amend, record } = change;
  const put = components ?? amend?.put;
  if (record === null || !put)
    return before || record === null ? settle(change, before, said, breathe) : undefined;
  const most = room.bytes - overheadOf(url, record);
  if (!before && most < 0) return undefined;
  const named = new Set(put.map(({ uri }) => uri));
  const remove = amend?.remove ?? [...said.keys()].filter((uri) => !named.has(uri));
  const kept = { ...difference(textsOf(before), totalOf(said, remove)) };
  const omitted = { known: 0, other: 0, first: undefined as number | undefined };
  const fitting: Metadata[] = [];
  const sorted = await sortedBy(put, ({ uri }) => uri, breathe);
  for (const known of [true, false]) {
    for (const one of sorted) {
      if (said.has(one.uri) !== known) continue;
      await breathe();
      const bytes = sizeOf(one) - (said.get(one.uri) ?? 0);
      // Of what is new, nothing behind the first that has no room is taken: which ones are kept can be told.
      const fits =
        kept.bytes + bytes <= most && (known || (kept.components < room.components && !omitted.other));
      if (fits) {
        fitting.push(one);
        kept.bytes += bytes;
        kept.components += known ? 0 : 1;
      } else {
        // There is no room for any of the others before there is for the first of them.
        if (known || omitted.other === 0) omitted.first = Math.min(bytes, omitted.first ?? bytes);
        omitted[known ? 'known' : 'other'] += 1;
      }
    }
  }
  const earlier = amend ? before : record;
  const cutRecord = {
    ...record,
    size: kept.bytes,
    omitted: (earlier?.omitted ?? 0) + omitted.known + omitted.other || undefined,
    firstOmitted: omitted.first ?? earlier?.firstOmitted,
  };
  const isAmended = amend || (omitted.known > 0 && before && !isRegrouped(record, before));
  return {
    change: isAmended
      ? { url, amend: { put: fitting, remove }, record: cutRecord }
      : { url, components: fitting, record: cutRecord },
    after: { ...cutRecord, components: kept.components },
  };
}

/** Is one amount no more than another? */
export function isWithin(one: Amount, other: Amount): boolean {
  return one.components <= other.components && one.bytes <= other.bytes;
}

/** The larger one, in each respect. */
export function larger(one: Amount, other: Amount): Amount {
  return {
    components: Math.max(one.components, other.components),
    bytes: Math.max(one.bytes, other.bytes),
  };
}

function textsOf(stored: StoredDocument | undefined): Amount {
  if (!stored) return NOTHING;
  return { components: stored.components, bytes: stored.size ?? stored.components * BYTES_PER_COMPONENT };
}

function totalOf(said: Said, uris: Iterable<string> = said.keys()): Amount {
  let total = NOTHING;
  for (const uri of new Set(uris)) {
    const bytes = said.get(uri);
    if (bytes !== undefined) total = sum(total, { components: 1, bytes });
  }
  return total;
}

async function bytesOf(components: readonly Metadata[], breathe: Breather): Promise<number> {
  let bytes = 0;
  for (const component of components) {
    bytes += sizeOf(component);
    await breathe();
  }
  return bytes;
}

/** Bytes of a document's bookkeeping. */
function overheadOf(url: string, { invalid }: DocumentRecord): number {
  return DOCUMENT_BYTES + url.length + (invalid ? JSON.stringify(invalid).length : 0);
}
