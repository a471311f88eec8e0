import { once } from 'node:events';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer } from '@hono/node-server';
import type { Clock } from '../../clock.js';
import type { Pace } from '../../pace.js';
import { Problem } from '../problem.js';
import { checkRequests, type RequestCheck, replyTo } from './request-check.js';

/** How long what a client still sends is read and dropped after the last answer of a connection, in ms. */
const LINGER_MS = 500;

/**
 * One request of a connection at a time. `node:http` hands over all that it finds in 64 kB at once, 2,500 of the shortest.
 * A client that sends a request before it has the answer to the one before must be ready to send it again on another
 * connection (RFC 9112, section 9.3.2): here the answer in hand is finished, nothing more is read, and the connection ends.
 */
function createTurns(pace: Pace) {
  /** The last answer that a connection was given. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  /** The connections that end with the answer in hand. */
  const ending = new WeakSet<Duplex>();
  /** The answer in hand, until it is sent or the connection has closed. */
  const answerTo = (socket: Duplex): ServerResponse | undefined => {
    const answer = answers.get(socket);
    return answer?.closed ? undefined : answer;
  };
  /**
   * Drops what comes on a connection before its turn, and all that follows. Bytes that the request in hand is still waiting for
   * do not come before their turn. @returns whether input is dropped
   */
  const dropEarly = (socket: Duplex): boolean => {
    const answer = answerTo(socket);
    if (answer?.req.complete && !ending.has(socket)) {
      ending.add(socket);
      dropInput(socket, pace);
      socket.once('end', () => socket.end());
      answer.once('close', () => answer.req.socket.destroySoon());
    }
    return ending.has(socket);
  };
  /**
   * May a connection be closed on which nothing has happened for a while? `node:http` asks of slow clients, and
   * of idle ones when their keep-alive time is over. While an answer is being made, nothing happens either:
   * that is no reason.
   */
  const isAbandoned = (socket: Duplex) => socket.writableLength > 0 || answers.get(socket)?.closed === true;
  const oneAtATime =
    (next: RequestListener): RequestListener =>
    (incoming, outgoing) => {
      if (dropEarly(incoming.socket)) return;
      answers.set(incoming.socket, outgoing);
      next(incoming, outgoing);
    };
  return { answerTo, dropEarly, isAbandoned, oneAtATime };
}

/**
 * Has nothing parsed any more of what comes on a connection, and drops it: one or two pieces of 64 kB in a turn of the event loop,
 * of all such connections together. Read as fast as it comes, it would be 2 MB in a turn, for each of them.
 */
function dropInput(socket: Duplex, pace: Pace): void {
  const breathe = pace(0);
  const drop = async () => {
    socket.pause();
    await breathe();
    socket.resume();
  };
  // With a listener for data, `node:http` parses no more by itself. Reading goes on, so that the end of the client is seen.
  const stopParsing = () => socket.on('data', ignore).removeAllListeners('data').on('data', drop);
  // A socket that `node:http` has paused is resumed by it only while it parses: so it is resumed first, and
  // parsing stopped then.
  if (socket.isPaused()) socket.once('resume', stopParsing).resume();
  else stopParsing();
}

/**
 * Ends a connection: this side at once, and all of it when the client has ended its side, or after half a second. If it were closed
 * at once, a client that is still sending would lose the answer.
 */
function endGently(socket: Duplex, { clock, pace }: ListenOptions): void {
  dropInput(socket, pace);
  socket.end();
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  // `sleep` rejects when the socket is closed before.
  clock.sleep(LINGER_MS, closed.signal).then(() => socket.destroy(), ignore);
}

const ignore = () => undefined;

/**
 * How long a client may take nothing of what waits for it, in ms. Node sees only at the end of such a time whether something was
 * taken in it: the connection is closed 30 to 60 s after the last byte was.
 */
