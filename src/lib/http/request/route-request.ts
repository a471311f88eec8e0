import { KEY_HEADERS } from '../cache/response-cache.js';

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

/** The request as the handler gets it: restricted to `KEY_HEADERS` where its answers may be stored. */
export function requestOf(
  request: RouteRequest,
  isCached: boolean,
  bodyAtHand: Uint8Array | undefined,
): RouteRequest {
  return isCached ? new KeyedRequest(request, bodyAtHand) : request;
}

/** A request of which a handler can read only what the key of a stored answer has. */
class KeyedRequest implements RouteRequest {
  readonly #request: RouteRequest;

  constructor(
    request: RouteRequest,
    readonly bodyAtHand: Uint8Array | undefined,
  ) {
    this.#request = request;
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

  /** @throws Error for a header that is no part of the key: a fault of the handler */
  header(name: string): string | undefined {
    if (KEY_HEADERS.has(name)) return this.#request.header(name);
    throw new Error(`The answers of this route are stored, and "${name}" is none of KEY_HEADERS`);
  }
}
