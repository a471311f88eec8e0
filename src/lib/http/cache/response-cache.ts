import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type CacheLimits, ResponseStore, type StoredResponse } from './response-store.js';
import { headerReader } from './varied-headers.js';

/** Largest body, in bytes, of a POST request whose response may be cached; the body is part of the cache key. */
const MAX_BODY = 2048;

export interface ResponseCacheOptions extends CacheLimits {
  /** POST requests to paths that start with this are queries: they change nothing, and equal bodies have equal answers. */
  readonly queryPath: string;
  /** Called for every request; when it returns another object than before, all stored responses are out of date. */
  readonly state: () => unknown;
}

type Outgoing = Parameters<RequestListener>[1];

/** A request whose response may be stored. */
export interface PendingRequest {
  /** The body of a query, which the cache has read; undefined for other requests. */
  readonly body: Uint8Array | undefined;
  /**
   * Stores the response, if it is not the first to this request and the state has not changed meanwhile. `varies` are
   * the request headers, in lower case, that it depends on.
   */
  store(varies: readonly string[], response: () => StoredResponse): void;
}

/**
 * Answers repeated requests with stored responses, until the state changes. It is asked before the router, because
 * routing takes longer than most answers; requests without a stored response are passed on to the router. Each route
 * decides whether its responses are stored, and which headers they vary on: see `Resource.varies`.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #store: ResponseStore;
  /** Requests that were passed on to the router and are not answered yet. */
  readonly #pending = new WeakMap<object, PendingRequest>();
  /** The state in which the stored responses were made. */
  #state: unknown;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#store = new ResponseStore(options);
  }

  /** For the metrics. */
  get figures(): Readonly<ResponseStore['figures']> {
    return this.#store.figures;
  }

  /** Puts the cache before a listener of `node:http`. */
  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { method, url = '' } = incoming;
      if (method === 'GET') this.#answer(url, undefined, incoming, outgoing, next);
      else if (method === 'POST' && url.startsWith(this.#options.queryPath))
        this.#answerQuery(url, incoming, outgoing, next);
      else next(incoming, outgoing);
    };
  }

  /** Finds a request that `before` has passed on, and forgets it. */
  pending(incoming: object | undefined): PendingRequest | undefined {
    if (incoming === undefined) return undefined;
    const pending = this.#pending.get(incoming);
    this.#pending.delete(incoming);
    return pending;
  }

  #answer(
    key: string,
    body: Uint8Array | undefined,
    incoming: IncomingMessage,
    outgoing: Outgoing,
    next: RequestListener,
  ): void {
    const state = this.#options.state();
    if (state !== this.#state) {
      this.#state = state;
      this.#store.clear();
    }
    const { rawHeaders } = incoming;
    const stored = this.#store.get(key, rawHeaders);
    if (stored) {
      send(stored, outgoing);
      return;
    }
    const isWanted = this.#store.wants(key);
    this.#pending.set(incoming, {
      body,
      store: (varies, response) => {
        if (isWanted && this.#options.state() === state && this.#state === state)
          this.#store.put(key, rawHeaders, headerReader(varies), response());
      },
    });
    next(incoming, outgoing);
  }

  /** Reads a short body, and answers or passes on the request. */
  #answerQuery(url: string, incoming: IncomingMessage, outgoing: Outgoing, next: RequestListener): void {
    const { headers } = incoming;
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (!(length <= MAX_BODY) || headers['content-encoding'] !== undefined) {
      next(incoming, outgoing);
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      // The adaptor of hono takes a body that has been read already from this property.
      Object.assign(incoming, { rawBody: body });
      // Latin-1 has a character for every byte, and targets have no line breaks: different requests have different keys.
      this.#answer(`${url}\n${body.toString('latin1')}`, body, incoming, outgoing, next);
    });
  }
}

function send({ status, headers, body, bytes, metrics }: StoredResponse, outgoing: ServerResponse): void {
  const startedAt = metrics?.started() ?? 0;
  outgoing.writeHead(status, headers).end(body);
  metrics?.finished(startedAt, status, bytes);
}
