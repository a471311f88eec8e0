export type FetchFailureReason =
  | 'refused'
  | 'unresolved'
  | 'connection'
  | 'timeout'
  | 'too-large'
  | 'truncated'
  | 'redirects'
  | 'aborted';

/**
 * Why no (whole) answer could be had. `refused`: the URL, or an address behind it, is not allowed, or the
 * credentials it needs could not be had. `truncated`: the body broke off, or cannot be decompressed.
 */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';

  constructor(
    readonly reason: FetchFailureReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
