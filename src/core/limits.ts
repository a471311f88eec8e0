import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import type { Breather } from '../lib/pace.js';
import { remembered } from '../lib/remembered.js';
import { sortedBy } from '../lib/sort.js';
import { type Amount, difference, isWithin, larger, NOTHING, sum } from './amount.js';
import { type DocumentChange, namedIn, type Sayings } from './document-change.js';
import type { DocumentRecord, StoredDocument } from './document-record.js';

/**
 * How much is kept of a source: what is stored stays before what comes, and a limit never withdraws (design,
 * section 6).
 */

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

/** What is kept of a document. */
function amountOf(url: string, stored: StoredDocument | undefined): Amount {
  return stored ? sum(textsOf(stored), overheadOf(url, stored)) : NOTHING;
}

/** What is kept of all documents of a source. It is added up once, because they are never changed. */
export const amountOfAll = remembered((documents: ReadonlyMap<string, StoredDocument>): Amount => {
  let all = NOTHING;
  for (const [url, document] of documents) all = sum(all, amountOf(url, document));
  return all;
}, new WeakMap());

/**
 * Is there so much room that some of what was left out of a document could be stored? Only then is it read
 * again whole.
 */
export function fitsMore({ omitted = 0, firstOmitted }: DocumentRecord, room: Amount): boolean {
  const bytes = firstOmitted ?? BYTES_PER_COMPONENT;
  const isCut = omitted > 0 || firstOmitted !== undefined;
  return isCut && isWithin({ components: Math.min(omitted, 1), bytes }, room);
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

/** A change cut to the room, and the document then. One that is amended until it says nothing goes. */
async function settle(
  change: DocumentChange,
  before: StoredDocument | undefined,
  parts: SettleParts,
): Promise<{ readonly change: DocumentChange; readonly after?: StoredDocument }> {
  const { url, components, amend, record } = change;
  if (record === null) return { change };
  // What an amendment does not name stays.
  const others = components ? NOTHING : difference(textsOf(before), await textsBefore(change, parts));
  const known = (components ? record : before) ?? {};
  const cut = await cutTo(components ?? amend?.put ?? [], others, parts);
  const omitted = (known.omitted ?? 0) + cut.omitted;
  if (amend && cut.amount.components === 0 && omitted === 0) return { change: { url, record: null } };
  const said = components ? { components: cut.put } : amend && { amend: { ...amend, put: cut.put } };
  const firstOmitted = cut.firstOmitted ?? known.firstOmitted;
  const now = { ...record, size: cut.amount.bytes, omitted: omitted || undefined, firstOmitted };
  return { change: { url, ...said, record: now }, after: { ...now, components: cut.amount.components } };
}

/** @param others what is not named, and stays */
async function cutTo(put: readonly Metadata[], others: Amount, { room, sayings, breathe }: SettleParts) {
  const whole = sum(others, await textsIn(put, breathe));
  if (isWithin(whole, room)) return { put, amount: whole, omitted: 0 };
  const [known, fresh]: [Metadata[], Metadata[]] = [[], []];
  let amount = others;
  for (const one of await sortedBy(put, ({ uri }) => uri, breathe)) {
    await breathe();
    const before = sayings.find(one.uri);
    (before ? known : fresh).push(one);
    if (before) amount = sum(amount, roomFor(before.metadata));
  }
  const fitting: Metadata[] = [];
  let omitted = 0;
  let firstOmitted: number | undefined;
  for (const one of [...known, ...fresh]) {
    await breathe();
    const before = sayings.find(one.uri)?.metadata;
    const more = difference(roomFor(one), before ? roomFor(before) : NOTHING);
    // Of what is new, nothing behind the first that has no room is taken: which ones are kept can be told.
    const mayCome = before !== undefined || firstOmitted === undefined;
    // What needs no more room than what it replaces makes nothing worse.
    const fits = isWithin(more, NOTHING) || isWithin(sum(amount, more), room);
    if (mayCome && fits) {
      fitting.push(one);
      amount = sum(amount, more);
      continue;
    }
    // What is said already stays as it was.
    if (before) fitting.push(before);
    else omitted += 1;
    firstOmitted ??= more.bytes;
  }
  return { put: fitting, amount, omitted, firstOmitted };
}

/** What one component takes. */
export function roomFor(component: Metadata): Amount {
  return { components: 1, bytes: sizeOf(component) };
}

/** What those texts take that a change replaces or takes back. */
function textsBefore(change: DocumentChange, { sayings, breathe }: SettleParts): Promise<Amount> {
  function* replaced() {
    for (const { before } of namedIn(change, sayings)) if (before) yield before.metadata;
  }
  return textsIn(replaced(), breathe);
}

async function textsIn(all: Iterable<Metadata>, breathe: Breather): Promise<Amount> {
  let amount = NOTHING;
  for (const one of all) {
    amount = sum(amount, roomFor(one));
    await breathe();
  }
  return amount;
}

function textsOf(stored: StoredDocument | undefined): Amount {
  return { components: stored?.components ?? 0, bytes: stored?.size ?? 0 };
}

/** What a document's bookkeeping takes. */
export function overheadOf(url: string, record: DocumentRecord | null): Amount {
  const { invalid } = record ?? {};
  return {
    components: 0,
    bytes: DOCUMENT_BYTES + url.length + (invalid ? JSON.stringify(invalid).length : 0),
  };
}
