import { Problem } from '../problem.js';
import { type Body, type BodyEnd, bytesOf, isWhole } from './body.js';

/** What a handler answers, as plain data; `addResource` makes the reply of it. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, or its pieces where it is made while it is being sent. No body when absent. */
  readonly body?: Body;
  /** Called for each reader to whom a whole body is sent; what it returns, once, when the reader has it or has gone. */
  readonly hold?: (() => () => void) | undefined;
  /** May the response cache send it again to the same request, until the state changes? Where its resource is `cached`. */
  readonly repeatable?: boolean;
  /** Is it a listing or a feed, which may have any length? All others have a bound, see `boundedAnswer`. */
  readonly streams?: boolean;
  /** The body goes on until one side ends it: what is measured of the request is the time until it begins. */
  readonly endless?: boolean;
}

/** An answer with everything that is sent of it. */
export interface Reply extends Pick<Answer, 'status' | 'body' | 'hold' | 'repeatable'> {
  readonly headers: Readonly<Record<string, string>>;
  /** Where each time that it is sent again is counted. */
  readonly metrics?: RouteMetrics | undefined;
  /** To be called when the body has been sent, or is not sent any further. */
  readonly finished: (end: BodyEnd) => void;
}

/** Browsers must not guess the type of a body: text that others wrote could pass for a page or a script. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };
const PLAIN = 'text/plain; charset=utf-8';

/** @param common headers of all answers of a resource; those of the answer itself win */
export function replyOf(
  { status, headers, body, hold, repeatable }: Answer,
  common: Readonly<Record<string, string>> | undefined,
  counting: Pick<Reply, 'metrics' | 'finished'>,
): Reply {
  const bytes = bytesOf(body);
  // Not a spread of several objects: to that, V8 of Node 20 gives a hidden class of its own, which takes 20 times as long.
  const all: Record<string, string> = Object.assign(
    {},
    status === 304 ? undefined : NO_SNIFFING,
    common,
    headers,
  );
  if (typeof body === 'string') all['content-type'] ??= PLAIN;
  if (body !== undefined && bytes !== undefined) all['content-length'] = String(bytes);
  return { status, headers: all, body, hold, repeatable, ...counting };
}

const MOST_BYTES = 10_000_000;

/**
 * The answer, if it is no longer than answers may be. Listings and feeds have any length, which they say by `streams`, and
 * what is `endless` has none; no other answer may come in pieces.
 * @throws Problem 422 that says what to do
 */
export function boundedAnswer(answer: Answer): Answer {
  const { body } = answer;
  if (answer.streams || answer.endless) return answer;
  if (!isWhole(body))
    throw new Error('an answer in pieces says neither that it streams nor that it is endless');
  if ((bytesOf(body) ?? 0) <= MOST_BYTES) return answer;
  const most = `${MOST_BYTES / 1_000_000} MB, the most that a node sends at once`;
  const why = `The answer would have more than ${most}; page with limit and after, or ask for less`;
  throw new Problem(422, why);
}

/** Counts the requests of one route and method. */
export interface RouteMetrics {
  /** A request has arrived. @returns when, to be handed to `finished` */
  started(): number;
  /** The answer has been sent, or the client has gone. `bytes`: of the body, as far as it was sent. */
  finished(startedAt: number, status: number, bytes: number): void;
}

/** Where the requests of a route and method are counted; called when routes are added, and for no request. */
export type RouteMetricsOf = (route: string, method: string) => RouteMetrics;
