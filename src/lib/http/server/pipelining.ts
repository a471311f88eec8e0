import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, elapsed } from '../../clock.js';
import type { Breather, Pace } from '../../pace.js';

/** Bytes that are parsed of a connection at a time: 80 of the shortest requests. */
const PIECE = 2048;
/** For how long connections are read in pieces after one has sent a request before its turn, in ms. */
const WARY_MS = 60_000;

interface Given {
  readonly clock: Pick<Clock, 'now'>;
  readonly pace: Pace;
}

/** What Node.js notes of a socket of its HTTP server, without documenting it. */
type ServerSocket = Socket & {
  /** Null when the connection is not parsed any more. */
  readonly parser?: object | null;
  /** Has Node.js stopped reading, because more is to be sent than the client takes? */
  readonly _paused?: boolean;
  /** The response that is being sent. */
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
};

/**
 * Handles the requests of a connection one after another: the next one begins when the answer to the one before has been
 * taken by the system, and none begins when the connection has closed. `node:http` itself hands over all requests that it
 * finds in 64 kB at once, 2,500 of them, and goes on with those whose client has gone.
 *
 * The bytes that follow a request which waits are not parsed, so that the client has to wait with sending more. For that,
 * connections are read here, which costs every request 1.5 µs more than when `node:http` reads them in native code. So this
 * is done only from the first request that comes before its turn on any connection until a minute after the last one;
 * hardly any client sends such requests.
 */
export class Pipelining {
  readonly #clock: Given['clock'];
  readonly #breathe: Breather;
  /** Connections that `node:http` reads by itself. */
  readonly #unread = new Set<Socket>();
  readonly #readers = new WeakMap<Socket, PieceReader>();
  #lastSeen = Number.NEGATIVE_INFINITY;

  constructor({ clock, pace }: Given) {
    this.#clock = clock;
    // A turn of the event loop for each request that has waited: other connections are looked at in between.
    this.#breathe = pace(0);
  }

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      if (elapsed(this.#lastSeen, this.#clock.now()) < WARY_MS) {
        this.#readers.set(socket, new PieceReader(socket));
        return;
      }
      this.#unread.add(socket);
      socket.once('close', () => this.#unread.delete(socket));
    });
  }

  /** Puts the queues before a listener of `node:http`. */
  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      // A response is given the socket when it is its turn.
      if (outgoing.socket) next(incoming, outgoing);
      else this.#wait(incoming.socket, outgoing, () => next(incoming, outgoing));
    };
  }

  #wait(socket: Socket, outgoing: ServerResponse, begin: () => void): void {
    this.#lastSeen = this.#clock.now();
    for (const unread of this.#unread) this.#readers.set(unread, new PieceReader(unread));
    this.#unread.clear();
    const reader = this.#readers.get(socket);
    reader?.waits();
    outgoing.once('socket', async () => {
      await this.#breathe();
      if (socket.destroyed) return;
      begin();
      reader?.begun();
    });
  }
}

/** Reads a connection in place of `node:http`, and hands it piece by piece to its parser, unless a request waits. */
class PieceReader {
  readonly #socket: ServerSocket;
  readonly #parse: (piece: Buffer) => void;
  #waiting = 0;

  constructor(socket: ServerSocket) {
    // None is left of `node:http` after CONNECT.
    const [parse = () => undefined] = socket.listeners('data');
    this.#socket = socket;
    this.#parse = parse as (piece: Buffer) => void;
    socket.on('data', (bytes) => this.#take(bytes));
    socket.removeListener('data', this.#parse);
  }

  /** A request waits for its turn. */
  waits(): void {
    this.#waiting += 1;
  }

  /** A request that waited has begun. */
  begun(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#socket.resume();
  }

  /** What cannot be parsed now is put back, for the next time that the connection is read. */
  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    const parsed = this.#isFull ? 0 : PIECE;
    if (parsed > 0) this.#parse(bytes.subarray(0, parsed));
    if (this.#isFull) this.#socket.pause();
    if (bytes.length > parsed) this.#socket.unshift(bytes.subarray(parsed));
  }

  get #isFull(): boolean {
    return this.#waiting > 0 || this.#socket._paused === true;
  }

  /**
   * Is the answer that is being sent the last one of the connection (RFC 9112, section 9.6)? Then the rest is read and
   * dropped: where nothing is read, nobody notices that the client has gone.
   */
  get #isOver(): boolean {
    const { parser, writableEnded, _httpMessage: answering } = this.#socket;
    return !parser || writableEnded || (answering?.req.complete === true && !answering.shouldKeepAlive);
  }
}
