/** What a handler sees of a request. Requests of hono have this interface. */
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
  /** The body, where the response cache has read it already. */
  readonly bodyAtHand?: Uint8Array | undefined;
}

/** The request as the handler gets it: restricted to the headers in `varies` where its answers may be cached. */
export function requestOf(
  request: RouteRequest,
  varies: readonly string[] | undefined,
  bodyAtHand: Uint8Array | undefined,
): RouteRequest {
  return varies === undefined ? request : new VaryingRequest(request, varies, bodyAtHand);
}

/** A request of which a handler can read only the headers that its route declares in `varies`. */
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

  /** @throws Error where `bodyAtHand` should be used: by `raw`, a handler could read headers that it must not */
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
