import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type DocumentChange, isRegrouped, type Sayings } from './document-change.js';
import type { DocumentRecord } from './document-record.js';
import type { Amount } from './reading.js';
import type { StoredDocument } from './source-record.js';

/**
 * How much is kept of a source: what is stored stays before what comes, and a limit never withdraws (design, section 6).
 */

export const NOTHING: Amount = { components: 0, bytes: 0 };

/** Bytes of text that go with each component of a limit, on average: more than twice what authors write. */
const BYTES_PER_COMPONENT = 512;
/** However few components are kept, a single one of the largest size has room. */
const LEAST_BYTES = 1_000_000;
/** What the bookkeeping of one document takes in memory, in bytes. */
const DOCUMENT_BYTES = 200;

/** The amount that goes with a limit of so many components. */
export function allowance(components: number): Amount {
  return { components, bytes: Math.max(components * BYTES_PER_COMPONENT, LEAST_BYTES) };
}

function inEachRespect(of: (one: number, other: number) => number) {
  return (one: Amount, other: Amount): Amount => ({
    components: of(one.components, other.components),
    bytes: of(one.bytes, other.bytes),
  });
}

export const sum = inEachRespect((one, other) => one + other);
export const difference = inEachRespect((one, other) => one - other);
export const larger = inEachRespect(Math.max);
export const smaller = inEachRespect(Math.min);

/** Is one amount no more than another? */
export function isWithin(one: Amount, other: Amount): boolean {
  return one.components <= other.components && one.bytes <= other.bytes;
}

/** What is kept of a document. */
export function amountOf(url: string, stored: StoredDocument | undefined): Amount {
  return stored ? sum(textsOf(stored), overheadOf(url, stored)) : NOTHING;
}

const amounts = new WeakMap<ReadonlyMap<string, StoredDocument>, Amount>();

/** What is kept of all documents of a source. It is added up once, because they are never changed. */
export function amountOfAll(documents: ReadonlyMap<string, StoredDocument>): Amount {
  const known = amounts.get(documents);
  if (known) return known;
  let all = NOTHING;
  for (const [url, document] of documents) all = sum(all, amountOf(url, document));
  amounts.set(documents, all);
  return all;
}

/** How many components a document describes, those included that are not kept. */
export function describedBy(stored: StoredDocument | undefined): number {
  return stored ? stored.components + (stored.omitted ?? 0) : 0;
}

/** Is there so much room that some of what was left out of a document could be stored? Only then is it read again whole. */
export function fitsMore(
  { omitted = 0, firstOmitted = BYTES_PER_COMPONENT }: DocumentRecord,
  room: Amount,
): boolean {
  return omitted > 0 && room.components > 0 && room.bytes >= firstOmitted;
}

export interface LimitParts {
  /** What is stored of the source. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** How much of the source may be stored in all. */
  readonly limit: Amount;
  readonly sayings: (document: string) => Sayings;
  readonly breathe: Breather;
}

/** What there is room for. */
export interface Limited {
  readonly changes: readonly DocumentChange[];
  /** The documents of the source once these are stored. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** Documents that are not stored, because there is not even room for their names. */
  readonly unread: number;
}

/** The changes without what there is no room for. What goes makes room for what comes. @param changes each document once */
export async function withinLimit(
  changes: readonly DocumentChange[],
  { documents: before, limit, sayings, breathe }: LimitParts,
): Promise<Limited> {
  const documents = new Map(before);
  const limited: DocumentChange[] = [];
  let [amount, unread] = [amountOfAll(before), 0];
  for (const { url, record } of changes) {
    if (record !== null) continue;
    amount = difference(amount, amountOf(url, documents.get(url)));
    documents.delete(url);
    limited.push({ url, record });
  }
  for (const change of changes) {
    const { url, record } = change;
    if (record === null) continue;
    const stored = documents.get(url);
    const now = amountOf(url, stored);
    const others = difference(amount, now);
    // However little room there is, a document stays within what it has.
    const room = difference(larger(difference(limit, others), now), overheadOf(url, record));
    if (!stored && room.bytes < 0) {
      unread += 1;
      continue;
    }
    const settled = await settle({ ...change, record }, stored, { room, sayings: sayings(url), breathe });
    limited.push(settled.change);
    const { after } = settled;
    if (after) documents.set(url, after);
    else documents.delete(url);
    amount = sum(others, amountOf(url, after));
  }
  return { changes: limited, documents, unread };
}

