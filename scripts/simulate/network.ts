/** Hosts with names and addresses, and what they send one another over wires that faults can disturb. */
import { Readable } from 'node:stream';
import type { Random } from '../../src/lib/clock.js';
import type { Lookup } from '../../src/lib/fetch/checked-lookup.js';
import type { OpenTransport, TransportAnswer, TransportRequest } from '../../src/lib/fetch/transport.js';
import type { Life, VirtualTime } from './time.js';

/** What answers at a host. */
export type Server = (request: Request) => Promise<Response>;

/** Stands before a server, and makes of its answers what it likes. */
export type Intermediary = (request: Request, server: Server) => Promise<Response>;

/** One exchange that has ended, or whose endless answer has begun. */
export interface Traffic {
  readonly from: string;
  readonly method: string;
  readonly to: string;
  /** Path and query. */
  readonly target: string;
  /** Or why there was no answer. */
  readonly status: number | string;
  /** Of heads and bodies, both ways, before compression. */
  readonly bytes: number;
  /** Of the body of the answer, where that is whole. */
  readonly bodyBytes: number;
  /** Does the answer go on until one side ends it? */
  readonly isLine: boolean;
}

export interface NetworkObserver {
  /** A connection is opened. */
  dialled?(from: string, host: string, address: string): void;
  exchanged?(traffic: Traffic): void;
  /** A piece of an endless answer has come. */
  carried?(from: string, target: string, bytes: number): void;
}

/** Ms that every way takes at least, and that it may take longer; bytes in a millisecond. */
const LATENCY = { least: 5, spread: 60 } as const;
const BANDWIDTH = 2000;

/** Parts of exchanges that go wrong, from 0 to 1: no answer comes, the connection is lost, half of the body comes. */
export interface Troubles {
  readonly lost: number;
  readonly reset: number;
  readonly cut: number;
}

const worth = ({ lost, reset, cut }: Troubles) => lost + reset + cut;

interface Host {
  readonly address: string;
  /** Where its name leads instead, the last one first of all. */
  readonly elsewhere: Set<{ readonly address: string }>;
  server: Server | undefined;
  readonly intermediaries: Set<Intermediary>;
  /** What is under way from it, and to it. */
  readonly exchanges: Set<Exchange>;
}

export class VirtualNetwork {
  readonly observers: NetworkObserver[] = [];
  readonly #random: Random;
  readonly #hosts = new Map<string, Host>();
  readonly #troubled = new Set<{ readonly host: string | undefined; readonly troubles: Troubles }>();
  readonly #walls = new Set<(from: string, to: string) => boolean>();

  constructor(
    readonly time: VirtualTime,
    random: Random,
  ) {
    this.#random = random;
  }

  /** Gives a host its name; nobody answers there yet. */
  addHost(name: string, address: string, server?: Server): void {
    const [elsewhere, intermediaries, exchanges] = [new Set<never>(), new Set<never>(), new Set<never>()];
    this.#hosts.set(name, { address, server, elsewhere, intermediaries, exchanges });
  }

  /** Ends to answer at a host: what was under way to it breaks off, and new connections are refused. */
  detach(name: string): void {
    this.host(name).server = undefined;
    for (const exchange of [...this.host(name).exchanges]) exchange.serverEnded(name);
  }

  attach(name: string, server: Server): void {
    this.host(name).server = server;
  }

  /** What is under way to and from a host is dead, and neither side is told; what comes later is not. */
  silence(name: string): void {
    for (const exchange of [...this.host(name).exchanges]) exchange.silence();
  }

  // What follows holds until the function is called that is returned.

  interpose(name: string, intermediary: Intermediary): () => void {
    return whileIn(this.host(name).intermediaries, intermediary);
  }

  readdress(name: string, address: string): () => void {
    return whileIn(this.host(name).elsewhere, { address });
  }

