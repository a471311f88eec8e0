import { Readable } from 'node:stream';
import type { TransportAnswer, TransportRequest } from '../../../src/lib/fetch/transport.js';
import type { Life } from '../time/life.js';
import type { Host, Surroundings, UnderWay } from './hosts.js';
import { refused, reset } from './network-error.js';
import type { Fate } from './weather.js';
import { headBytes, type Line, type VirtualServer, type WireAnswer, type WireRequest } from './wire.js';

export interface ExchangeParts {
  readonly from: string;
  readonly url: URL;
  readonly request: TransportRequest;
  /** Of the process that asks. */
  readonly life: Life;
  /** Called when nothing more comes of it. */
  readonly ended: () => void;
}

/** One request and its answer on their way through the virtual network. */
export class Exchange implements UnderWay {
  readonly answer: Promise<TransportAnswer>;
  readonly #network: Surroundings;
  readonly #parts: ExchangeParts;
  readonly #request: WireRequest;
  readonly #hosts: readonly Host[];
  readonly #fate: Fate;
  #resolve: (answer: TransportAnswer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #isOver = false;
  /** Nothing comes through any more, and neither side knows. */
  #isSilent: boolean;
  #body: Readable | undefined;
  /** Ends the line that the answer is. */
  #leave: (() => void) | undefined;
  /** A process that has ended hears of nothing. */
  readonly #stayAlive: () => void;

  constructor(network: Surroundings, parts: ExchangeParts) {
    this.#network = network;
    this.#parts = parts;
    const { from, url, request } = parts;
    const { method, headers, body } = request;
    this.#request = { from, method, origin: url.origin, target: url.pathname + url.search, headers, body };
    this.#hosts = [network.host(from), network.host(url.hostname)].filter((host) => host !== undefined);
    this.#fate = network.weather.fate(from, url.hostname);
    this.#isSilent = this.#fate === 'lost' || network.weather.separated(from, url.hostname);
    for (const host of this.#hosts) host.exchanges.add(this);
    this.#stayAlive = parts.life.atEnd(() => this.#release());
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (request.signal.aborted) this.#abort();
    request.signal.addEventListener('abort', this.#abort);
    if (!this.#isSilent) this.#later(() => void this.#arrive());
  }

  /** The one who asks ends it. */
  giveUp(error: unknown): void {
    this.#end(error);
  }

  serverEnded(name: string): void {
    const { hostname } = this.#parts.url;
    if (name === hostname) this.#back(() => this.#end(reset(hostname)));
  }

  silenceIfSeparated(): void {
    const { from, url } = this.#parts;
    if (this.#network.weather.separated(from, url.hostname)) this.#isSilent = true;
  }

  silence(): void {
    this.#isSilent = true;
  }

  readonly #abort = () => this.#end(this.#parts.request.signal.reason);

  /** After the time that a way through the network takes. */
  #later(action: () => void, bytes = 0): void {
    const { weather, time } = this.#network;
    const { from, url } = this.#parts;
    time.after(weather.latency(from, url.hostname) + bytes / weather.bandwidth, action);
  }

  /** The same to the one who asks. */
  #back(action: () => void, bytes = 0): void {
    this.#later(() => this.#parts.life.run(action), bytes);
  }

  async #arrive(): Promise<void> {
    if (this.#isOver || this.#isSilent) return;
    const { hostname } = this.#parts.url;
    const server = this.#serverOf(hostname);
    if (!server) return this.#back(() => this.#fail(refused(hostname)));
    if (this.#fate === 'reset') return this.#back(() => this.#fail(reset(hostname)));
    const answer = await server.answer(this.#request).catch(() => undefined);
    if (!answer) return this.#back(() => this.#fail(reset(hostname)));
    if (this.#isOver) return close(answer);
    const bytes = answer.body instanceof Uint8Array ? answer.body.length : 0;
    this.#back(() => this.#deliver(answer), bytes);
  }

  #serverOf(name: string): VirtualServer | undefined {
    const { server, intermediaries = [] } = this.#network.host(name) ?? {};
    let outermost = server;
    for (const intermediary of intermediaries) {
      const inner = outermost;
      if (inner) outermost = { answer: (request) => intermediary(request, inner) };
    }
    return outermost;
  }

  #fail(error: Error): void {
    if (this.#isOver || this.#isSilent) return;
    this.#tell({ bytes: 0, bodyBytes: 0, error: error.message });
    this.#end(error);
  }

  #deliver(answer: WireAnswer): void {
    if (this.#isOver || this.#isSilent) {
      close(answer);
      return;
    }
    const { status, headers, body } = answer;
    const isLine = !(body instanceof Uint8Array);
    const bodyBytes = isLine ? 0 : body.length;
    this.#tell({ status, bytes: headBytes('HTTP/1.1 200', headers) + bodyBytes, bodyBytes, isLine });
    const readable = isLine ? this.#line(body) : this.#whole(body);
    this.#body = readable;
    this.#resolve({ statusCode: status, headers, body: readable });
  }

  #whole(bytes: Uint8Array): Readable {
    const { hostname } = this.#parts.url;
    const isCut = this.#fate === 'cut' && bytes.length > 0;
    const readable = new Readable({ read: () => undefined });
    if (bytes.length > 0) readable.push(isCut ? bytes.subarray(0, bytes.length >> 1) : bytes);
    if (isCut) this.#back(() => this.#end(reset(hostname)));
    else {
      readable.push(null);
      this.#release();
    }
    return readable;
  }

  #line(line: Line): Readable {
    const { url, from } = this.#parts;
    const readable = new Readable({
      read: () => undefined,
      destroy: (error, done) => {
        this.#release();
        done(error);
      },
    });
    // The same for all pieces, so that they stay in order.
    const way = this.#network.weather.latency(from, url.hostname);
    this.#leave = line.open({
      piece: (bytes) => this.#carry(way, () => this.#arrived(bytes, readable)),
      ended: (isBroken) =>
        this.#carry(way, () => (isBroken ? this.#end(reset(url.hostname)) : readable.push(null))),
    });
    return readable;
  }

  /** What has set out on a line arrives, unless the line is dead by then. */
  #carry(way: number, arrive: () => void): void {
    if (this.#isOver || this.#isSilent) return;
    this.#network.time.after(way, () => {
      this.#parts.life.run(() => {
        if (!this.#isOver && !this.#isSilent) arrive();
      });
    });
  }

  #arrived(bytes: Uint8Array, readable: Readable): void {
    readable.push(bytes);
    this.#network.observer.carried(this.#request, bytes.length);
  }

  #tell(outcome: {
    status?: number;
    bytes: number;
    bodyBytes: number;
    isLine?: boolean;
    error?: string;
  }): void {
    const { method, target, headers, body } = this.#request;
    const sent = headBytes(`${method} ${target} HTTP/1.1`, headers) + (body?.length ?? 0);
    const to = this.#parts.url.hostname;
    this.#network.observer.exchanged({ request: this.#request, to, ...outcome, bytes: sent + outcome.bytes });
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#release();
    this.#reject(error);
    this.#body?.destroy(
      error instanceof Error ? error : new Error('the request was given up', { cause: error }),
    );
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stayAlive();
    this.#parts.request.signal.removeEventListener('abort', this.#abort);
    for (const host of this.#hosts) host.exchanges.delete(this);
    this.#parts.ended();
    this.#leave?.();
  }
}

function close({ body }: WireAnswer): void {
  if (!(body instanceof Uint8Array)) body.open({ piece: () => undefined, ended: () => undefined })();
}
