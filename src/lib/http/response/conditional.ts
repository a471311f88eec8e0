import { formatHttpDate, parseHttpDate } from '../headers/http-date.js';

/** What tells one state of a representation from the next (RFC 9110, section 8.8). */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** When the state was reached, ms since the epoch. */
  readonly since: number;
  /** What the choice of the representation depends on; `Accept` when absent. */
  readonly vary?: string;
  /** Does it change with the components alone? */
  readonly repeatable?: boolean;
}

export interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

/** How far a client's clock may be ahead before its dates are believed no more. */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Does the client have the current state already? `If-None-Match` wins; weak tags are compared as section
 * 13.1.2 says. A date counts only when the last change lies in an earlier second: peers' clocks have no finer
 * ones, and a second change within the same second must not be missed.
 */
export function isNotModified(conditions: Conditions, { etag, since }: Validators, now: number): boolean {
  if (conditions.ifNoneMatch !== undefined) return matchesAny(conditions.ifNoneMatch, etag);
  if (conditions.ifModifiedSince === undefined) return false;
  const date = parseHttpDate(conditions.ifModifiedSince);
  return date !== undefined && date <= now + CLOCK_TOLERANCE_MS && secondOf(since) + 1000 <= date;
}

/**
 * The `Last-Modified` of a state: rounded up once that second has passed, so that a client that sends it back
 * gets its 304; cut off before, when another change could still carry the same date.
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

function matchesAny(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return entityTagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
