import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { percentDecode } from '../lib/http/request/percent.js';
import type { Answering, RouteRequest } from '../lib/http/resource.js';
import type { Reply } from '../lib/http/response/answer.js';
import { bytesOf, isWhole } from '../lib/http/response/body.js';
import { holdUntilSent, sendReply, writeHead } from '../lib/http/response/sending.js';

/** Largest body, in bytes, of a POST request whose response may be cached; the body is part of the cache key. */
const MAX_BODY = 2048;
/** Memory that a response takes beyond its body and its key, in bytes, roughly. */
const OVERHEAD = 1000;
/**
 * A longer body, in bytes, is stored when it is asked for a second time. To keep each of them for a while takes memory from the
 * garbage collector that would die young, and three times as long as to answer.
 */
const SHORT = 16_384;
/** Requests with long answers that are remembered until they are asked again. */
const REMEMBERED = 1_000;

/** The request headers that a response which is stored may depend on, in lower case: they are part of its key. */
const KEY_HEADERS = [
  ...(['accept', 'accept-encoding', 'content-encoding', 'content-type'] as const),
  ...(['if-modified-since', 'if-none-match'] as const),
];
/** Targets that mean what they say: neither the adaptor of hono nor a URL parser would write them in another way. */
const PLAIN_TARGET = /^(?!.*\/(?:\.|%2e){1,2}(?:[/?]|$))\/[\w!$%&()*+,\-./:;=?@[\]~]*$/i;

/** A complete response that can be sent again. */
interface StoredResponse extends Pick<Reply, 'status' | 'hold' | 'metrics'> {
  /** Names and values alternating, as `writeHead` takes them. */
  readonly headers: string[];
  /** A text in Latin-1: Node.js sends it together with the headers, in one piece. */
  readonly body: string | Uint8Array;
  /** Of the body. */
  readonly bytes: number;
}

interface ResponseCacheOptions {
  /** Bytes of all responses together; beyond this, those least recently used are dropped. */
  readonly maxBytes: number;
  /** Bytes of one response; larger ones are not stored. */
  readonly maxResponseBytes: number;
  /** Called for every request; when it returns another object than before, all stored responses are out of date. */
  readonly state: () => unknown;
}

