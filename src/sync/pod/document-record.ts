import { isDeepStrictEqual } from 'node:util';
import { afterFailure, type DocumentRecord, type StoredDocument } from '../../core/document-record.js';
import type { Validators } from '../../lib/fetch/validators.js';
import type { Member } from './container.js';

/** Written and read this close together, a document may change again and bear the same times and tag. */
const TOO_CLOSE_MS = 2000;

/** In ms. Listings do not tell when access is taken away, so that each document is asked for now and then. */
const ASK_AGAIN_MS = 3_600_000;

/**
 * Why a listed document is to be asked for, if it is: there may be `news`, because it could not be had last
 * time, or its container says that it was modified, or does not say; or it was asked for long ago (`age`).
 */
export function whyRead(
  { modified }: Member,
  stored: StoredDocument | undefined,
  now: number,
): 'news' | 'age' | undefined {
  const isKnown = stored?.error === undefined && modified !== undefined && modified === stored?.modified;
  if (!isKnown) return 'news';
  return isLongSince(stored?.readAt, now) ? 'age' : undefined;
}

/** In either direction: a time that is far ahead was noted before the clock was set back. */
function isLongSince(readAt: number | undefined, now: number): boolean {
  return Math.abs(now - (readAt ?? 0)) >= ASK_AGAIN_MS;
}

type Stamps = Pick<DocumentRecord, 'etag' | 'lastModified' | 'modified'>;

/**
 * What is worth remembering of an answer. Servers whose clocks tick in seconds give two states of one second
 * the same validators: of what was modified within 2 s of the answer, none is kept, and it is read again.
 */
export function stampsOf(answer: Validators & { readonly date: number }, modified?: string): Stamps {
  const isReliable = !isTooClose(modified ?? answer.lastModified, answer.date);
  return isReliable ? { etag: answer.etag, lastModified: answer.lastModified, modified } : {};
}

/** After a 304: an earlier failure to get an answer has ended; what cannot be understood still cannot. */
export function afterUnchanged(
  stored: StoredDocument,
  member: Member,
  date: number,
  now: number,
): DocumentRecord {
  const { components: _, error, failingSince, modified, ...before } = stored;
  const kept = before.readAt === undefined ? before : { ...before, readAt: now };
  if (kept.unreadable !== undefined) return { ...kept, error: kept.unreadable, failingSince };
  const isReliable = member.modified !== undefined && !isTooClose(member.modified, date);
  return { ...kept, modified: isReliable ? member.modified : modified };
}

/** The document is there, and cannot be understood. What it said before is still served. */
export function afterUnreadable(
  stored: StoredDocument | undefined,
  { etag, lastModified }: Stamps,
  reason: string,
  now: number,
): DocumentRecord {
  const { readAt, invalid } = stored ?? {};
  const { error, failingSince } = afterFailure(stored, reason, now);
  return { etag, lastModified, readAt, invalid, unreadable: error, error, failingSince };
}

/** Is nothing in a record worth a write? The time of reading is, once `whyRead` depends on it. */
export function sameRecord(stored: StoredDocument | undefined, record: DocumentRecord): boolean {
  if (!stored || isLongSince(stored.readAt ?? 0, record.readAt ?? stored.readAt ?? 0)) return false;
  // How much of a document is left out is noted when it is stored.
  const told = ({ etag, lastModified, modified, ...of }: DocumentRecord) =>
    [etag, lastModified, modified, of.invalid, of.unreadable, of.error, of.failingSince] as const;
  return isDeepStrictEqual(told(stored), told(record));
}

function isTooClose(time: string | undefined, date: number): boolean {
  return time !== undefined && Math.abs(date - Date.parse(time)) <= TOO_CLOSE_MS;
}
