import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type DocumentChange, isRegrouped, type Sayings } from './document-change.js';
import type { DocumentRecord } from './document-record.js';
import type { Amount } from './reading.js';
import type { StoredDocument } from './source-record.js';

/**
 * How much is kept of a source: what is stored stays before what comes, and a limit never withdraws (design,
 * section 6).
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

/**
 * Is there so much room that some of what was left out of a document could be stored? Only then is it read
 * again whole.
 */
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
  /** What a document says now. */
  readonly sayings: (document: string) => Sayings;
  readonly breathe: Breather;
}

/**
 * The changes without what there is no room for, and the documents once they are stored; `unread`: those
 * whose names have no room. What goes makes room for what comes. @param changes each document once
 */
export async function withinLimit(
  changes: readonly DocumentChange[],
  { documents: before, limit, sayings, breathe }: LimitParts,
) {
  const documents = new Map(before);
  const limited: DocumentChange[] = [];
  let [amount, unread] = [amountOfAll(before), 0];
  const goes = ({ record }: DocumentChange) => record === null;
  for (const change of [...changes.filter(goes), ...changes.filter((one) => !goes(one))]) {
    const { url, record } = change;
    const stored = documents.get(url);
    const now = amountOf(url, stored);
    const others = difference(amount, now);
    // However little room there is, a document stays within what it has.
    const room = difference(larger(difference(limit, others), now), overheadOf(url, record));
    if (record && !stored && room.bytes < 0) {
      unread += 1;
      continue;
    }
    const settled = await settle(change, stored, { room, sayings: sayings(url), breathe });
    limited.push(settled.change);
    if (settled.after) documents.set(url, settled.after);
    else documents.delete(url);
    amount = sum(others, amountOf(url, settled.after));
  }
  return { changes: limited, documents, unread };
}

interface SettleParts extends Pick<LimitParts, 'breathe'> {
  /** For the texts of the document. */
  readonly room: Amount;
  readonly sayings: Sayings;
}

/** A change with what there is room for, and the document then. One that is amended until it says nothing goes. */
async function settle(
  change: DocumentChange,
  before: StoredDocument | undefined,
  { room, sayings, breathe }: SettleParts,
): Promise<{ readonly change: DocumentChange; readonly after?: StoredDocument }> {
  const { url, components, amend, record } = change;
  if (record === null) return { change };
  const put = components ?? amend?.put ?? [];
  const named = new Set([...put.map(({ uri }) => uri), ...(amend?.remove ?? [])]);
  // What an amendment does not name stays.
  const replaced = components ? NOTHING : await textsIn(sayingsOf(named, sayings), breathe);
  const others = components ? NOTHING : difference(textsOf(before), replaced);
  const whole = sum(others, await textsIn(put, breathe));
  const { omitted, firstOmitted } = (components ? record : before) ?? {};
  if (amend && whole.components === 0 && !omitted) return { change: { url, record: null } };
  const isWhole = isWithin(whole, room);
  const cut = isWhole
    ? { put, amount: whole, firstOmitted: undefined }
    : await cutTo(put, others, { room, sayings, breathe });
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
  const unsaid = components && sayings.said.flatMap(({ uri }) => (named.has(uri) ? [] : [uri]));
  return { change: { url, amend: { put: cut.put, remove: unsaid ?? amend?.remove }, record: now }, after };
}

/**
 * What is said already comes first, and stays as it was where it has no room.
 * @param others what is not named, and stays
 */
async function cutTo(put: readonly Metadata[], others: Amount, { room, sayings, breathe }: SettleParts) {
  const sorted = await sortedBy(put, ({ uri }) => uri, breathe);
  const [known, fresh]: [Metadata[], Metadata[]] = [[], []];
  for (const one of sorted) (sayings.find(one.uri) ? known : fresh).push(one);
  const uris = known.map(({ uri }) => uri);
  let amount = sum(others, await textsIn(sayingsOf(uris, sayings), breathe));
  const fitting: Metadata[] = [];
  let firstOmitted: number | undefined;
  for (const one of [...known, ...fresh]) {
    await breathe();
    const before = sayings.find(one.uri);
    const more = difference(roomFor(one), before ? roomFor(before.metadata) : NOTHING);
    // Of what is new, nothing behind the first that has no room is taken: which ones are kept can be told.
    const mayCome = before !== undefined || firstOmitted === undefined;
    if (mayCome && isWithin(sum(amount, more), room)) {
      fitting.push(one);
      amount = sum(amount, more);
    } else firstOmitted ??= more.bytes;
  }
  return { put: fitting, amount, firstOmitted };
}

/** What one component takes. */
export function roomFor(component: Metadata): Amount {
  return { components: 1, bytes: sizeOf(component) };
}

function* sayingsOf(uris: Iterable<string>, { said, find }: Sayings): Generator<Metadata | undefined> {
  if (said.length > 0) for (const uri of uris) yield find(uri)?.metadata;
}

async function textsIn(all: Iterable<Metadata | undefined>, breathe: Breather): Promise<Amount> {
  let amount = NOTHING;
  for (const one of all) {
    if (one) amount = sum(amount, roomFor(one));
    await breathe();
  }
  return amount;
}

function textsOf(stored: StoredDocument | undefined): Amount {
  return { components: stored?.components ?? 0, bytes: stored?.size ?? 0 };
}

/** What a document's bookkeeping takes. */
function overheadOf(url: string, record: DocumentRecord | null): Amount {
  const { invalid } = record ?? {};
  return {
    components: 0,
    bytes: DOCUMENT_BYTES + url.length + (invalid ? JSON.stringify(invalid).length : 0),
  };
}
