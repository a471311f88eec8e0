import type { DocumentRecord } from '../../core/document-record.js';
import type { StoredDocument } from '../../core/source-record.js';
import { backOff } from '../../lib/back-off.js';
import { compareText } from '../../lib/compare-text.js';
import type { Validators } from '../../lib/fetch/validators.js';
import type { Member } from './container.js';

/** Written and read this close together, a document may change again and bear the same times and tag. */
const TOO_CLOSE_MS = 2000;

/** Before another try to read a document that this node had no time for, in ms. */
const WAITS = { first: 60_000, longest: 3_600_000 };

/** Characters of an error that is kept for a document: errors quote what they are about. */
const LONGEST_ERROR = 500;

/** A container's listing does not tell when access to a document is taken away: each is asked for after so long, in ms. */
const ASK_AGAIN_MS = 3_600_000;

/**
 * Why a listed document is to be asked for, if it is. Its container says when it was modified, if anything says so at all; the
 * document's own answer is the better witness whenever that is not what it was (`news`), and now and then (`age`).
 */
export function whyRead(
  member: Member,
  stored: StoredDocument | undefined,
  now: number,
): 'news' | 'age' | undefined {
  const { timedOut, error } = stored ?? {};
  if (timedOut) {
    const wait = timedOut.retryAt - now;
    return wait <= 0 || wait > WAITS.longest || member.modified !== timedOut.modified ? 'news' : undefined;
  }
  if (!stored || error !== undefined) return 'news';
  if (member.modified === undefined || member.modified !== stored.modified) return 'news';
  return isLongSince(stored.readAt, now) ? 'age' : undefined;
}

/** In either direction: a time that is far ahead was noted before the clock was set back. */
function isLongSince(readAt: number | undefined, now: number): boolean {
  return Math.abs(now - (readAt ?? 0)) >= ASK_AGAIN_MS;
}

/** What makes the request for a stored document conditional. */
export function validatorsOf(stored: DocumentRecord | undefined): Validators {
  return { etag: stored?.etag, lastModified: stored?.lastModified };
}

export type Stamps = Pick<DocumentRecord, 'etag' | 'lastModified' | 'modified'>;

/**
 * The validators and the time of modification that are worth remembering of an answer. Servers whose clocks
 * tick in seconds give two states of one second the same validators: of what was modified within 2 s of the
 * answer, none is remembered, so that it is read again. A finer `dct:modified` proves a clock that ticks finer, whose tags
 * can be believed: the document is asked for again, but need not be sent again.
 */
export function stampsOf(answer: Validators & { readonly date: number }, modified?: string): Stamps {
  const { etag, lastModified, date } = answer;
  if (!isTooClose(modified ?? lastModified, date)) {
    return { ...validatorsOf(answer), modified };
  }
  const believed = modified === undefined || hasFineTime(modified);
  return {
    etag: believed ? etag : undefined,
    lastModified: etag !== undefined && modified === undefined ? lastModified : undefined,
  };
}

/** The server answered 304. An earlier failure to get an answer has ended; what cannot be understood still cannot. */
export function afterUnchanged(
  stored: StoredDocument,
  member: Member,
  date: number,
  now: number,
): DocumentRecord {
  const { components: _, error, failingSince, timedOut: _timedOut, modified, ...before } = stored;
  const kept = before.readAt === undefined ? before : { ...before, readAt: now };
  if (kept.unreadable !== undefined) {
    return { ...kept, error: kept.unreadable, failingSince };
  }
  const isReliable = member.modified !== undefined && !isTooClose(member.modified, date);
  const latest = isReliable ? member.modified : modified;
  return { ...kept, modified: latest };
}

/** Nothing was learned: what was stored still counts, and the new `modified` is not noted, so it is asked again. */
export function afterFailure(stored: StoredDocument | undefined, error: string, now: number): DocumentRecord {
  const { components: _, ...kept } = stored ?? { components: 0 };
  return { ...kept, error: error.slice(0, LONGEST_ERROR), failingSince: kept.failingSince ?? now };
}

/** This node could not read it, for want of time or by a fault of its own, which says nothing of the document. What was stored still counts. */
export function afterTimeout(
  stored: StoredDocument | undefined,
  { modified }: Member,
  error: string,
  now: number,
): DocumentRecord {
  const times = (stored?.timedOut?.times ?? 0) + 1;
  const timedOut = { times, retryAt: now + backOff(times, WAITS), modified };
  return { ...afterFailure(stored, error, now), timedOut };
}

/** The document is there, and cannot be understood. What it said before is still served. */
export function afterUnreadable(
  stored: StoredDocument | undefined,
  stamps: Stamps & Pick<DocumentRecord, 'hash'>,
  reason: string,
  now: number,
): DocumentRecord {
  const { modified: _, ...validators } = stamps;
  const message = reason.slice(0, LONGEST_ERROR);
  return {
    ...validators,
    readAt: stored?.readAt,
    invalid: stored?.invalid,
    unreadable: message,
    error: message,
    failingSince: stored?.failingSince ?? now,
  };
}

/** Is there nothing in a record that is worth a write? The time of reading is, once `whyRead` depends on it. */
export function sameRecord(stored: StoredDocument | undefined, record: DocumentRecord): boolean {
  if (!stored) return false;
  // What was left out is noted when a record is stored.
  const { components: _, readAt: readBefore = 0, ...before } = withoutQuota(stored);
  const { readAt = readBefore, ...after } = withoutQuota(record);
  if (isLongSince(readBefore, readAt)) return false;
  const text = (fields: object) =>
    JSON.stringify(
      Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .sort(([a], [b]) => compareText(a, b)),
    );
  return text(before) === text(after);
}

function withoutQuota<T extends DocumentRecord>({ size, omitted, firstOmitted, ...rest }: T) {
  return rest;
}

function isTooClose(time: string | undefined, date: number): boolean {
  return time !== undefined && Math.abs(date - Date.parse(time)) <= TOO_CLOSE_MS;
}

/** Does a time tell fractions of its second? `.000` proves nothing: some servers cut the clock and keep the zeros. */
function hasFineTime(time: string): boolean {
  return /\.\d*[1-9]/.test(time);
}
