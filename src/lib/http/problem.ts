import type { Fault } from '../faults.js';

/** The short names of the statuses that this software answers with (RFC 9110, section 15). */
const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

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
    more: {
      headers?: Record<string, string>;
      errors?: readonly Fault[];
      members?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.headers = more.headers ?? {};
    this.errors = more.errors;
    this.members = more.members ?? {};
  }

  get title(): string {
    return TITLES[this.status] ?? 'Error';
  }

  /** The body of RFC 9457: `type` is left out, which means `about:blank`. */
  toJSON(): Record<string, unknown> {
    return {
      title: this.title,
      status: this.status,
      detail: this.detail,
      errors: this.errors,
      ...this.members,
    };
  }
}
