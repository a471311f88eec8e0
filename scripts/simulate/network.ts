/** Hosts with names and addresses, and what they send one another over wires that faults can disturb. */
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
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

type Wall = (from: string, to: string) => boolean;

interface Host {
  readonly address: string;
  server: Server | undefined;
  readonly intermediaries: Set<Intermediary>;
}

export class VirtualNetwork {
  readonly observers: NetworkObserver[] = [];
  /** What is under way. */
  readonly exchanges = new Set<Exchange>();
  readonly #random: Random;
  readonly #hosts = new Map<string, Host>();
  readonly #troubled = new Set<{ readonly host: string | undefined; readonly troubles: Troubles }>();
  readonly #walls = new Set<Wall>();

  constructor(
    readonly time: VirtualTime,
    random: Random,
  ) {
    this.#random = random;
  }

  addHost(name: string, address: string, server?: Server): void {
    this.#hosts.set(name, { address, server, intermediaries: new Set() });
  }

  /** Replaces the server of a host; without one, connections are refused. */
  attach(name: string, server: Server | undefined): void {
    this.#host(name).server = server;
  }

  // What follows holds until the function is called that is returned.

  interpose(name: string, intermediary: Intermediary): () => void {
    return whileIn(this.#host(name).intermediaries, intermediary);
  }

  /** Makes what goes to a host go wrong, or to all of them. */
  trouble(troubles: Troubles, host?: string): () => void {
    return whileIn(this.#troubled, { host, troubles });
  }

  /** Nothing comes through between some hosts, as they ask and are asked; lines between them are dead, and neither side is told. */
  separate(isBetween: Wall): () => void {
    const heal = whileIn(this.#walls, isBetween);
    for (const exchange of this.exchanges) exchange.isSilent ||= this.isSeparated(exchange);
    return heal;
  }

  isSeparated({ from, to }: { readonly from: string; readonly to: string }): boolean {
    return [...this.#walls].some((isBetween) => isBetween(from, to));
  }

  latency(): number {
    return LATENCY.least + Math.floor(this.#random() * LATENCY.spread);
  }

  /** What goes wrong with an exchange; of several troubles, the one that was made last counts. */
  fate(to: string): keyof Troubles | undefined {
    const { troubles } = [...this.#troubled].findLast(({ host }) => (host ?? to) === to) ?? {};
    if (!troubles) return undefined;
    let drawn = this.#random();
    return (['lost', 'reset', 'cut'] as const).find((fate) => {
      drawn -= troubles[fate];
      return drawn < 0;
    });
  }

  /** The server of a host with what stands before it; none where nobody answers. */
  serverOf(name: string): Server | undefined {
    const { server, intermediaries } = this.#host(name);
    if (!server) return undefined;
    return [...intermediaries].reduce<Server>((inner, outer) => (asked) => outer(asked, inner), server);
  }

  /** The resolver of every host. */
  readonly lookup: Lookup = async (name) => [{ address: this.#host(name).address, family: 4 }];

  /** What carries the requests of a process on a host, in place of the network of the operating system. */
  transportOf(from: string, life: Life): OpenTransport {
    return async (lookup) => {
      const closing = new AbortController();
      setMaxListeners(0, closing.signal);
      const addressOf = promisify<string, object, readonly { address: string }[]>(lookup as never);
      return {
        request: async (url, request) => {
          closing.signal.throwIfAborted();
          const [{ address } = { address: '' }] = await addressOf(url.hostname, { all: true });
          for (const one of this.observers) one.dialled?.(from, url.hostname, address);
          return new Exchange(this, { from, url, request, life, closing: closing.signal }).answer;
        },
        destroy: async (error) => closing.abort(error),
      };
    };
  }

  #host(name: string): Host {
    const host = this.#hosts.get(name);
    if (!host) throw networkError('ENOTFOUND', name);
    return host;
  }
}

function whileIn<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => set.delete(item);
}

/** An error as the operating system tells it. */
function networkError(code: string, host: string): Error {
  return Object.assign(new Error(`${code} ${host}`), { code });
}

/** Bytes of a head on the wire, about: the first line, and each header field with its separators. */
function headBytes(firstLine: string, headers: Iterable<readonly [string, string]>): number {
  let bytes = firstLine.length + 4;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  return bytes;
}

/** Does an answer go on until one side ends it: events of a node, or notifications of a pod? */
export function isEndless(url: string, { headers, body }: Response): boolean {
  return (
    body !== null && (/\/\.notifications\//.test(url) || headers.get('content-type') === 'text/event-stream')
  );
}

interface ExchangeParts {
  readonly from: string;
  readonly url: URL;
  readonly request: TransportRequest;
  /** Of the process that asks. */
  readonly life: Life;
  /** Aborted when that process ends all that is under way. */
  readonly closing: AbortSignal;
}

/** One request and its answer on their way through the virtual network. */
class Exchange {
  readonly from: string;
  readonly to: string;
  readonly answer: Promise<TransportAnswer>;
  /** Nothing comes through any more, and neither side knows. */
  isSilent: boolean;
  readonly #network: VirtualNetwork;
  readonly #parts: ExchangeParts;
  readonly #fate: keyof Troubles | undefined;
  #resolve: (answer: TransportAnswer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #isOver = false;
  #body: Readable | undefined;
  /** What an endless answer is read with on the side of its server. */
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** A process that has ended hears of nothing. */
  readonly #stayAlive: () => void;

  constructor(network: VirtualNetwork, parts: ExchangeParts) {
    [this.#network, this.#parts] = [network, parts];
    [this.from, this.to] = [parts.from, parts.url.hostname];
    this.#fate = network.fate(this.to);
    this.isSilent = this.#fate === 'lost' || network.isSeparated(this);
    network.exchanges.add(this);
    this.#stayAlive = parts.life.atEnd(() => this.#release());
    this.answer = new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
    });
    for (const signal of this.#signals) signal.addEventListener('abort', this.#abort);
    if (parts.request.signal.aborted) this.#abort();
    network.time.after(network.latency(), () => void this.#arrive());
  }

  get #signals(): readonly AbortSignal[] {
    return [this.#parts.request.signal, this.#parts.closing];
  }

  readonly #abort = () => this.#end(this.#signals.find(({ aborted }) => aborted)?.reason);

  /** The one who asks ends it, or something does on the way. */
  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#release();
    this.#reject(error);
    this.#body?.destroy(error instanceof Error ? error : new Error('it was given up', { cause: error }));
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stayAlive();
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#abort);
    this.#network.exchanges.delete(this);
    // The server of an endless answer is told that nobody listens any more.
    this.#reader?.cancel().catch(() => undefined);
  }

  async #arrive(): Promise<void> {
    if (this.#isOver || this.isSilent) return;
    const { url, request } = this.#parts;
    const server = this.#network.serverOf(this.to);
    if (!server) return this.#fail('ECONNREFUSED');
    if (this.#fate === 'reset') return this.#fail('ECONNRESET');
    try {
      const { method, headers, body } = request;
      const response = await server(new Request(url, { method, headers: { ...headers }, body }));
      if (isEndless(url.href, response)) await this.#stream(response);
      else this.#deliver(response, new Uint8Array(await response.arrayBuffer()));
    } catch {
      this.#fail('ECONNRESET');
    }
  }

  /** Something comes back to the one who asks, after the time that the way takes, unless all is over by then. */
  #back(arrive: () => void, bytes = 0, way = this.#network.latency()): void {
    const arriveAlive = () => {
      if (!this.#isOver && !this.isSilent) arrive();
    };
    this.#network.time.after(way + bytes / BANDWIDTH, () => this.#parts.life.run(arriveAlive));
  }

  #fail(code: string): void {
    const error = networkError(code, this.to);
    this.#back(() => {
      this.#tell(error.message);
      this.#end(error);
    });
  }

  #deliver(response: Response, bytes: Uint8Array): void {
    const isCut = this.#fate === 'cut' && bytes.length > 0;
    this.#back(() => {
      this.#answer(response, bytes.length);
      this.#body?.push(isCut ? bytes.subarray(0, bytes.length >> 1) : bytes);
      if (isCut) return this.#back(() => this.#end(networkError('ECONNRESET', this.to)));
      this.#body?.push(null);
      this.#release();
    }, bytes.length);
  }

  /** Begins an answer that goes on until one side ends it. Whatever has set out arrives in order, unless the line is dead. */
  async #stream(response: Response): Promise<void> {
    const way = this.#network.latency();
    const reader = response.body?.getReader();
    this.#reader = reader;
    if (this.#isOver || this.isSilent) await reader?.cancel();
    this.#back(() => this.#answer(response), 0, way);
    const { pathname, search } = this.#parts.url;
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        const piece = part.value;
        this.#back(
          () => {
            this.#body?.push(piece);
            for (const one of this.#network.observers)
              one.carried?.(this.from, pathname + search, piece.length);
          },
          0,
          way,
        );
      }
      this.#back(() => this.#body?.push(null), 0, way);
    } catch {
      this.#back(() => this.#end(networkError('ECONNRESET', this.to)), 0, way);
    }
  }

  /** @param bytes of the body; none where it is endless */
  #answer({ status, headers }: Response, bytes = 0): void {
    this.#tell(status, headBytes('HTTP/1.1 200', headers), bytes);
    const body = new Readable({
      read: () => undefined,
      destroy: (error, done) => {
        this.#release();
        done(error);
      },
    });
    this.#body = body;
    this.#resolve({ statusCode: status, headers: Object.fromEntries(headers), body });
  }

  #tell(status: number | string, head = 0, bodyBytes = 0): void {
    const { from, to } = this;
    const { url, request } = this.#parts;
    const { method, headers, body } = request;
    const target = url.pathname + url.search;
    const asked = headBytes(`${method} ${target} HTTP/1.1`, Object.entries(headers)) + (body?.length ?? 0);
    const told = { from, method, to, target, status, bytes: asked + head + bodyBytes, bodyBytes };
    for (const one of this.#network.observers) one.exchanged?.(told);
  }
}
