import { checkedLookup, type Lookup, refusedLiteral } from './checked-lookup.js';
import { FetchFailure } from './fetch-failure.js';
import type { Trust } from './hop.js';
import {
  type AddressGuard,
  type OpenTransport,
  openUndici,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.js';

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
    this.#guards = { configured: guard(lookup, false), learned: guard(lookup, !allowPrivate) };
    this.#openTransport = openTransport;
  }

  /** @throws FetchFailure `aborted` when they are closed */
  async request(url: URL, trust: Trust, request: TransportRequest): Promise<TransportAnswer> {
    if (this.#closed) throw noMore();
    const transports = await this.open();
    return transports[trust].request(url, request);
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
