/** Hosts with names and addresses, and what they send one another over wires that faults can disturb. */
import { EventEmitter, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Random } from '../../src/lib/clock.js';
import type { Lookup } from '../../src/lib/fetch/checked-lookup.js';
import type { OpenTransport, TransportAnswer, TransportRequest } from '../../src/lib/fetch/transport.js';
import { onAbort } from '../../test/support/virtual-time.js';
import type { Reading } from './keep.js';
import type { Life, NetworkTime } from './time.js';

/** What answers at a host. */
export type Server = (request: Request) => Promise<Response>;

/** Stands before a server, and makes of its answers what it likes. */
export type Intermediary = (request: Request, server: Server) => Promise<Response>;

/** One exchange that has ended, or whose endless answer has begun. */
interface Traffic extends Readonly<Record<'from' | 'method' | 'to', string>> {
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

type Wall = (from: string, to: string) => boolean;

interface Host {
  readonly address: string;
  readonly server: Server;
  readonly intermediaries: Set<Intermediary>;
}

export class VirtualNetwork extends EventEmitter<Told> {
  readonly #hosts = new Map<string, Host>();
  readonly #walls = new Set<Wall>();

  constructor(
    readonly time: NetworkTime,
    private readonly random: Random,
  ) {
    super();
  }

  /** @param server throws an error of the network where nobody answers */
  addHost(name: string, address: string, server: Server): void {
    this.#hosts.set(name, { address, server, intermediaries: new Set() });
  }

  // What follows holds until the function is called that is returned.

  interpose(name: string, intermediary: Intermediary): () => void {
    return whileIn(this.#host(name).intermediaries, intermediary);
  }

  /** Nothing comes through between some hosts, as they ask and are asked; lines that try are dead, and neither side is told. */
  separate(isBetween: Wall): () => void {
    return whileIn(this.#walls, isBetween);
  }

  isSeparated(from: string, to: string): boolean {
    return [...this.#walls].some((isBetween) => isBetween(from, to));
  }

  latency(): number {
    return LATENCY.least + Math.floor(this.random() * LATENCY.spread);
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
          return new Exchange(this, from, url, request, life, closing.signal).answer;
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

/** Bytes of a head on the wire, about: the first line, and each header field. */
function headBytes(firstLine: string, headers: Iterable<readonly [string, string]>): number {
  return [firstLine, ...headers].join('\r\n').length + 4;
}

/** One request on its way to a host, and the answer on its way back. */
class Exchange {
  readonly answer: Promise<TransportAnswer>;
  readonly #to: string;
  /** Nothing comes through any more, and neither side knows. */
  #isSilent = false;
  /** Destroyed when it is over. */
  readonly #body = new Readable({ read: () => undefined });

  /**
   * @param life of the process that asks
   * @param closing aborted when that process ends all that is under way
   */
  constructor(
    private readonly network: VirtualNetwork,
    private readonly from: string,
    private readonly url: URL,
    private readonly request: TransportRequest,
    private readonly life: Life,
    closing: AbortSignal,
  ) {
    this.#to = url.hostname;
    this.answer = new Promise((resolve, reject) => {
      this.#body.on('error', reject);
      this.#carry().then(resolve, (error) => this.#body.destroy(error));
    });
    for (const signal of [request.signal, closing])
      this.#body.on(
        'close',
        onAbort(signal, () => this.#body.destroy(signal.reason)),
      );
  }

  /** Resolves when what sets out now has arrived; never when all is over by then, or nothing comes through. */
  #way(bytes = 0, latency = this.network.latency()): Promise<void> {
    const look = () => {
      this.#isSilent ||= this.network.isSeparated(this.from, this.#to);
    };
    look();
    return new Promise((resolve) => {
      const arrive = () => {
        look();
        if (!this.#isSilent && !this.#body.destroyed) resolve();
      };
      this.network.time.after(latency + bytes / BANDWIDTH, () => this.life.run(arrive));
    });
  }

  async #carry(): Promise<TransportAnswer> {
    await this.#way();
    const response = await this.#served();
    const latency = this.network.latency();
    if (response instanceof Error) {
      await this.#way(0, latency);
      this.#tell(response.message);
      throw response;
    }
    const { status, headers } = response;
    const reader = isEndless(this.url.href, response) ? response.body?.getReader() : undefined;
    // Its server is told when nobody listens any more.
    const leave = () => void reader?.cancel().catch(() => undefined);
    if (this.#body.destroyed) leave();
    this.#body.on('close', leave).on('close', onAbort(this.life.ending, leave));
    const bytes = new Uint8Array(reader || !response.body ? [] : await response.arrayBuffer());
    await this.#way(bytes.length, latency);
    this.#tell(status, headBytes('HTTP/1.1 200', headers), bytes.length);
    if (reader) void this.#stream(reader, latency);
    else {
      this.#body.push(bytes);
      const isWhole = this.request.method === 'HEAD' || bytes.length >= Number(headers.get('content-length'));
      if (isWhole) this.#body.push(null);
      else void this.#lose();
    }
    return { statusCode: status, headers: Object.fromEntries(headers), body: this.#body };
  }

  /** What the server answers, or why it does not. */
  async #served(): Promise<Response | Error> {
    const { method, headers, body } = this.request;
    const asked = new Request(this.url, { method, headers, body });
    const lost = () => networkError('ECONNRESET', this.#to);
    return this.network.ask(this.#to, asked).catch((error) => ('code' in error ? error : lost()));
  }

  /** The line breaks, and the one who asks notices when that has come to him. */
  async #lose(): Promise<void> {
    await this.#way();
    this.#body.destroy(networkError('ECONNRESET', this.#to));
  }

  /** Hands over what goes on until one side ends it. Whatever has set out arrives in order, unless the line is dead. */
  async #stream(reader: ReadableStreamDefaultReader<Uint8Array>, latency: number): Promise<void> {
    const { pathname, search } = this.url;
    for (;;) {
      const part = await reader.read().catch(() => undefined);
      if (!part) return this.#lose();
      void this.#way(0, latency).then(() => {
        this.#body.push(part.done ? null : part.value);
        if (part.value?.length) this.network.emit('carried', this.from, pathname + search, part.value.length);
      });
      if (part.done) return;
    }
  }

  #tell(status: number | string, head = 0, bodyBytes = 0): void {
    const { from, request, url } = this;
    const { method, headers, body } = request;
    const target = url.pathname + url.search;
    const asked = headBytes(`${method} ${target} HTTP/1.1`, Object.entries(headers)) + (body?.length ?? 0);
    const bytes = asked + head + bodyBytes;
    this.network.emit('exchanged', { from, method, to: this.#to, target, status, bytes, bodyBytes });
  }
}
