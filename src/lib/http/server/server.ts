import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Clock } from '../../clock.js';
import type { Pace } from '../../pace.js';
import type { ResponseCache } from '../cache/response-cache.js';
import { answerWithoutRequest } from './client-error.js';
import { earlyAnswerResponse } from './early-answer.js';
import { behind, closeServer, listen } from './http-server.js';
import { checkRequests, type HostRule } from './request-check.js';
import { Turns } from './turns.js';

/** How long requests in flight may take to finish when the server stops, in ms. */
const REQUEST_GRACE_MS = 3000;

/** Answers a request of the Fetch standard; `bindings` are what the adaptor adds to it. */
export type FetchHandler = (request: Request, bindings?: object) => Response | Promise<Response>;

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Answers repeated requests in place of the handler. */
  readonly cache: ResponseCache;
  readonly knowsHost: HostRule | undefined;
  /** See `RequestCheck`. */
  readonly basePath?: string;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Told the status of each request that is answered before it reaches the cache or the handler. */
  readonly onRefused: (status: number) => void;
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

/** Listens with `node:http`. A request before its turn is dropped (`Turns`); one in turn is checked (`checkRequests`), then looked up in the cache, then handled. */
export const listenOnNetwork: Listen = async (handler, options) => {
  const { host, port, cache, clock, pace, ...check } = options;
  const turns = new Turns(clock);
  const front = (listener: RequestListener) => turns.before(checkRequests(cache.before(listener), check));
  const createServer = behind(front, {
    ServerResponse: earlyAnswerResponse({ clock, pace }) as ServerOptions['ServerResponse'] & object,
  });
  const server = createAdaptorServer({ fetch: handler, createServer }) as Server;
  answerWithoutRequest(server, { clock, turns, onRefused: check.onRefused });
  return {
    port: await listen(server, host, port),
    stopAccepting: () => server.close(),
    close: () => closeServer(server, clock, REQUEST_GRACE_MS),
  };
};
