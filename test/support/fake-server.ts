import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as later } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { cleanup } from './cleanup.js';

/** One answer of a fake server, and how it misbehaves, if it does. */
export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** An object is sent as JSON (with that content type, unless the headers say otherwise). */
  body?: string | Uint8Array | object;
  /** Sent as `ETag`; answers 304 to the same `If-None-Match`. */
  etag?: string;
  delayMs?: number;
  /** `answer`: says nothing at all. `body`: sends the head and half of the body, then nothing more. */
  hang?: 'answer' | 'body';
  /** Closes the connection half-way through a body of announced length, or of chunks without an end. */
  truncate?: 'length' | 'chunks';
  /** Repeats the body until the client goes away. */
  endless?: boolean;
  /** Closes the connection without a word. */
  drop?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answering = (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer>;
type FakeRoute = FakeAnswer | readonly FakeAnswer[] | Answering;

export const redirect = (location: string, status = 302): FakeAnswer => ({ status, headers: { location } });

/** A document in Turtle. */
export const inTurtle = (body: string | Uint8Array, more: FakeAnswer = {}): FakeAnswer => ({
  ...more,
  headers: { 'content-type': 'text/turtle', ...more.headers },
  body,
});

/** Has a server answer a path only when the function that is returned has been called. */
export function held(server: FakeServer, path: string, answer: FakeAnswer): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.on(path, () => released.then(() => answer));
  return () => release();
}

/** A thousandth of these bytes on the wire. */
export const gzipBomb = (bytes: number): FakeAnswer => ({
  headers: { 'content-encoding': 'gzip' },
  body: gzipSync(Buffer.alloc(bytes)),
});

/** A pod, peer or issuer that does what a test says, on a free port of 127.0.0.1. */
export class FakeServer {
  readonly requests: SeenRequest[] = [];
  /** Of each of them, once its answer is known: its path and query, and the status. */
  readonly answered: string[] = [];
  readonly #routes = new Map<string, Answering>();
  readonly #sockets = new Set<Socket>();
  #everything: Answering | undefined;
  /** Connections accepted so far, closed ones included. */
  accepted = 0;
  #port = 0;

  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => response.destroy(error));
  }).on('connection', (socket) => {
    this.accepted++;
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
  });

  /** Listens; after `close`, again on the same port. */
  async open(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  /** `http://127.0.0.1:<port>`, without trailing slash. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  url(path: string): string {
    return this.origin + path;
  }

  /**
   * Sets what a path (with or without query) answers, for one method (`POST /token`) or all (`/token`). A list
   * is taken in order, and its last answer repeated. Paths that were never set answer 404.
   */
  on(route: string, answer: FakeRoute): this {
    this.#routes.set(route, answering(answer));
    return this;
  }

  /** Answers every request like this, whatever the routes say; `undefined` gives them back their say. */
  everything(answer: FakeRoute | undefined): this {
    this.#everything = answer && answering(answer);
    return this;
  }

  /** How many requests for this path (with or without query) came, by any method or the one named before it. */
  count(route: string): number {
    return this.requests.filter((request) => names(request).includes(route)).length;
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await see(request);
    this.requests.push(seen);
    const route = names(seen).find((name) => this.#routes.has(name)) ?? '';
    const answer = (await (this.#everything ?? this.#routes.get(route))?.(seen)) ?? { status: 404 };
    this.answered.push(`${seen.url} ${statusOf(answer, seen)}`);
    if (answer.delayMs) await later(answer.delayMs);
    await play(answer, seen, response);
  }
}

/** A fake server that is closed with the test, or the tests of the file. */
export async function fakeServer(): Promise<FakeServer> {
  const server = await new FakeServer().open();
  cleanup(() => server.close());
  return server;
}

/** A list is taken in order, and its last answer repeated. */
function answering(route: FakeRoute): Answering {
  if (typeof route === 'function') return route;
  const answers = [route].flat();
  let turn = 0;
  return () => answers[Math.min(turn++, answers.length - 1)] ?? { status: 404 };
}

/** The route names that a request answers to, the most precise first. */
function names({ method, url }: SeenRequest): string[] {
  const path = url.replace(/\?.*/, '');
  return [`${method} ${url}`, `${method} ${path}`, url, path];
}

async function see(request: IncomingMessage): Promise<SeenRequest> {
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: await text(request) };
}

/** 304 to whoever has the answer with this tag already. */
function statusOf({ etag, status = 200 }: FakeAnswer, { headers }: SeenRequest): number {
  return etag !== undefined && headers['if-none-match'] === etag ? 304 : status;
}

async function play(answer: FakeAnswer, seen: SeenRequest, response: ServerResponse): Promise<void> {
  if (answer.hang === 'answer') return;
  if (answer.drop) return void response.destroy();
  const { type, bytes } = bytesOf(answer.body);
  const status = statusOf(answer, seen);
  if (answer.etag) response.setHeader('etag', answer.etag);
  if (answer.etag && status === 304) return void response.writeHead(304).end();
  if (type) response.setHeader('content-type', type);
  if (!answer.endless && answer.truncate !== 'chunks') response.setHeader('content-length', bytes.length);
  response.writeHead(status, answer.headers);
  if (answer.endless) return pipeline(repeated(bytes), response);
  if (!answer.hang && !answer.truncate) return void response.end(bytes);
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  response.write(half, () => answer.truncate && response.destroy());
}

function bytesOf(body: FakeAnswer['body'] = ''): { type?: string; bytes: Uint8Array } {
  if (body instanceof Uint8Array) return { bytes: body };
  if (typeof body === 'string') return { bytes: Buffer.from(body) };
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
}

function* repeated(bytes: Uint8Array): Generator<Uint8Array> {
  for (;;) yield bytes;
}
