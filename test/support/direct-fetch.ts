import { FetchFailure, type GuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import type { FakeAnswer, SeenRequest } from './fake-server.js';

/** An answer, or how the fetch refuses it. */
export type DirectAnswer = FakeAnswer & { readonly tooLarge?: boolean };

/** What a request came to. */
export interface Exchange {
  readonly url: string;
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

/**
 * A fetch without a network: each origin is answered by a function. For histories of thousands of polls, which no socket
 * could carry in time. An origin that nobody answers for is down.
 */
export class DirectNetwork {
  readonly exchanges: Exchange[] = [];
  readonly #origins = new Map<string, (request: SeenRequest) => Promise<DirectAnswer | undefined>>();

  answer(origin: string, answer: (request: SeenRequest) => Promise<DirectAnswer | undefined>): void {
    this.#origins.set(origin, answer);
  }

  fetch: GuardedFetch = async (url, { headers = {}, signal, method = 'GET' }) => {
    signal?.throwIfAborted();
    const { origin, pathname, search } = new URL(url);
    const answer = this.#origins.get(origin);
    if (!answer) throw new FetchFailure('connection', `nobody listens at ${origin}`);
    const given = (await answer({ method, url: pathname + search, headers, body: '' })) ?? { status: 404 };
    signal?.throwIfAborted();
    if (given.tooLarge) throw new FetchFailure('too-large', 'the body is larger than may be read');
    if (given.truncate) throw new FetchFailure('truncated', 'the body broke off');
    if (given.drop) throw new FetchFailure('connection', 'the connection was closed');
    const isSame = given.etag !== undefined && headers['if-none-match'] === given.etag;
    const status = isSame ? 304 : (given.status ?? 200);
    const body = isSame ? new Uint8Array() : bytesOf(given.body);
    this.exchanges.push({ url, status, bytes: body.length });
    return {
      ...{ status, url },
      headers: new Headers({
        ...(typeof given.body === 'object' ? { 'content-type': 'application/json' } : {}),
        ...(given.etag ? { etag: given.etag } : {}),
        ...(given.headers as Record<string, string>),
      }),
      body: (async function* () {
        yield body;
      })(),
      bytes: async () => body.slice(),
      text: async () => new TextDecoder().decode(body),
      discard: async () => undefined,
    };
  };
}

function bytesOf(body: FakeAnswer['body'] = ''): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
