/** Hosts with names and addresses, and what they send one another over wires that faults can disturb. */
import { EventEmitter, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Random } from '../../src/lib/clock.js';
import type { Lookup } from '../../src/lib/fetch/checked-lookup.js';
import type { OpenTransport, TransportAnswer, TransportRequest } from '../../src/lib/fetch/transport.js';
import type { Reading } from './keep.js';
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

/** What is told of a simulated network to those who count and watch. */
interface Told {
  /** A node has stored what it has read. */
  committed: [node: string, reading: Reading];
  /** A document of a pod was written, or deleted: then it has no label. */
  changed: [pod: string, document: string, label: string | undefined];
  /** A connection is opened. */
  dialled: [from: string, host: string, address: string];
  exchanged: [Traffic];
  /** A piece of an endless answer has come. */
  carried: [from: string, target: string, bytes: number];
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
  readonly server: Server;
  readonly intermediaries: Set<Intermediary>;
}

export class VirtualNetwork extends EventEmitter<Told> {
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
    super();
    this.#random = random;
  }

  /** @param server throws an error of the network where nobody answers */
  addHost(name: string, address: string, server: Server): void {
    this.#hosts.set(name, { address, server, intermediaries: new Set() });
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

  /** What a host answers, with what stands before it. */
  async ask(name: string, request: Request): Promise<Response> {
    const { server, intermediaries } = this.#host(name);
    const all = [...intermediaries].reduce<Server>((inner, outer) => (asked) => outer(asked, inner), server);
    return all(request);
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
          this.emit('dialled', from, url.hostname, address);
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
export function networkError(code: string, host: string): Error {
  return Object.assign(new Error(`${code} ${host}`), { code });
}

/** Does an answer go on until one side ends it: events of a node, or notifications of a pod? */
export function isEndless(url: string, { headers, body }: Response): boolean {
  const isEvents = headers.get('content-type') === 'text/event-stream';
  return body !== null && (isEvents || url.includes('/.notifications/'));
}

/** Bytes of a head on the wire, about: the first line, and each header field with its separators. */
function headBytes(firstLine: string, headers: Iterable<readonly [string, string]>): number {
  return [...headers].reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    firstLine.length + 4,
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
  #isOver = false;
  /** What is undone when it is over. */
  readonly #ends: (() => void)[] = [];
  /** Tells the one who asks that no more comes. */
  #fail: (error: Error) => void = () => undefined;

  constructor(network: VirtualNetwork, parts: ExchangeParts) {
    [this.#network, this.#parts] = [network, parts];
    [this.from, this.to] = [parts.from, parts.url.hostname];
    this.#fate = network.fate(this.to);
    this.isSilent = this.#fate === 'lost' || network.isSeparated(this);
    network.exchanges.add(this);
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.answer = Promise.race([failed, this.#carry()]);
    for (const signal of [parts.request.signal, parts.closing]) {
      const abort = () => this.#breakOff(signal.reason);
      signal.addEventListener('abort', abort);
      this.#ends.push(() => signal.removeEventListener('abort', abort));
      if (signal.aborted) abort();
    }
    // A process that has ended hears of nothing.
    this.#ends.push(parts.life.atEnd(() => this.#release()));
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#network.exchanges.delete(this);
    for (const end of this.#ends) end();
  }

  /** The one who asks ends it, or something does on the way. */
  #breakOff(reason: unknown): void {
    if (this.#isOver) return;
    this.#release();
    this.#fail(reason instanceof Error ? reason : new Error('it was given up', { cause: reason }));
  }

  /** Resolves when what sets out now has arrived; never when all is over by then, or nothing comes through. */
  #way(bytes = 0, latency = this.#network.latency()): Promise<void> {
    return new Promise((resolve) => {
      const arrive = () => {
        if (!this.#isOver && !this.isSilent) resolve();
      };
      this.#network.time.after(latency + bytes / BANDWIDTH, () => this.#parts.life.run(arrive));
    });
  }

  async #carry(): Promise<TransportAnswer> {
    await this.#way();
    const response = await this.#served();
    if (response instanceof Error) {
      await this.#way();
      this.#tell(response.message);
      this.#release();
      throw response;
    }
    const reader = isEndless(this.#parts.url.href, response) ? response.body?.getReader() : undefined;
    const bytes = reader ? new Uint8Array() : new Uint8Array(await response.arrayBuffer());
    const latency = this.#network.latency();
    // Its server is told when nobody listens any more.
    const leave = () => void reader?.cancel().catch(() => undefined);
    this.#ends.push(leave);
    if (this.#isOver || this.isSilent) leave();
    await this.#way(bytes.length, latency);
    const { status, headers } = response;
    this.#tell(status, headBytes('HTTP/1.1 200', headers), bytes.length);
    const body = new Readable({
      read: () => undefined,
      destroy: (error, done) => {
        this.#release();
        done(error);
      },
    });
    this.#fail = (error) => body.destroy(error);
    if (reader) void this.#stream(reader, body, latency);
    else this.#fill(body, bytes);
    return { statusCode: status, headers: Object.fromEntries(headers), body };
  }

  /** What the server answers, or why it does not. */
  async #served(): Promise<Response | Error> {
    const { url, request } = this.#parts;
    const { method, headers, body } = request;
    const lost = networkError('ECONNRESET', this.to);
    if (this.#fate === 'reset') return lost;
    const asked = new Request(url, { method, headers: { ...headers }, body });
    return this.#network.ask(this.to, asked).catch((error) => ('code' in error ? error : lost));
  }

  /** The line breaks, and the one who asks notices when that has come to him. */
  async #lose(): Promise<void> {
    await this.#way();
    this.#breakOff(networkError('ECONNRESET', this.to));
  }

  #fill(body: Readable, bytes: Uint8Array): void {
    const isCut = this.#fate === 'cut' && bytes.length > 0;
    body.push(isCut ? bytes.subarray(0, bytes.length >> 1) : bytes);
    if (isCut) return void this.#lose();
    body.push(null);
    this.#release();
  }

  /** Hands over what goes on until one side ends it. Whatever has set out arrives in order, unless the line is dead. */
  async #stream(reader: ReadableStreamDefaultReader<Uint8Array>, body: Readable, latency: number) {
    const { pathname, search } = this.#parts.url;
    for (;;) {
      const part = await reader.read().catch(() => undefined);
      if (!part) return this.#lose();
      void this.#way(0, latency).then(() => {
        body.push(part.done ? null : part.value);
        if (part.value?.length)
          this.#network.emit('carried', this.from, pathname + search, part.value.length);
      });
      if (part.done) return;
    }
  }

  #tell(status: number | string, head = 0, bodyBytes = 0): void {
    const { from, to } = this;
    const { url, request } = this.#parts;
    const { method, headers, body } = request;
    const target = url.pathname + url.search;
    const asked = headBytes(`${method} ${target} HTTP/1.1`, Object.entries(headers)) + (body?.length ?? 0);
    this.#network.emit('exchanged', {
      ...{ from, method, to, target, status, bodyBytes },
      bytes: asked + head + bodyBytes,
    });
  }
}
