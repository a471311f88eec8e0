/** What a handler sees of a request. The requests of hono are such. */
export interface RouteRequest {
  readonly method: string;
  /** Absolute, as it was asked for. */
  readonly url: string;
  /** Its path, percent-decoded where that is possible. */
  readonly path: string;
  /** The value of a header, whose name is in lower case. */
  header(name: string): string | undefined;
  /** The first value of a parameter of the URL. */
  query(name: string): string | undefined;
  /** The request as a web standard has it: for its body and its signal. */
  readonly raw: Request;
  /** The body, where it has been read before the router was asked. */
  readonly bodyAtHand?: Uint8Array | undefined;
}

/** The request for a handler whose answers may be stored, and for all others. */
export function requestOf(
  request: RouteRequest,
  varies: readonly string[] | undefined,
  bodyAtHand: Uint8Array | undefined,
): RouteRequest {
  return varies === undefined ? request : new VaryingRequest(request, varies, bodyAtHand);
}

/** Lets a handler read only the headers that its route says its answers vary on. */
class VaryingRequest implements RouteRequest {
  readonly #request: RouteRequest;
  readonly #varies: readonly string[];

  constructor(
    request: RouteRequest,
    varies: readonly string[],
    readonly bodyAtHand: Uint8Array | undefined,
  ) {
    this.#request = request;
    this.#varies = varies;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  get path(): string {
    return this.#request.path;
  }

  /** @throws Error where nothing of it may be read: its headers are what `header` watches over */
  get raw(): Request {
    if (this.method === 'POST' && this.bodyAtHand === undefined) return this.#request.raw;
    throw new Error('The answers of this route are stored: ask `header` and `bodyAtHand`, not `raw`');
  }

  query(name: string): string | undefined {
    return this.#request.query(name);
  }

  /** @throws Error for a header that the route does not vary on: a fault of the handler */
  header(name: string): string | undefined {
    if (this.#varies.includes(name)) return this.#request.header(name);
    throw new Error(
      `The answers of this route are stored, and do not vary on "${name}": add it to \`varies\``,
    );
  }
}
