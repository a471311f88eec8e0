/**
 * `network`: nobody answers, or the answer may not be read from another origin. `status`: an answer that is no
 * success. `type`: the wrong media type. `syntax`: it cannot be parsed. `integrity`: not the bytes that were
 * promised. `module`: the module failed, or holds no component. `request`: an event or an argument that breaks
 * the rules. `conflict`: somebody else changed the resource meanwhile.
 */
export type HostErrorReason =
  | 'network'
  | 'status'
  | 'timeout'
  | 'size'
  | 'type'
  | 'syntax'
  | 'integrity'
  | 'module'
  | 'request'
  | 'conflict';

/** What went wrong between a host application and the web, in words for its developer. */
export class HostError extends Error {
  override readonly name = 'HostError';

  constructor(
    readonly reason: HostErrorReason,
    message: string,
    /** What else is known of it: the `cause`, and the HTTP status where there was an answer. */
    more: { cause?: unknown; status?: number } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = more.status;
  }

  readonly status: number | undefined;
}

/** A module that is loaded when it is needed. @param what it does, behind "the module that" */
export function needed<T>(loading: Promise<T>, what: string): Promise<T> {
  return loading.catch((cause: unknown) => {
    throw new HostError('network', `the module that ${what} cannot be loaded`, { cause });
  });
}
