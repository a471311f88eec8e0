import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { Breather } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Amount } from '../sync-source.js';
import { difference, type Known, overheadOf, textsLeft } from './document-amount.js';

/** What is stored of a document now, as far as it decides what has room. */
export interface CutFrom {
  readonly known: Known | undefined;
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
  if (!from.known && overhead > room.bytes) return undefined;
  const left = { components: room.components, bytes: room.bytes - overhead };
  if (amend) return amended({ url, amend, record }, from, left, breathe);
  if (!components) return from.known ? { url, record: { ...record, ...quotaFieldsOf(from.known) } } : change;
  const { fitting, size } = await fittingOf(components, left, breathe);
  const omitted = (record.omitted ?? 0) + components.length - fitting.length;
  return { url, components: fitting, record: { ...record, size, ...omittedField(omitted) } };
}

/** A document that says nothing any more is not kept. */
async function amended(
  {
    url,
    amend: { put = [], remove = [] },
    record,
  }: DocumentChange & { amend: object; record: DocumentRecord },
  { known, replaced }: CutFrom,
  room: Amount,
  breathe: Breather,
): Promise<DocumentChange> {
  const kept = textsLeft(known, replaced);
  if (kept.components + put.length === 0 && !known?.omitted) return { url, record: null };
  const { fitting, size } = await fittingOf(put, difference(room, kept), breathe);
  // What is out of date and has no room any more goes: it would be served as if it still were so.
  const stored = new Set(fitting);
  const left = put.filter((one) => !stored.has(one)).map(({ uri }) => uri);
  const omitted = (known?.omitted ?? 0) + left.length;
  return {
    url,
    amend: { put: fitting, remove: [...remove, ...left] },
    record: { ...record, size: kept.bytes + size, ...omittedField(omitted) },
  };
}

async function fittingOf(
  components: readonly Metadata[],
  room: Amount,
  breathe: Breather,
): Promise<{ fitting: readonly Metadata[]; size: number }> {
  const whole = await firstOf(components, room, breathe);
  if (whole.fitting.length === components.length) return whole;
  // Which ones are kept must not depend on the order in a document.
  return firstOf(await sortedBy(components, ({ uri }) => uri, breathe), room, breathe);
}

async function firstOf(components: readonly Metadata[], room: Amount, breathe: Breather) {
  const fitting: Metadata[] = [];
  let size = 0;
  for (const component of components) {
    const bytes = sizeOf(component);
    if (fitting.length >= room.components || size + bytes > room.bytes) break;
    size += bytes;
    fitting.push(component);
    await breathe();
  }
  return { fitting, size };
}

function quotaFieldsOf({ size, omitted }: DocumentRecord): Pick<DocumentRecord, 'size' | 'omitted'> {
  return { size, ...omittedField(omitted ?? 0) };
}

function omittedField(omitted: number): { omitted?: number } {
  return omitted === 0 ? {} : { omitted };
}
