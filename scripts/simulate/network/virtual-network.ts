import type { Lookup } from '../../../src/lib/fetch/checked-lookup.js';
import type { OpenTransport } from '../../../src/lib/fetch/transport.js';
import type { Life } from '../time/life.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { Exchange } from './exchange.js';
import type { Host, Intermediary, NetworkObserver, Surroundings } from './hosts.js';
import { networkError } from './network-error.js';
import type { Weather } from './weather.js';
import type { VirtualServer } from './wire.js';

/** Hosts with names and addresses, and what they send one another. */
export class VirtualNetwork implements Surroundings {
  readonly #hosts = new Map<string, Host>();

  constructor(
    readonly time: VirtualTime,
    readonly weather: Weather,
    readonly observer: NetworkObserver,
  ) {}

  /** Gives a host its name; nobody answers there yet. */
  addHost(name: string, address: string): void {
    this.#hosts.set(name, {
      name,
      address,
      server: undefined,
      elsewhere: new Set(),
      intermediaries: new Set(),
      exchanges: new Set(),
    });
  }

  host(name: string): Host | undefined {
    return this.#hosts.get(name);
  }

  /** Begins to answer at a host. */
  attach(name: string, server: VirtualServer): void {
    this.#known(name).server = server;
  }

  /** Ends to answer at a host: what was under way to it breaks off, and new connections are refused. */
  detach(name: string): void {
    const host = this.#known(name);
    host.server = undefined;
    for (const exchange of [...host.exchanges]) exchange.serverEnded(name);
  }

  /** Puts something before a server, until the function that it returns is called. */
  interpose(name: string, intermediary: Intermediary): () => void {
    const { intermediaries } = this.#known(name);
    intermediaries.add(intermediary);
    return () => intermediaries.delete(intermediary);
  }

  /** Lines between hosts that cannot reach one another any more are dead, and neither side is told. */
  silenceSeparated(): void {
    for (const host of this.#hosts.values()) {
      for (const exchange of [...host.exchanges]) exchange.silenceIfSeparated();
    }
  }

  /** What is under way to and from a host is dead, and neither side is told; what comes later is not. */
  silence(name: string): void {
    for (const exchange of [...this.#known(name).exchanges]) exchange.silence();
  }

  /** Gives a name another address, until the function that it returns is called. */
  readdress(name: string, address: string): () => void {
    const { elsewhere } = this.#known(name);
    const other = { address };
    elsewhere.add(other);
    return () => elsewhere.delete(other);
  }

  /** The resolver of every host. */
  readonly lookup: Lookup = async (name) => {
    const host = this.#hosts.get(name);
    if (!host) throw networkError('ENOTFOUND', `getaddrinfo ENOTFOUND ${name}`);
    const { address } = [...host.elsewhere].at(-1) ?? host;
    return [{ address, family: 4 }];
  };

  /** What carries the requests of a process on a host, in place of the network of the operating system. */
  transportOf(from: string, life: Life): OpenTransport {
    return async (guard) => {
      let closed: Error | undefined;
      const open = new Set<Exchange>();
      return {
        request: async (url, request) => {
          if (closed) throw closed;
          const refusal = guard.refusedLiteral(url.hostname);
          if (refusal) throw refusal;
          const [address] = await new Promise<{ address: string }[]>((resolve, reject) => {
            guard.lookup(url.hostname, { all: true }, (error, addresses) => {
              if (error) reject(error);
              else resolve(typeof addresses === 'string' ? [{ address: addresses }] : addresses);
            });
          });
          this.observer.dialled(from, url.hostname, address?.address ?? '');
          const exchange = new Exchange(this, {
            ...{ from, url, request, life },
            ended: () => open.delete(exchange),
          });
          open.add(exchange);
          return exchange.answer;
        },
        destroy: async (error) => {
          closed = error;
          for (const exchange of [...open]) exchange.giveUp(error);
        },
      };
    };
  }

  #known(name: string): Host {
    const host = this.#hosts.get(name);
    if (!host) throw new Error(`there is no host ${name}`);
    return host;
  }
}
