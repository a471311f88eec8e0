import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { RouteMetrics } from '../route-metrics.js';

/** Largest body, in bytes, of a POST request whose response may be cached; the body is part of the cache key. */
const MAX_BODY = 2048;
/** Memory that a response takes beyond its body and its key, in bytes, roughly: its headers and the objects around it. */
const OVERHEAD = 1000;
/**
 * A longer body, in bytes, is stored when it is asked for a second time. To keep each of them for a while takes memory from the
 * garbage collector that would die young, and three times as long as to answer.
 */
const SHORT = 16_384;
/** Requests that are remembered, one for each: a quarter of a megabyte. */
const SLOTS = 2 ** 16;

/** The request headers that a response which is stored may depend on, in lower case: they are part of its key. */
export const KEY_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-encoding', 'content-type'],
  ...['if-modified-since', 'if-none-match'],
]);
const LENGTHS = new Set([...KEY_HEADERS, 'authorization'].map(({ length }) => length));

/** A complete response that can be sent again. */
export interface StoredResponse {
  readonly status: number;
  /** Names and values alternating, as `writeHead` takes them. */
  readonly headers: string[];
  readonly body: string | Uint8Array | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Where each time that it is sent is counted. */
  readonly metrics?: RouteMetrics | undefined;
}

export interface ResponseCacheOptions {
  /** Bytes of all responses together; beyond this, those least recently used are dropped. */
  readonly maxBytes: number;
  /** Bytes of one response; larger ones are not stored. */
  readonly maxResponseBytes: number;
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
  /** Stores the response, if the state has not changed meanwhile. */
  store(response: StoredResponse): void;
}

/**
 * Answers repeated requests with stored responses, until the state changes. It is asked before the router, because
 * routing takes longer than most answers; requests without a stored response are passed on to the router. Each route
 * decides whether its responses are stored: see `Resource.cached`. What has `Authorization` passes by.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #responses: LRUCache<string, StoredResponse>;
  /** Requests that were passed on to the router and are not answered yet. */
  readonly #pending = new WeakMap<object, PendingRequest>();
  /** Hashes of requests with long answers, by their remainders. */
  readonly #asked = new Uint32Array(SLOTS);
  /** The state in which the stored responses were made. */
  #state: unknown;
  #hits = 0;
  #misses = 0;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#responses = new LRUCache({
      maxSize: Math.max(1, options.maxBytes),
      maxEntrySize: options.maxResponseBytes + OVERHEAD,
      sizeCalculation: ({ bytes }, key) => bytes + key.length + OVERHEAD,
    });
  }

  /** For the metrics. */
  get figures() {
    const { calculatedSize, size } = this.#responses;
    return { hits: this.#hits, misses: this.#misses, bytes: calculatedSize, answers: size };
  }

  /** Puts the cache before a listener of `node:http`. */
  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { method, url = '' } = incoming;
      const key = keyOf(url, incoming.rawHeaders);
      if (key === undefined) next(incoming, outgoing);
      else if (method === 'GET') this.#answer(key, undefined, incoming, outgoing, next);
      else if (method === 'POST' && url.startsWith(this.#options.queryPath))
        this.#answerQuery(key, incoming, outgoing, next);
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
      this.#responses.clear();
    }
    const stored = this.#responses.get(key);
    if (stored) {
      this.#hits += 1;
      send(stored, outgoing);
      return;
    }
    this.#misses += 1;
    const store = (response: StoredResponse) => {
      if (this.#options.state() !== state || this.#state !== state) return;
      if (response.bytes <= SHORT || this.#isRepeated(key)) this.#responses.set(key, response);
    };
    this.#pending.set(incoming, { body, store });
    next(incoming, outgoing);
  }

  /** Has it been asked for before, as far as that is remembered? */
  #isRepeated(key: string): boolean {
    const hashed = hashOf(key);
    const slot = hashed % SLOTS;
    const isRepeated = this.#asked[slot] === hashed;
    this.#asked[slot] = hashed;
    return isRepeated;
  }

  /** Reads a short body, and answers or passes on the request. */
  #answerQuery(key: string, incoming: IncomingMessage, outgoing: Outgoing, next: RequestListener): void {
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
      // Latin-1 has a character for every byte.
      this.#answer(`${key}\n\n${body.toString('latin1')}`, body, incoming, outgoing, next);
    });
  }
}

/**
 * What is asked, by target and headers, read from the raw list: the parsed form of all headers would cost more than most
 * answers. Neither targets nor headers have line breaks, so different requests have different keys. Undefined for what
 * must not be stored.
 */
function keyOf(url: string, rawHeaders: readonly string[]): string | undefined {
  let key = url;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    if (lower === 'authorization') return undefined;
    if (KEY_HEADERS.has(lower)) key += `\n${lower}:${rawHeaders[i + 1]}`;
  }
  return key;
}

function send({ status, headers, body, bytes, metrics }: StoredResponse, outgoing: ServerResponse): void {
  const startedAt = metrics?.started() ?? 0;
  outgoing.writeHead(status, headers).end(body);
  metrics?.finished(startedAt, status, bytes);
}

/** FNV-1a, never 0: that is an empty slot. */
function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0 || 1;
}
