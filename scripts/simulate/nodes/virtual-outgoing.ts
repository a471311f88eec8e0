import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { OpenStream } from '../network/open-line.js';
import type { WireAnswer } from '../network/wire.js';

/** The answer to a request, as `node:http` gives it to a listener, which goes into the virtual network and not to a socket. */
export class VirtualOutgoing extends ServerResponse {
  readonly #answer: (answer: WireAnswer) => void;
  #head: Omit<WireAnswer, 'body'> = { status: 200, headers: {} };
  #line: OpenStream | undefined;
  readonly #pieces: Uint8Array[] = [];

  /** @param answer told once, when the whole answer is there, or the head of one that goes on */
  constructor(incoming: IncomingMessage, answer: (answer: WireAnswer) => void) {
    super(incoming);
    this.#answer = answer;
  }

  override writeHead(status: number, ...rest: unknown[]): this {
    const headers: Record<string, string> = {};
    const given = rest.at(-1) as OutgoingHttpHeaders | undefined;
    for (const name in given) headers[name.toLowerCase()] = String(given[name]);
    this.#head = { status, headers };
    return this;
  }

  /** Called before the pieces of an answer that is made while it is being sent. */
  override flushHeaders(): void {
    if (this.#head.headers['content-type'] !== 'text/event-stream') return;
    this.#line = new OpenStream(() => this.emit('close'));
    this.#answer({ ...this.#head, body: this.#line });
  }

  override write(piece: Uint8Array): boolean {
    if (this.#line) this.#line.send(piece);
    else this.#pieces.push(piece);
    return true;
  }

  override end(body?: unknown): this {
    if (this.#line) this.#line.end();
    else this.#answer({ ...this.#head, body: this.#whole(body) });
    this.emit('finish');
    return this;
  }

  override destroy(): this {
    this.#line?.end({ isBroken: true });
    return this;
  }

  #whole(body: unknown): Uint8Array {
    if (typeof body === 'string') return Buffer.from(body);
    // A copy, because the memory of the body may be used for another one.
    if (body instanceof Uint8Array) return Buffer.from(body);
    return Buffer.concat(this.#pieces);
  }
}
