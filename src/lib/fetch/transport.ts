import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { checkedLookup, fewAtOnce, type Lookup, refuseLiteral } from './checked-lookup.js';
import { FetchFailure } from './fetch-failure.js';
import type { Trust } from './hop.js';

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
interface Transport {
  request(url: URL, request: TransportRequest): Promise<TransportAnswer>;
  /** Ends what is under way with this error, and all connections. */
  destroy(error: Error): Promise<void>;
}

/**
 * Opens a transport. What varies is the network: the real one in production, a virtual one in simulations.
 * @param lookup the addresses of a name, all of them checked: a connection may go only to these
 */
export type OpenTransport = (lookup: LookupFunction) => Promise<Transport>;

/** The network of the operating system. Its library is loaded when it is opened: that takes a tenth of a second of a start. */
const openUndici: OpenTransport = async (lookup) => {
  const { default: undici } = await import('undici');
  // Each exchange has its own deadline, which covers these.
  const agent = new undici.Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { lookup } });
  return {
    request: ({ origin, pathname, search }, { method, ...request }) =>
      agent.request({ ...request, method: method as Dispatcher.HttpMethod, origin, path: pathname + search }),
    destroy: (error) => agent.destroy(error),
  };
};

const noMore = () => new FetchFailure('aborted', 'the request was given up: no more requests are made');

/**
 * The connections of a fetch, opened with the first request. Configured and learned URLs have connections of their
 * own: a request for a learned URL is never sent over one that was opened without the check of its address.
 */
export function createConnections(
  lookup: Lookup,
  allowPrivate: boolean,
  openTransport: OpenTransport = openUndici,
) {
  let isClosed = false;
  let transports: Promise<Readonly<Record<Trust, Transport>>> | undefined;
  const open = async () => {
    const [configured, learned] = await Promise.all([
      openTransport(checkedLookup(lookup, false)),
      openTransport(checkedLookup(fewAtOnce(lookup), !allowPrivate)),
    ]);
    return { configured, learned };
  };
  return {
    /** @throws FetchFailure `refused`, or `aborted` when they are closed */
    async request(url: URL, trust: Trust, request: TransportRequest): Promise<TransportAnswer> {
      if (isClosed) throw noMore();
      if (trust === 'learned' && !allowPrivate) refuseLiteral(url);
      transports ??= open();
      return (await transports)[trust].request(url, request);
    },
    /** Ends what is under way (`aborted`). */
    async close(): Promise<void> {
      isClosed = true;
      const opened = Object.values((await transports) ?? {});
      await Promise.all(opened.map((transport) => transport.destroy(noMore())));
    },
  };
}