const SEND_MS = 30_000;
/** How long requests in flight may take to finish when the server stops, in ms. */
const REQUEST_GRACE_MS = 3000;
/** How often idle connections are closed meanwhile, in ms. */
const SWEEP_MS = 25;

/** Answers a request of the Fetch standard; `bindings` are what the adaptor adds to it. */
export type FetchHandler = (request: Request, bindings?: object) => Response | Promise<Response>;

interface ListenOptions extends RequestCheck {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Answers repeated requests in place of the handler. */
  readonly cache: { before(next: RequestListener): RequestListener };
  readonly clock: Clock;
  readonly pace: Pace;
  /** `SEND_MS` when absent. */
  readonly sendMs?: number;
}

/** A server that takes requests. */
export interface Listening {
  readonly port: number;
  /** Takes no new connections; those that are open are still answered. */
  stopAccepting(): void;
  /** Lets requests in flight finish, for a few seconds, and closes everything. */
  close(): Promise<void>;
}

/** Starts to listen. @throws what the system says: EADDRINUSE, EACCES … */
export type Listen = (handler: FetchHandler, options: ListenOptions) => Promise<Listening>;

/**
 * Listens with `node:http`. A request before its turn is dropped (`createTurns`); one in turn is checked
 * (`checkRequests`), then looked up in the cache, then handled.
 */
export const listenOnNetwork: Listen = async (handler, options) => {
  const { host, port, cache, clock, pace, sendMs = SEND_MS, ...check } = options;
  const turns = createTurns(pace);
  const create = (given: ServerOptions, listener: RequestListener) => {
    const front = turns.oneAtATime(checkRequests(cache.before(listener), check));
    // `checkRequests` refuses requests without `Host`, with a problem document.
    return createServer({ ...given, requireHostHeader: false }, front);
  };
  const how = { fetch: handler, createServer: create as typeof createServer, overrideGlobalObjects: false };
  const server = createAdaptorServer(how) as Server;
  server.on('connection', (socket) => {
    // `node:http` calls this public method after the last answer of a connection, and has no setting for how that ends. When a
    // version of Node ends connections in another way, `early-answer.test.ts` fails: look for `destroySoon` in its `_http_server.js`.
    socket.destroySoon = () => endGently(socket, options);
  });
  server.setTimeout(sendMs, (socket) => turns.isAbandoned(socket) && socket.destroy());
  // What else is expected of a server is no reason to refuse (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    const isLost = !socket.writable || error.code === 'ECONNRESET';
    if (!isLost && turns.dropEarly(socket)) return;
    // While an answer is being sent, no other can be.
    if (isLost || turns.answerTo(socket)?.headersSent) socket.destroy(error);
    else refuse(socket, error.code, options);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stopAccepting: () => server.close(),
    close: () => closeServer(server, clock),
  };
};

const UNREADABLE: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The path, the query and the headers together are too long'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Problem(413, 'The extensions of the chunks are too long'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive'),
};

/** Answers what cannot be read as a request, and ends the connection. */
function refuse(socket: Duplex, code = '', options: ListenOptions): void {
  const problem = UNREADABLE[code] ?? new Problem(400, 'The request cannot be read as HTTP/1.1');
  options.onRefused?.(problem.status);
  const { status, headers, body } = replyTo(problem);
  const fields = Object.entries({ ...headers, connection: 'close' }).map((field) => field.join(': '));
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', body].join('\r\n'));
  endGently(socket, options);
}

/** Stops accepting, lets requests in flight finish for a while, and resolves when every connection is closed. */
async function closeServer(server: Server, clock: Clock): Promise<void> {
  const closed = new Promise<true>((resolve) => {
    server.close(() => resolve(true));
  });
  for (let waited = 0; waited < REQUEST_GRACE_MS; waited += SWEEP_MS) {
    // An idle keep-alive connection would keep the server open for seconds.
    server.closeIdleConnections();
    if (await Promise.race([closed, clock.sleep(SWEEP_MS)])) return;
  }
  server.closeAllConnections();
  await closed;
}