  /** Makes what goes to a host go wrong, or to all of them. */
  trouble(troubles: Troubles, host?: string): () => void {
    return whileIn(this.#troubled, { host, troubles });
  }

  /** Nothing comes through between some hosts, as they ask and are asked; lines between them are dead, and neither side is told. */
  separate(isBetween: (from: string, to: string) => boolean): () => void {
    const heal = whileIn(this.#walls, isBetween);
    for (const { exchanges } of this.#hosts.values())
      for (const exchange of [...exchanges]) if (this.isSeparated(exchange)) exchange.silence();
    return heal;
  }

  isSeparated({ from, to }: { readonly from: string; readonly to: string }): boolean {
    return [...this.#walls].some((isBetween) => isBetween(from, to));
  }

  latency(): number {
    return LATENCY.least + Math.floor(this.#random() * LATENCY.spread);
  }

  /** What becomes of an exchange. */
  fate(to: string): keyof Troubles | undefined {
    let worst: Troubles | undefined;
    for (const { host, troubles } of this.#troubled)
      if ((host ?? to) === to && worth(troubles) > (worst ? worth(worst) : 0)) worst = troubles;
    if (!worst) return undefined;
    const drawn = this.#random();
    if (drawn < worst.lost) return 'lost';
    if (drawn < worst.lost + worst.reset) return 'reset';
    return drawn < worth(worst) ? 'cut' : undefined;
  }

  /** @throws Error for a name that no host has */
  host(name: string): Host {
    const host = this.#hosts.get(name);
    if (!host) throw new Error(`there is no host ${name}`);
    return host;
  }

  /** The server of a host with what stands before it; none where nobody answers. */
  serverOf(name: string): Server | undefined {
    const { server, intermediaries } = this.host(name);
    if (!server) return undefined;
    return [...intermediaries].reduce<Server>((inner, outer) => (asked) => outer(asked, inner), server);
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
      const addressOf = (host: string) =>
        new Promise<string>((resolve, reject) => {
          guard.lookup(host, { all: true }, (error, found) => {
            if (error) reject(error);
            else resolve((typeof found === 'string' ? found : found[0]?.address) ?? '');
          });
        });
      return {
        request: async (url, request) => {
          const refusal = closed ?? guard.refusedLiteral(url.hostname);
          if (refusal) throw refusal;
          const address = await addressOf(url.hostname);
          for (const one of this.observers) one.dialled?.(from, url.hostname, address);
          const ended = () => open.delete(exchange);
          const exchange = new Exchange(this, { from, url, request, life, ended });
          open.add(exchange);
          return exchange.answer;
        },
        destroy: async (error) => {
          closed = error;
          for (const exchange of [...open]) exchange.end(error);
        },
      };
    };
  }
}

function whileIn<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => set.delete(item);
}

/** An error as the operating system tells it. */
function networkError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Bytes of a head on the wire, about: the first line, and each header field with its separators. */
function headBytes(firstLine: string, headers: Iterable<readonly [string, string]>): number {
  let bytes = firstLine.length + 4;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  return bytes;
}

/** Does an answer go on until one side ends it: events of a node, or notifications of a pod? */
function isEndless(url: URL, { headers, body }: Response): boolean {
  if (!body) return false;
  return url.pathname.startsWith('/.notifications/') || headers.get('content-type') === 'text/event-stream';
}

interface ExchangeParts {
  readonly from: string;
  readonly url: URL;
  readonly request: TransportRequest;
  /** Of the process that asks. */
  readonly life: Life;
  /** Called when nothing more comes of it. */
  readonly ended: () => void;
}

/** One request and its answer on their way through the virtual network. */
class Exchange {
  readonly answer: Promise<TransportAnswer>;
  readonly #network: VirtualNetwork;
  readonly #parts: ExchangeParts;
  readonly #fate: keyof Troubles | undefined;
  #resolve: (answer: TransportAnswer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #isOver = false;
  /** Nothing comes through any more, and neither side knows. */
  #isSilent: boolean;
  #body: Readable | undefined;
  /** Tells the server that nobody listens any more. */
  #leave: () => void = () => undefined;
  /** A process that has ended hears of nothing. */
  readonly #stayAlive: () => void;

  constructor(network: VirtualNetwork, parts: ExchangeParts) {
    this.#network = network;
    this.#parts = parts;
    this.#fate = network.fate(this.to);
    this.#isSilent = this.#fate === 'lost' || network.isSeparated(this);
    for (const name of [this.from, this.to]) network.host(name).exchanges.add(this);
    this.#stayAlive = parts.life.atEnd(() => this.#release());
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = parts.request;
    if (signal.aborted) this.#abort();
    signal.addEventListener('abort', this.#abort);
    if (!this.#isSilent) network.time.after(network.latency(), () => void this.#arrive());
  }

  get from(): string {
    return this.#parts.from;
  }

  get to(): string {
    return this.#parts.url.hostname;
  }

  serverEnded(name: string): void {
    if (name === this.to) this.#back(() => this.end(this.#wasReset()));
  }

  silence(): void {
    this.#isSilent = true;
  }

  /** The one who asks ends it, or something does on the way. */
  end(error: unknown): void {
    if (this.#isOver) return;
    this.#release();
    this.#reject(error);
    this.#body?.destroy(error instanceof Error ? error : new Error('it was given up', { cause: error }));
  }

  readonly #abort = () => this.end(this.#parts.request.signal.reason);

  #wasReset(): Error {
    return networkError('ECONNRESET', `read ECONNRESET ${this.to}`);
  }

  async #arrive(): Promise<void> {
    if (this.#isOver || this.#isSilent) return;
    const { url, request } = this.#parts;
    const server = this.#network.serverOf(this.to);
    if (!server) return this.#fail(networkError('ECONNREFUSED', `connect ECONNREFUSED ${this.to}`));
    if (this.#fate === 'reset') return this.#fail(this.#wasReset());
    try {
      const { method, headers, body } = request;
      const response = await server(new Request(url, { method, headers: { ...headers }, body }));
      if (isEndless(url, response)) return this.#back(() => this.#begin(response));
      const bytes = new Uint8Array(await response.arrayBuffer());
      this.#back(() => this.#deliver(response, bytes), bytes.length);
    } catch {
      this.#fail(this.#wasReset());
    }
  }

  /** Something comes back to the one who asks, after the time that the way takes. */
  #back(arrive: () => void, bytes = 0): void {
    const { time } = this.#network;
    time.after(this.#network.latency() + bytes / BANDWIDTH, () => this.#parts.life.run(arrive));
  }

  #fail(error: Error): void {
    this.#back(() => {
      if (this.#isOver || this.#isSilent) return;
      this.#tell(error.message, 0, 0);
      this.end(error);
    });
  }

  #deliver(response: Response, bytes: Uint8Array): void {
    if (this.#isOver || this.#isSilent) return;
    const isCut = this.#fate === 'cut' && bytes.length > 0;
    const body = new Readable({ read: () => undefined });
    this.#answer(response, body, bytes.length);
    if (bytes.length > 0) body.push(isCut ? bytes.subarray(0, bytes.length >> 1) : bytes);
    if (isCut) {
      this.#back(() => this.end(this.#wasReset()));
      return;
    }
    body.push(null);
    this.#release();
  }

  /** Begins an answer that goes on until one side ends it. */
  #begin(response: Response): void {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    this.#leave = () => void reader.cancel().catch(() => undefined);
    if (this.#isOver || this.#isSilent) {
      this.#leave();
      return;
    }
    const destroy: ConstructorParameters<typeof Readable>[0] = {
      read: () => undefined,
      destroy: (error, done) => {
        this.#release();
        done(error);
      },
    };
    const body = new Readable(destroy);
    this.#answer(response, body);
    void this.#carryAll(reader, body);
  }

  /** Whatever has set out on a line arrives in order, unless the line is dead by then. */
  async #carryAll(reader: ReadableStreamDefaultReader<Uint8Array>, body: Readable): Promise<void> {
    const way = this.#network.latency();
    const carry = (arrive: () => void) => {
      if (this.#isOver || this.#isSilent) return;
      this.#network.time.after(way, () => {
        this.#parts.life.run(() => {
          if (!this.#isOver && !this.#isSilent) arrive();
        });
      });
    };
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        const { value } = piece;
        carry(() => {
          body.push(value);
          const { pathname, search } = this.#parts.url;
          for (const one of this.#network.observers)
            one.carried?.(this.from, pathname + search, value.length);
        });
      }
      carry(() => body.push(null));
    } catch {
      carry(() => this.end(this.#wasReset()));
    }
  }

  /** @param bytes of the body; none where it is endless */
  #answer({ status, headers }: Response, body: Readable, bytes?: number): void {
    this.#tell(status, headBytes('HTTP/1.1 200', headers), bytes);
    this.#body = body;
    this.#resolve({ statusCode: status, headers: Object.fromEntries(headers), body });
  }

  #tell(status: number | string, head: number, body?: number): void {
    const { from, to } = this;
    const { url, request } = this.#parts;
    const { method, headers, body: sent } = request;
    const target = url.pathname + url.search;
    const asked = headBytes(`${method} ${target} HTTP/1.1`, Object.entries(headers)) + (sent?.length ?? 0);
    const bytes = asked + head + (body ?? 0);
    const told = {
      from,
      method,
      to,
      target,
      status,
      bytes,
      bodyBytes: body ?? 0,
      isLine: body === undefined,
    };
    for (const one of this.#network.observers) one.exchanged?.(told);
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stayAlive();
    this.#parts.request.signal.removeEventListener('abort', this.#abort);
    for (const name of [this.from, this.to]) this.#network.host(name).exchanges.delete(this);
    this.#parts.ended();
    this.#leave();
  }
}
