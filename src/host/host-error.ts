/**
 * What went wrong, in one sentence for those who read the page. `network`: nobody answers, or the answer may not be read from
 * another origin. `status`: an answer that is no success. `type`: the wrong media type. `syntax`: it cannot be parsed.
 * `integrity`: not the bytes that were promised. `trust`: nobody answers for it. `module`: the module failed, or holds no
 * component. `request`: an event or an argument that breaks the rules. `conflict`: somebody else changed the resource meanwhile.
 * `host`: the page did not do what a component asked of it, and events have no words for why.
 */
const SENTENCES = {
  network: 'A server cannot be reached just now. Try again later.',
  status: 'A server has refused this just now. Try again later.',
  timeout: 'A server takes too long to answer. Try again later.',
  size: 'This is too large to be shown.',
  type: 'This is of a kind that cannot be shown here.',
  syntax: 'This is written in a way that cannot be read.',
  integrity: 'The program that shows this is not the one that was promised, so it is not run.',
  trust: 'Nobody answers for the program that shows this, so it is not run.',
  module: 'The program that shows this does not work.',
  request: 'This does not work here. The developers of the page can find out why.',
  host: 'This cannot be read or saved just now. It may be gone, or not be for everyone.',
  conflict: 'Somebody else has changed this meanwhile. Load it again.',
} as const;
/** The keys of `SENTENCES`, which says what each of them means. */
export type HostErrorReason = keyof typeof SENTENCES;

/** What went wrong between a host application and the web. */
export class HostError extends Error {
  override readonly name = 'HostError';

  constructor(
    readonly reason: HostErrorReason,
    /** Details, for the developer of the page: URLs, hashes, statuses. */
    message: string,
    /** What else is known of it: the `cause`, and the HTTP status where there was an answer. */
    more: { cause?: unknown; status?: number } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = more.status;
  }

  readonly status: number | undefined;

  /** The same in one sentence for those who read the page. */
  get userMessage(): string {
    return (this.reason === 'status' && this.status && STATUSES[this.status]) || SENTENCES[this.reason];
  }
}

const SIGN_IN = 'This is not for everybody: you may have to sign in.';
const GONE = 'There is nothing at this address.';
const STATUSES: Readonly<Record<number, string>> = { 401: SIGN_IN, 403: SIGN_IN, 404: GONE, 410: GONE };

/** A module that is loaded when it is needed. @param what it does, behind "the module that" */
export function needed<T>(loading: Promise<T>, what: string): Promise<T> {
  return loading.catch((cause: unknown) => {
    throw new HostError('network', `the module that ${what} cannot be loaded`, { cause });
  });
}
