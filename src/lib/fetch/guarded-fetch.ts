import { type Clock, systemClock } from '../clock.js';
import { explain } from '../faults.js';
import { ACCEPT_ENCODING } from './body-stream.js';
import { type Lookup, osLookup } from './checked-lookup.js';
import { drop, type FetchAnswer, fetchAnswer, type RawAnswer, startDeadline } from './fetch-answer.js';
import { FetchFailure } from './fetch-failure.js';
import { firstHop, type Hop, nextHop, redirectTarget, type Trust } from './hop.js';
import { hostRate } from './host-rate.js';
import { createConnections, type OpenTransport, type TransportRequest } from './transport.js';

export type { FetchAnswer } from './fetch-answer.js';
export { FetchFailure, type FetchFailureReason } from './fetch-failure.js';
export type { Trust } from './hop.js';

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
  readonly credentials?: Credentials | undefined;
  /**
   * Does it count for what strangers may have this node ask of one host (`hostRate`)? True when absent, and only for learned URLs.
   * What a redirect to another host leads to counts in any case. The time of the request begins when the first host may be asked.
   */
  readonly isCounted?: boolean;
}

/** The right to read private resources. */
export interface Credentials {
  /**
   * Headers that authenticate a request, asked for again for each hop (a DPoP proof names method and URL).
   * Not asked once a redirect has left the origin of the first URL: credentials never leave it.
   */
  authorize(request: { url: string; method: string }): Promise<Readonly<Record<string, string>>>;
  /** Told that they were answered with 401, after which the request is made once more. Absent where there is nothing to renew. */
  invalidate?(refusal: Pick<FetchAnswer, 'url' | 'headers'>): void;
}

/** Any status is an answer; what keeps an answer from being had is a `FetchFailure`. */
export type GuardedFetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;

/** A guarded fetch that somebody owns. */
export type ClosableFetch = GuardedFetch & {
  /** Ends what is under way (`aborted`), and all connections. */
  close(): Promise<void>;
};

export interface GuardedFetchOptions {
  /** Names the node to those it reads. */
  readonly userAgent: string;
  /** May learned URLs reach private addresses, too? */
  readonly allowPrivate: boolean;
  /** Bounds of a request that names none. The time covers the whole exchange, its body included. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Both are those of the operating system when absent. */
  readonly lookup?: Lookup;
  readonly transport?: OpenTransport;
  /** Measures the time of requests; the real clock when absent, because real connections do not follow another one. */
  readonly clock?: Clock;
}

const MAX_REDIRECTS = 5;
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'dpop'];

/**
 * The fetch that every request of the node to another server goes through: it checks addresses and redirects, and
 * keeps time and bytes within bounds.
 */
export function createGuardedFetch(options: GuardedFetchOptions): ClosableFetch {
  const { clock = systemClock, lookup = osLookup } = options;
  const connections = createConnections(lookup, options.allowPrivate, options.transport);
  const turnOf = hostRate(clock);
  const exchange = async (url: string, request: FetchRequest): Promise<FetchAnswer & Pick<Hop, 'atHome'>> => {
    const { method = 'GET', body = null, isCounted = true, signal } = request;
    const { maxBytes = options.maxBytes, timeoutMs = options.timeoutMs } = request;
    const first = firstHop(url, request.trust);
    let hop = first;
    if (hop.trust === 'learned' && isCounted) await turnOf(hop.url, signal).catch(givenUp);
    const deadline = startDeadline(hop.url.host, { timeoutMs, clock }, signal);
    try {
      for (let followed = 0; ; followed++) {
        const headers = await hopHeaders(options, request, hop, deadline.signal);
        const sent = { method, headers: Object.fromEntries(headers), body, signal: deadline.signal };
        const answer = await send(connections, hop, sent);
        const target = redirectTarget(answer.status, answer.headers);
        if (target === undefined)
          return { ...fetchAnswer({ ...answer, method, maxBytes, deadline }), atHome: hop.atHome };
        await drop(answer.raw);
        if (method !== 'GET' && method !== 'HEAD') throw redirects(`${hop.url.href} redirects a ${method}`);
        if (followed === MAX_REDIRECTS) throw redirects(`${first.url.href} leads to too many redirects`);
        const isAuthenticated = CREDENTIALS.some((name) => headers.has(name));
        hop = nextHop(hop, target, isAuthenticated);
        if (hop.trust === 'learned' && (isCounted || !hop.atHome)) await turnOf(hop.url, deadline.signal);
      }
    } catch (error) {
      deadline.release();
      throw error;
    }
  };
  const guardedFetch: GuardedFetch = async (url, request) => {
    const answer = await exchange(url, request);
    // A token may have run out. To another origin, none was sent.
    if (answer.status !== 401 || !answer.atHome || !request.credentials?.invalidate) return answer;
    await answer.discard();
    request.credentials.invalidate(answer);
    return exchange(url, request);
  };
  return Object.assign(guardedFetch, { close: () => connections.close() });
}

function givenUp(cause: unknown): never {
  throw new FetchFailure('aborted', 'the request was given up', cause);
}

const redirects = (message: string) => new FetchFailure('redirects', message);

async function hopHeaders(
  { userAgent }: GuardedFetchOptions,
  request: FetchRequest,
  hop: Hop,
  signal: AbortSignal,
): Promise<Headers> {
  const headers = new Headers();
  setAll(headers, request.headers ?? {}, hop);
  if (hop.atHome) setAll(headers, await credentialsFor(request, hop, signal), hop);
  else for (const name of CREDENTIALS) headers.delete(name);
  headers.set('user-agent', userAgent);
  headers.set('accept-encoding', ACCEPT_ENCODING);
  return headers;
}

async function credentialsFor(
  { credentials, method = 'GET' }: FetchRequest,
  { url }: Hop,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (!credentials) return {};
  signal.throwIfAborted();
  const authorized = credentials.authorize({ url: url.href, method });
  // An issuer may hang for longer than this exchange may last.
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([authorized, ended]).catch((cause: unknown) => {
    if (cause instanceof FetchFailure) throw cause;
    throw new FetchFailure('refused', `no credentials for ${url.href}: ${explain(cause)}`, cause);
  });
}

/** A value that no header field can hold is quoted in the error of `Headers`; it may be a secret, so that error goes no further. */
function setAll(headers: Headers, fields: Readonly<Record<string, string>>, { url }: Hop): void {
  for (const [name, value] of Object.entries(fields)) {
    try {
      headers.set(name, value);
    } catch {
      const why = `${url.host} cannot be sent the header field ${name}: its value is malformed`;
      throw new FetchFailure('refused', why);
    }
  }
}

/** Sends one request. The body of the answer is still to come. */
async function send(
  connections: ReturnType<typeof createConnections>,
  { url, trust }: Hop,
  request: TransportRequest,
): Promise<Pick<RawAnswer, 'status' | 'url' | 'headers' | 'raw'>> {
  const answer = await connections.request(url, trust, request).catch((error: unknown) => {
    throw failureOf(error, url);
  });
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return { status: answer.statusCode, url: url.href, headers, raw: answer.body };
}

function failureOf(error: unknown, url: URL): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new FetchFailure('timeout', `${url.host} does not answer`, error);
  // A name with several addresses fails with one error for each, and no message of its own.
  const said = error instanceof AggregateError ? error.errors[0] : error;
  return new FetchFailure('connection', `no answer from ${url.host}: ${explain(said)}`, error);
}