interface SettleParts extends Pick<LimitParts, 'breathe'> {
  /** For the texts of the document. */
  readonly room: Amount;
  readonly sayings: Sayings;
}

/** A change with what there is room for. A document that is amended until it says nothing goes. */
async function settle(
  change: DocumentChange & { readonly record: DocumentRecord },
  before: StoredDocument | undefined,
  { room, sayings, breathe }: SettleParts,
): Promise<{ readonly change: DocumentChange; readonly after: StoredDocument | undefined }> {
  const { url, components, amend, record } = change;
  const put = components ?? amend?.put ?? [];
  const named = new Set([...put.map(({ uri }) => uri), ...(amend?.remove ?? [])]);
  const sizes = () => sizesNow(sayings.said.length > 0 ? named : [], sayings, breathe);
  const said = components ? undefined : await sizes();
  // What an amendment does not name stays.
  const others = said ? difference(textsOf(before), totalOf(said)) : NOTHING;
  const whole = sum(others, { components: put.length, bytes: await bytesOf(put, breathe) });
  const { omitted, firstOmitted } = (components ? record : before) ?? {};
  if (amend && whole.components === 0 && !omitted) return { change: { url, record: null }, after: undefined };
  const isWhole = isWithin(whole, room);
  const cut = isWhole
    ? { put, amount: whole }
    : await cutTo(room, put, { said: said ?? (await sizes()), others, breathe });
  const now = {
    ...record,
    size: cut.amount.bytes,
    omitted: (omitted ?? 0) + put.length - cut.put.length || undefined,
    firstOmitted: cut.firstOmitted ?? firstOmitted,
  };
  const after = { ...now, components: cut.amount.components };
  if (isWhole) return { change: { ...change, record: now }, after };
  if (components && isRegrouped(record, before ?? {}))
    return { change: { url, components: cut.put, record: now }, after };
  const remove = components
    ? sayings.said.flatMap(({ uri }) => (named.has(uri) ? [] : [uri]))
    : amend?.remove;
  return { change: { url, amend: { put: cut.put, remove }, record: now }, after };
}

/** In bytes by uri. */
type Sizes = ReadonlyMap<string, number>;

interface Cut {
  readonly put: readonly Metadata[];
  /** Of all that the document says then. */
  readonly amount: Amount;
  /** Bytes that the first of what is left out would have taken. */
  readonly firstOmitted?: number | undefined;
}

/** @param said what the document says now of what is put. @param others what it says of all else */
async function cutTo(
  room: Amount,
  put: readonly Metadata[],
  { said, others, breathe }: { said: Sizes; others: Amount; breathe: Breather },
): Promise<Cut> {
  const sorted = await sortedBy(put, ({ uri }) => uri, breathe);
  const known = sorted.filter(({ uri }) => said.has(uri));
  let amount = others;
  for (const { uri } of known) amount = sum(amount, { components: 1, bytes: said.get(uri) ?? 0 });
  const fitting: Metadata[] = [];
  let firstOmitted: number | undefined;
  for (const one of [...known, ...sorted.filter(({ uri }) => !said.has(uri))]) {
    await breathe();
    const size = said.get(one.uri);
    const more = { components: size === undefined ? 1 : 0, bytes: sizeOf(one) - (size ?? 0) };
    // Of what is new, nothing behind the first that has no room is taken: which ones are kept can be told.
    const mayCome = size !== undefined || firstOmitted === undefined;
    if (mayCome && isWithin(sum(amount, more), room)) {
      fitting.push(one);
      amount = sum(amount, more);
    } else firstOmitted ??= more.bytes;
  }
  return { put: fitting, amount, firstOmitted };
}

function textsOf(stored: StoredDocument | undefined): Amount {
  return { components: stored?.components ?? 0, bytes: stored?.size ?? 0 };
}

/** What a document says now of these components. */
async function sizesNow(uris: Iterable<string>, sayings: Sayings, breathe: Breather): Promise<Sizes> {
  const sizes = new Map<string, number>();
  for (const uri of uris) {
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

/** What a document's bookkeeping takes. */
function overheadOf(url: string, { invalid }: DocumentRecord): Amount {
  const bytes = DOCUMENT_BYTES + url.length + (invalid ? JSON.stringify(invalid).length : 0);
  return { components: 0, bytes };
}
