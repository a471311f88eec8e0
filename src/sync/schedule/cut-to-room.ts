import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { DocumentRecord } from '../../core/document-record.js';
import type { StoredDocument } from '../../core/source-record.js';
import type { Breather } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Amount } from '../sync-source.js';

/** What is stored of a document now, as far as it decides what has room. */
interface CutFrom {
  readonly stored: StoredDocument | undefined;
  /** See `Replaced`. */
  readonly replaced: Amount | undefined;
}

/**
 * The change with as many of its components as there is room for, in the order of their uris, the others counted in the
 * record (`omitted`); nothing when there is none. `room` is for all of the document. Gives way to other work.
 */
export async function cutToRoom(
  change: DocumentChange,
  from: CutFrom,
  room: Amount,
  breathe: Breather,
): Promise<DocumentChange | undefined> {
  const { url, components, amend, record } = change;
  if (record === null) return change;
  const overhead = overheadOf(url, record);
  if (!from.stored && overhead > room.bytes) return undefined;
  const left = { components: room.components, bytes: room.bytes - overhead };
  if (amend) return amended({ url, amend, record }, from, left, breathe);
  if (!components)
    return from.stored ? { url, record: { ...record, ...quotaFieldsOf(from.stored) } } : change;
  const { fitting, size, firstOmitted } = await fittingOf(components, left, breathe);
  const omitted = (record.omitted ?? 0) + components.length - fitting.length;
  return {
    url,
    components: fitting,
    record: { ...record, size, omitted: omitted || undefined, firstOmitted },
  };
}

/** A document that says nothing any more is not kept. */
async function amended(
  {
    url,
    amend: { put = [], remove = [] },
    record,
  }: DocumentChange & { amend: object; record: DocumentRecord },
  { stored, replaced }: CutFrom,
  room: Amount,
  breathe: Breather,
): Promise<DocumentChange> {
  const kept = textsLeft(stored, replaced);
  if (kept.components + put.length === 0 && !stored?.omitted) return { url, record: null };
  const { fitting, size, firstOmitted } = await fittingOf(put, difference(room, kept), breathe);
  // What is out of date and has no room any more goes: it would be served as if it still were so.
  const fits = new Set(fitting);
  const left = put.filter((one) => !fits.has(one)).map(({ uri }) => uri);
  const omitted = (stored?.omitted ?? 0) + left.length;
  return {
    url,
    amend: { put: fitting, remove: [...remove, ...left] },
    record: {
      ...record,
      size: kept.bytes + size,
      omitted: omitted || undefined,
      firstOmitted: omitted > 0 ? smaller(firstOmitted, stored?.firstOmitted) : undefined,
    },
  };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** What fits, and the bytes of it and of the first one that does not. */
interface Fitting {
  readonly fitting: readonly Metadata[];
  readonly size: number;
  readonly firstOmitted?: number;
}

async function fittingOf(components: readonly Metadata[], room: Amount, breathe: Breather): Promise<Fitting> {
  const whole = await firstOf(components, room, breathe);
  if (whole.fitting.length === components.length) return whole;
  // Which ones are kept must not depend on the order in a document.
  return firstOf(await sortedBy(components, ({ uri }) => uri, breathe), room, breathe);
}

async function firstOf(components: readonly Metadata[], room: Amount, breathe: Breather): Promise<Fitting> {
  const fitting: Metadata[] = [];
  let size = 0;
  for (const component of components) {
    const bytes = sizeOf(component);
    if (fitting.length >= room.components || size + bytes > room.bytes)
      return { fitting, size, firstOmitted: bytes };
    size += bytes;
    fitting.push(component);
    await breathe();
  }
  return { fitting, size };
}

function quotaFieldsOf({
  size,
  omitted,
  firstOmitted,
}: DocumentRecord): Pick<DocumentRecord, 'size' | 'omitted' | 'firstOmitted'> {
  return { size, omitted, firstOmitted };
}

/**
 * What documents say now of those components that an amendment of them names, by URL. It is looked up before the
 * amendment is stored, so that the amount afterwards is exact: sizes that only grew, or averages, would let a source fill
 * the memory, or would keep others out.
 */
export type Replaced = ReadonlyMap<string, Amount>;

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

/** What is kept of a document. */
export function amountOf(url: string, stored: StoredDocument | undefined): Amount {
  if (!stored) return NOTHING;
  return { components: stored.components, bytes: overheadOf(url, stored) + sizeOfTexts(stored) };
}

/** What is kept of a document once a change has been stored that `cutToRoom` gave. */
export function amountAfter(
  { url, components, amend, record }: DocumentChange,
  stored: StoredDocument | undefined,
  replaced = NOTHING,
): Amount {
  if (record === null) return NOTHING;
  const put = amend && textsLeft(stored, replaced).components + (amend.put?.length ?? 0);
  return amountOf(url, { ...record, components: put ?? components?.length ?? stored?.components ?? 0 });
}

/** The texts of a document that an amendment does not touch. */
function textsLeft(stored: StoredDocument | undefined, replaced = NOTHING): Amount {
  const texts = stored ? { components: stored.components, bytes: sizeOfTexts(stored) } : NOTHING;
  return difference(texts, replaced);
}

/** Bytes of a document's bookkeeping. */
function overheadOf(url: string, { invalid }: DocumentRecord): number {
  return DOCUMENT_BYTES + url.length + (invalid ? JSON.stringify(invalid).length : 0);
}

/** Documents that an older version has stored bear no size. */
function sizeOfTexts({ size, components }: StoredDocument): number {
  return size ?? components * BYTES_PER_COMPONENT;
}

export function sum(one: Amount, other: Amount): Amount {
  return { components: one.components + other.components, bytes: one.bytes + other.bytes };
}

export function difference(one: Amount, other: Amount): Amount {
  return { components: one.components - other.components, bytes: one.bytes - other.bytes };
}

/** How many more components a document describes once it has changed; below zero when it describes fewer. */
export function growthOf(
  change: DocumentChange,
  stored: StoredDocument | undefined,
  replaced: Replaced,
): number {
  const { url, components, amend, record } = change;
  const before = describedBy(stored);
  if (record === null) return -before;
  if (components) return components.length + (record.omitted ?? 0) - before;
  if (!amend) return 0;
  return (amend.put?.length ?? 0) - (replaced.get(url) ?? NOTHING).components;
}

/** How many components a document describes, those included that are not kept. */
export function describedBy(stored: StoredDocument | undefined): number {
  return stored ? stored.components + (stored.omitted ?? 0) : 0;
}