/**
 * Answers the requests that are sent most, in place of the router: routing, and the objects of the Fetch standard, take longer
 * than most answers. They are answered by the resources that say so by `cached`, as the router would have it done; what is
 * repeatable is stored, and sent again until the state changes. What has `Authorization` passes by, and so does whatever is
 * unusual: other methods, long bodies, targets that are not in their plainest form.
 */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  /** By method and path; `/*` at the end stands for any rest. */
  readonly #routes = new Map<string, Answering>();
  readonly #responses: LRUCache<string, StoredResponse>;
  /** What is being made: who asks for it meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<Reply>>();
  /** Requests with long answers. */
  readonly #asked = new LRUCache<string, true>({ max: REMEMBERED });
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

  /** Has requests for a path be answered here. */
  add(method: string, path: string, answer: Answering): void {
    this.#routes.set(`${method} ${path}`, answer);
  }

  /** Puts the cache before a listener of `node:http`. */
  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { method, headers } = incoming;
      if (headers.authorization !== undefined) return next(incoming, outgoing);
      const key = keyOf(incoming);
      // Most requests end here: that the target is plain, and its path has a route, was seen when the response was stored.
      if (method === 'GET' && this.#sendStored(key, outgoing)) return undefined;
      const answer = this.#routeOf(incoming);
      if (!answer) return next(incoming, outgoing);
      if (method === 'GET') return this.#answer(key, undefined, answer, incoming, outgoing);
      // Without a length it is no number, which is not less than anything.
      if (!(Number(headers['content-length']) <= MAX_BODY)) return next(incoming, outgoing);
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        // Latin-1 has a character for every byte.
        const ofBody = `${key}\n\n${body.toString('latin1')}`;
        if (!this.#sendStored(ofBody, outgoing)) this.#answer(ofBody, body, answer, incoming, outgoing);
      });
    };
  }

  #routeOf({ method, url = '' }: IncomingMessage): Answering | undefined {
    if ((method !== 'GET' && method !== 'POST') || !PLAIN_TARGET.test(url)) return undefined;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const folder = path.slice(0, path.indexOf('/', 1) + 1);
    return this.#routes.get(`${method} ${path}`) ?? this.#routes.get(`${method} ${folder}*`);
  }

  /** Sends what is stored under a key for the current state. @returns whether there is such a response */
  #sendStored(key: string, outgoing: ServerResponse): boolean {
    const state = this.#options.state();
    if (state !== this.#state) {
      this.#state = state;
      this.#responses.clear();
      this.#making.clear();
    }
    const stored = this.#responses.get(key);
    if (!stored) return false;
    this.#hits += 1;
    send(stored, outgoing);
    return true;
  }

  #answer(
    key: string,
    body: Uint8Array | undefined,
    answer: Answering,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): void {
    const make = () => answer(new IncomingRequest(incoming, body), incoming.socket.remoteAddress);
    const making = this.#making.get(key);
    if (making) {
      this.#hits += 1;
      // It never rejects: what a resource throws is answered as a problem.
      void making.then(async (reply) => {
        if (isShared(reply)) send(storedOf(reply), outgoing);
        else sendReply(await make(), outgoing);
      });
      return;
    }
    this.#misses += 1;
    const state = this.#state;
    const finish = (made: Reply) => {
      sendReply(made, outgoing);
      if (this.#state !== state) return;
      this.#making.delete(key);
      if (this.#options.state() === state && outgoing.headersSent) this.#store(key, made);
    };
    const reply = make();
    if (reply instanceof Promise) {
      this.#making.set(key, reply);
      void reply.then(finish);
    } else finish(reply);
  }

  /** A longer body is stored when it is asked for again, as far as that is remembered. */
  #store(key: string, reply: Reply): void {
    if (!isShared(reply)) return;
    const isLong = (bytesOf(reply.body) ?? 0) > SHORT;
    if (isLong && !this.#asked.has(key)) this.#asked.set(key, true);
    else this.#responses.set(key, storedOf(reply));
  }
}

/** Is it for everybody who asks the same? */
function isShared({ repeatable = false, body }: Reply): boolean {
  return repeatable && isWhole(body);
}

function storedOf({ status, headers, body = '', hold, metrics }: Reply): StoredResponse {
  const whole = body as string | Uint8Array;
  const bytes = bytesOf(whole) ?? 0;
  const isText = typeof whole === 'string' || bytes <= SHORT;
  const stored = isText ? Buffer.from(whole as Uint8Array).toString('latin1') : whole;
  return { status, headers: Object.entries(headers).flat(), body: stored, bytes, hold, metrics };
}

/** A request of `node:http` as resources see it. */
class IncomingRequest implements RouteRequest {
  readonly #incoming: IncomingMessage;
  readonly method: string;
  readonly url: string;

  constructor(
    incoming: IncomingMessage,
    readonly bodyAtHand: Uint8Array | undefined,
  ) {
    this.#incoming = incoming;
    this.method = incoming.method ?? '';
    this.url = `http://${incoming.headers.host}${incoming.url}`;
  }

  get path(): string {
    const path = (this.#incoming.url ?? '').replace(/\?.*$/s, '');
    return percentDecode(path) ?? path;
  }

  header(name: string): string | undefined {
    return this.#incoming.headers[name] as string | undefined;
  }

  get raw(): Request {
    const { headers } = this.#incoming;
    return new Request(this.url, { method: this.method, headers: headers as Record<string, string> });
  }
}

/** What is asked, by target and headers. Neither has line breaks, so different requests have different keys. */
function keyOf({ url = '', headers }: IncomingMessage): string {
  let key = url;
  for (const name of KEY_HEADERS) {
    const value = headers[name];
    if (value !== undefined) key += `\n${name}:${value}`;
  }
  return key;
}

function send(
  { status, headers, body, bytes, hold, metrics }: StoredResponse,
  outgoing: ServerResponse,
): void {
  if (writeHead(outgoing, status, headers) !== undefined) return;
  const startedAt = metrics?.started() ?? 0;
  holdUntilSent(hold, outgoing);
  outgoing.end(body, 'latin1');
  metrics?.finished(startedAt, status, bytes);
}
