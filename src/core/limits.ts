import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type DocumentBefore, type DocumentChange, isRegrouped } from './document-change.js';
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
  const { components, size = 0 } = stored;
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

/** What a document says now; each description is parsed when it is asked for. */
export type Sayings = Pick<
  DocumentBefore<{ readonly uri: string; readonly metadata: Metadata }>,
  'said' | 'find'
>;

/** A change as it is stored, and the document afterwards; `undefined` when it goes. */
interface Settled {
  readonly change: DocumentChange;
  readonly after: StoredDocument | undefined;
}

interface SettleParts {
  readonly before: StoredDocument | undefined;
  /** For all of the document. */
  readonly room: Amount;
  readonly sayings: Sayings;
  readonly breathe: Breather;
}

/**
 * A change with what there is room for; nothing when there is not even room for the document's name. What the document says
 * already comes first, and stays as it was where what it says now has no room. A document that is amended until it says
 * nothing goes.
 */
export async function settle(change: DocumentChange, parts: SettleParts): Promise<Settled | undefined> {
  const { url, components, amend, record } = change;
  const { before, room, sayings, breathe } = parts;
  if (record === null) return { change, after: undefined };
  const most = { components: room.components, bytes: room.bytes - overheadOf(url, record) };
  if (!before && most.bytes < 0) return undefined;
  const { omitted, firstOmitted } = (components ? record : before) ?? {};
  const kept = (size: number | undefined, left = { omitted, firstOmitted }) => ({ ...record, size, ...left });
  if (!components && !amend) {
    const same = kept(before?.size);
    return { change: { url, record: same }, after: { ...same, components: before?.components ?? 0 } };
  }
  const put = components ?? amend?.put ?? [];
  const uris = [...put.map(({ uri }) => uri), ...(amend?.remove ?? [])];
  const named = amend ? await sizesNow(uris, sayings, breathe) : undefined;
  const others = named ? difference(textsOf(before), totalOf(named)) : NOTHING;
  const whole = sum(others, { components: put.length, bytes: await bytesOf(put, breathe) });
  if (amend && whole.components === 0 && !omitted) return { change: { url, record: null }, after: undefined };
  if (isWithin(whole, most)) {
    const all = kept(whole.bytes);
    return { change: { ...change, record: all }, after: { ...all, components: whole.components } };
  }
  const said = named ?? (await sizesNow(uris, sayings, breathe));
  const cut = await cutTo(most, put, { said, others, breathe });
  const some = kept(cut.amount.bytes, {
    omitted: (omitted ?? 0) + put.length - cut.put.length || undefined,
    firstOmitted: cut.firstOmitted ?? firstOmitted,
  });
  const after = { ...some, components: cut.amount.components };
  if (!before || isRegrouped(record, before))
    return { change: { url, components: cut.put, record: some }, after };
  const stays = new Set(uris);
  const remove = amend?.remove ?? sayings.said.flatMap(({ uri }) => (stays.has(uri) ? [] : [uri]));
  return { change: { url, amend: { put: cut.put, remove }, record: some }, after };
}

/** In bytes by uri. */
type Sizes = ReadonlyMap<string, number>;

/** @param others what the document says of components that are not named */
async function cutTo(
  most: Amount,
  put: readonly Metadata[],
  { said, others, breathe }: { said: Sizes; others: Amount; breathe: Breather },
) {
  const isKnown = ({ uri }: Metadata) => said.has(uri);
  const sorted = await sortedBy(put, ({ uri }) => uri, breathe);
  const known = sorted.filter(isKnown);
  let { components, bytes } = others;
  for (const { uri } of known) {
    components += 1;
    bytes += said.get(uri) ?? 0;
  }
  const fitting: Metadata[] = [];
  let firstOmitted: number | undefined;
  for (const one of [...known, ...sorted.filter((other) => !isKnown(other))]) {
    await breathe();
    const more = sizeOf(one) - (said.get(one.uri) ?? 0);
    // Of what is new, nothing behind the first that has no room is taken: which ones are kept can be told.
    const mayCome = isKnown(one) || (components < most.components && firstOmitted === undefined);
    if (!mayCome || bytes + more > most.bytes) {
      firstOmitted ??= more;
      continue;
    }
    fitting.push(one);
    bytes += more;
    if (!isKnown(one)) components += 1;
  }
  return { put: fitting, firstOmitted, amount: { components, bytes } };
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

/** The smaller one, in each respect. */
export function smaller(one: Amount, other: Amount): Amount {
  return {
    components: Math.min(one.components, other.components),
    bytes: Math.min(one.bytes, other.bytes),
  };
}

function textsOf(stored: StoredDocument | undefined): Amount {
  return { components: stored?.components ?? 0, bytes: stored?.size ?? 0 };
}

/** What a document says now of these components. */
async function sizesNow(uris: readonly string[], sayings: Sayings, breathe: Breather): Promise<Sizes> {
  const sizes = new Map<string, number>();
  for (const uri of sayings.said.length > 0 ? uris : []) {
    await breathe();
    const saying = sayings.find(uri);
    if (saying) sizes.set(uri, sizeOf(saying.metadata));
  }
  return sizes;
}

function totalOf(sizes: Sizes): Amount {
  let bytes = 0;
  for (const size of sizes.values()) bytes += size;
  return { components: sizes.size, bytes };
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
