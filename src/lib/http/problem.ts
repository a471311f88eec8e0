import { STATUS_CODES } from 'node:http';
import type { Fault } from '../faults.js';

/** The short names of statuses that Node.js calls by their older names (RFC 9110, section 15). */
const TITLES: Record<number, string> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/**
 * A problem document (RFC 9457) as an error: it can be thrown anywhere in a handler, and `addResource` makes the
 * response of it.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly headers: Record<string, string>;
  readonly errors: readonly Fault[] | undefined;
  /** What this kind of problem tells beside (RFC 9457, section 3.2). */
  readonly members: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    readonly detail: string,
    more: Partial<Pick<Problem, 'headers' | 'errors' | 'members' | 'cause'>> = {},
  ) {
    super(detail, { cause: more.cause });
    this.headers = more.headers ?? {};
    this.errors = more.errors;
    this.members = more.members ?? {};
  }

  get title(): string {
    return TITLES[this.status] ?? STATUS_CODES[this.status] ?? 'Error';
  }

  /** The body of RFC 9457: `type` is left out, which means `about:blank`. */
  toJSON(): Record<string, unknown> {
    const { title, status, detail, errors, members } = this;
    return { title, status, detail, errors, ...members };
  }
}
