import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type undici from 'undici';
import { checkedLookup, fewAtOnce, type Lookup, refusedLiteral } from './checked-lookup.js';
import { FetchFailure } from './fetch-failure.js';
import type { Trust } from './hop.js';

/** Where the connections of a transport may go. It asks before it opens one. */
export interface AddressGuard {
  /** Why no connection may go to this host, when it is written as an address. */
  readonly refusedLiteral: (host: string) => FetchFailure | undefined;
  /** The addresses of a name, all of them checked: a connection may go only to these. */
  readonly lookup: LookupFunction;
}

/** One request over a connection. Redirects are answers like others. */
export interface TransportRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Aborted when nobody waits for the answer, or the rest of it, any more. */
  readonly signal: AbortSignal;
}

export interface TransportAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it comes, not decompressed. Destroying it closes the connection. */
  readonly body: Readable;
}

/** Carries requests to other servers, over connections that it keeps. */
export interface Transport {
  request(url: URL, request: TransportRequest): Promise<TransportAnswer>;
  /** Ends what is under way with this error, and all connections. */
  destroy(error: Error): Promise<void>;
}

/** Opens a transport. What varies is the network: the real one in production, a virtual one in simulations. */
export type OpenTransport = (guard: AddressGuard) => Promise<Transport>;

/**
 * The network of the operating system. The library behind it is loaded when one is opened: it takes a tenth of a second
 * of every start, and nobody needs it before answers are given.
 */
export const openUndici: OpenTransport = async (guard) => {
  const { default: library } = await import('undici');
  const agent = guardedAgent(library, guard);
  return {
    request: (url, { method, ...request }) =>
      agent.request({
        ...request,
        method: method as undici.Dispatcher.HttpMethod,
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
      }),
    destroy: (error) => agent.destroy(error),
  };
};

function guardedAgent(
  { Agent, buildConnector }: typeof undici,
  { refusedLiteral, lookup }: AddressGuard,
): undici.Agent {
  const connect = buildConnector({ lookup });
  return new Agent({
    // Each exchange has its own deadline, which covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const refusal = refusedLiteral(target.hostname);
      if (refusal) queueMicrotask(() => callback(refusal, null));
      else connect(target, callback);
    },
  });
}

/**
 * The connections of a fetch. Configured and learned URLs have connections of their own: a request for a learned URL
 * is never sent over one that was opened without the check of its address. They are opened with the first request at the
 * latest.
 */
export class Agents {
  readonly #guards: Readonly<Record<Trust, AddressGuard>>;
  readonly #openTransport: OpenTransport;
  #transports: Promise<Readonly<Record<Trust, Transport>>> | undefined;
  #closed = false;

  constructor(lookup: Lookup, allowPrivate: boolean, openTransport: OpenTransport = openUndici) {
    this.#guards = { configured: guard(lookup, false), learned: guard(fewAtOnce(lookup), !allowPrivate) };
    this.#openTransport = openTransport;
  }

  /** @throws FetchFailure `aborted` when they are closed */
  async request(url: URL, trust: Trust, request: TransportRequest): Promise<TransportAnswer> {
    if (this.#closed) throw noMore();
    return (await this.open())[trust].request(url, request);
  }

  /** Makes ready what carries the requests, unless it is ready. */
  open(): Promise<Readonly<Record<Trust, Transport>>> {
    this.#transports ??= this.#openAll();
    return this.#transports;
  }

  /** Ends what is under way (`aborted`). */
  async close(): Promise<void> {
    this.#closed = true;
    const transports = Object.values((await this.#transports) ?? {});
    await Promise.all(transports.map((transport) => transport.destroy(noMore())));
  }

  async #openAll(): Promise<Record<Trust, Transport>> {
    const [configured, learned] = await Promise.all([
      this.#openTransport(this.#guards.configured),
      this.#openTransport(this.#guards.learned),
    ]);
    return { configured, learned };
  }
}

const noMore = () => new FetchFailure('aborted', 'the request was given up: no more requests are made');

function guard(lookup: Lookup, publicOnly: boolean): AddressGuard {
  return {
    refusedLiteral: (host) => (publicOnly ? refusedLiteral(host) : undefined),
    lookup: checkedLookup(lookup, publicOnly),
  };
}
