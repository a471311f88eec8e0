import type { Agent, Dispatcher } from 'undici';
import { checkedLookup, type Lookup, refusedLiteral } from './checked-lookup.js';
import { FetchFailure } from './fetch-failure.js';
import type { Trust } from './hop.js';

/**
 * The connections of a fetch. Configured and learned URLs have connections of their own: a request for a learned URL
 * is never sent over one that was opened without the check of its address. The library behind them is loaded with the first request: it takes a tenth of a second of
 * every start, and nobody needs it before answers are given.
 */
export class Agents {
  readonly #lookup: Lookup;
  readonly #allowPrivate: boolean;
  #agents: Promise<Readonly<Record<Trust, Agent>>> | undefined;
  #closed = false;

  constructor(lookup: Lookup, allowPrivate: boolean) {
    this.#lookup = lookup;
    this.#allowPrivate = allowPrivate;
  }

  /** @throws FetchFailure `aborted` when they are closed */
  async request(url: URL, trust: Trust, options: RequestOptions): Promise<Dispatcher.ResponseData> {
    if (this.#closed) throw noMore();
    this.#agents ??= this.#open();
    const agents = await this.#agents;
    const path = `${url.pathname}${url.search}`;
    return agents[trust].request({ ...options, origin: url.origin, path });
  }

  /** Ends what is under way (`aborted`). */
  async close(): Promise<void> {
    this.#closed = true;
    const agents = Object.values((await this.#agents) ?? {});
    await Promise.all(agents.map((agent) => agent.destroy(noMore())));
  }

  async #open(): Promise<Record<Trust, Agent>> {
    const library = await import('undici');
    const agent = (publicOnly: boolean) => guardedAgent(library, this.#lookup, publicOnly);
    return { configured: agent(false), learned: agent(!this.#allowPrivate) };
  }
}

type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path'>;

const noMore = () => new FetchFailure('aborted', 'the request was given up: no more requests are made');

function guardedAgent(
  { Agent, buildConnector }: typeof import('undici'),
  lookup: Lookup,
  publicOnly: boolean,
): Agent {
  const connect = buildConnector({ lookup: checkedLookup(lookup, publicOnly) });
  return new Agent({
    // Each exchange has its own deadline, which covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const refusal = publicOnly ? refusedLiteral(target.hostname) : undefined;
      if (refusal) queueMicrotask(() => callback(refusal, null));
      else connect(target, callback);
    },
  });
}
