import { shortHash } from '../../short-hash.js';
import { formatHttpDate, parseHttpDate } from '../headers/http-date.js';

/** What distinguishes one state of a representation from the next (RFC 9110, section 8.8). */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** When the state was reached, ms since the epoch. */
  readonly since: number;
  /** The `Vary` header: the request headers that the representation is chosen by; `Accept` when absent. */
  readonly vary?: string;
  /** Further headers that say something of the state, also in a 304. */
  readonly about?: Readonly<Record<string, string>>;
  /** Does the representation change only when components change? Then the answer may be cached, see `Answer`. */
  readonly repeatable?: boolean;
}

/** Dates that lie further in the future than this are ignored: the client's clock is wrong. */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Does the client have the current state already? `If-None-Match` wins. A date counts only when the last change happened in an
 * earlier second: a further change within the same one must not be missed.
 */
export function isNotModified(
  asked: { readonly ifNoneMatch: string | undefined; readonly ifModifiedSince: string | undefined },
  { etag, since }: Validators,
  now: number,
): boolean {
  if (asked.ifNoneMatch !== undefined) return namesTag(asked.ifNoneMatch, etag);
  if (asked.ifModifiedSince === undefined) return false;
  const date = parseHttpDate(asked.ifModifiedSince);
  return date !== undefined && date <= now + CLOCK_TOLERANCE_MS && secondOf(since) + 1000 <= date;
}

/**
 * The `Last-Modified` of a state. Once the second of the change has passed it is rounded up, so that a client that
 * sends the date back gets a 304; before that it is rounded down, because another change could have the same date.
 */
export function lastModified(since: number, now: number): string {
  return formatHttpDate(isSettled(since, now) ? secondOf(since) + 1000 : since);
}

/** Has the second of the change passed, so that its date is final? */
export function isSettled(since: number, now: number): boolean {
  return secondOf(since) + 1000 <= now;
}

/** The entity tags in `If-Match` or `If-None-Match`, with their quotes, and `W/` before weak ones. */
export function entityTagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Does an `If-None-Match` name this tag? Weak tags are compared as RFC 9110, section 13.1.2 says. */
export function namesTag(header = '', etag: string): boolean {
  return header.trim() === '*' || entityTagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** A strong entity tag, with its quotes, that differs when the text does (RFC 9110, section 8.8.3). */
export function textTag(text: string): string {
  return `"${shortHash(text)}"`;
}
