import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type CacheLimits, ResponseStore, type StoredResponse } from './response-store.js';
import { headerReader } from './varied-headers.js';

/** Request bodies up to this size, in bytes, are part of what a response is found by. */
const MAX_BODY = 2048;

export interface ResponseCacheOptions extends CacheLimits {
  /** Requests with POST to paths that begin so are questions: the same body gets the same answer. */
  readonly questions: string;
  /** Asked with every request; when it gives another object than before, no stored response holds any more. */
  readonly state: () => unknown;
}

/** A request whose response may be stored. */
export interface PendingRequest {
  /** The body of a question, which has been read on the way. */
  readonly body: Uint8Array | undefined;
  /**
   * Stores the response, if the same has been asked before and the state is still the one that was read. `varies`
   * are the request headers, in lower case, that it depends on.
   */
  store(varies: readonly string[], response: () => StoredResponse): void;
}

/**
 * Sends responses again to requests that come again, for as long as nothing changes. It stands before the router,
 * because the router costs more than most answers; what it does not know it passes on. Whether a response may be
 * stored, and which headers it varies on, is up to the route: see `Route` in resource.ts.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #store: ResponseStore;
  /** Requests that were passed on, until the router takes them up. */
  readonly #pending = new WeakMap<object, PendingRequest>();
  #state: unknown;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#store = new ResponseStore(options);
  }

  /** The state in which the stored responses were made. */
  get state(): unknown {
    return this.#state;
  }

  /** What the metrics show. */
  get figures(): Readonly<ResponseStore['figures']> {
    return this.#store.figures;
  }

  /** Puts the cache before a listener of `node:http`. */
  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { method, url = '' } = incoming;
      if (method === 'GET') this.#answer(url, undefined, incoming, outgoing, next);
      else if (method === 'POST' && url.startsWith(this.#options.questions))
        this.#answerQuestion(url, incoming, outgoing, next);
      else next(incoming, outgoing);
    };
  }

  /** What is known of a request that `before` has passed on; given once. */
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
    outgoing: ServerResponse,
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
    this.#pending.set(incoming, new Pending(this, key, rawHeaders, this.#store.wants(key), body));
    next(incoming as never, outgoing as never);
  }

  /** Stores a response that was made in the state that the cache is in. */
  put(
    key: string,
    rawHeaders: readonly string[],
    varies: readonly string[],
    response: () => StoredResponse,
  ): void {
    if (this.#options.state() !== this.#state) return;
    this.#store.put(key, rawHeaders, headerReader(varies), response());
  }

  /** Reads a short body before the request goes on. */
  #answerQuestion(
    url: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next: RequestListener,
  ): void {
    const { headers } = incoming;
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (!(length <= MAX_BODY) || headers['content-encoding'] !== undefined) {
      next(incoming as never, outgoing as never);
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      // Where the adaptor of hono looks for bodies that have been read before it.
      Object.assign(incoming, { rawBody: body });
      // Latin-1 has a character for every byte: different bodies are different keys. A target has no line break.
      this.#answer(`${url}\n${body.toString('latin1')}`, body, incoming, outgoing, next);
    });
  }
}

class Pending implements PendingRequest {
  readonly #cache: ResponseCache;
  readonly #key: string;
  readonly #rawHeaders: readonly string[];
  readonly #wanted: boolean;
  readonly #state: unknown;

  constructor(
    cache: ResponseCache,
    key: string,
    rawHeaders: readonly string[],
    wanted: boolean,
    readonly body: Uint8Array | undefined,
  ) {
    this.#cache = cache;
    this.#key = key;
    this.#rawHeaders = rawHeaders;
    this.#wanted = wanted;
    this.#state = cache.state;
  }

  store(varies: readonly string[], response: () => StoredResponse): void {
    if (!this.#wanted || this.#cache.state !== this.#state) return;
    this.#cache.put(this.#key, this.#rawHeaders, varies, response);
  }
}

function send({ status, headers, body, bytes, watch }: StoredResponse, outgoing: ServerResponse): void {
  const began = watch?.began() ?? 0;
  outgoing.writeHead(status, headers).end(body);
  watch?.ended(began, status, bytes);
}
