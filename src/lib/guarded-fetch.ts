/** May this URL reach loopback and private addresses? Those that the operator wrote may; learned ones may not. */
export type Trust = 'configured' | 'learned';

export interface FetchRequest {
  /** `GET` when absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly trust: Trust;
  readonly signal?: AbortSignal;
  /** Bounds of this request; those of the fetch when absent. Bytes count after decompression. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /**
   * Headers that authenticate the request, asked for anew for each hop (a DPoP proof names method and URL).
   * Not asked once a redirect has left the origin of the first URL: credentials never leave it.
   */
  readonly authorize?: (request: {
    url: string;
    method: string;
  }) => Promise<Readonly<Record<string, string>>>;
}

export interface FetchAnswer {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  readonly headers: Headers;
  /** The body as it comes, decompressed. Breaking off the loop closes the connection. @throws FetchFailure */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body, decoded as UTF-8. @throws FetchFailure */
  text(): Promise<string>;
  /** Gives up on a body that nobody wants. */
  discard(): Promise<void>;
}

/** Any status is an answer; what keeps an answer from being had is a `FetchFailure`. */
export type GuardedFetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;

export type FetchFailureReason =
  | 'refused'
  | 'unresolved'
  | 'connection'
  | 'timeout'
  | 'too-large'
  | 'truncated'
  | 'redirects'
  | 'aborted';

/** Why no (whole) answer could be had. `refused`: the URL or an address behind it is not allowed. */
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
