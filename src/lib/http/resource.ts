import type { Context, Hono } from 'hono';
import { type Pace, withoutPause } from '../pace.js';
import { type ErrorLog, reportError } from './error-handler.js';
import { ANY_ORIGIN, CORS_HEADERS, type CorsPolicy, preflightHeaders } from './headers/cors.js';
import { problemAnswer } from './json-answer.js';
import { Problem } from './problem.js';
import { percentDecode } from './request/percent.js';
import type { RouteRequest } from './request/route-request.js';
import { type Answer, boundedAnswer, type Reply, type RouteMetricsOf, replyOf } from './response/answer.js';
import type { BodyEnd } from './response/body.js';
import { respond } from './response/sending.js';

export type { RouteRequest } from './request/route-request.js';
export type { Answer } from './response/answer.js';

/** Answers a request; what it throws becomes a problem document, see `problemOf`. */
export type Handler = (c: RouteContext) => Answer | Promise<Answer>;

/** What a handler is given. */
export interface RouteContext {
  readonly req: RouteRequest;
  /** The address of who asks, or of a proxy before it; absent where there is no connection. */
  readonly client?: string | undefined;
  /** Paces what is worked out before the answer, within what one request may take: see `requestPace`. */
  readonly pace: Pace;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A path and what can be done with it: HEAD, OPTIONS, 405, CORS headers and metrics follow. If its answers change with the
 * components alone and are asked for often, its handler answers with `repeatable: true`, and `cached` names the method.
 */
export interface Resource {
  /**
   * Plain segments, without a trailing slash; requests with one are answered alike. `/*` at the end matches any
   * rest, which the handlers read themselves. No parameters with patterns (`:uri{.+}`): the router tries those at
   * every segment, which takes 23 s for 15,000 slashes.
   */
  readonly path: string;
  /** Where several resources have one path: this one answers only for paths that end with this text. */
  readonly ending?: string;
  /** All other methods are answered with 405. */
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** Methods that the cache may answer. What is `repeatable` may depend only on request headers that are part of the cache's keys. */
  readonly cached?: readonly ('GET' | 'POST')[];
  /** Which other origins' pages may use it; none when absent. */
  readonly cors?: CorsPolicy;
}

/** Answers one request. */
export type Answering = (req: RouteRequest, client: string | undefined) => Reply | Promise<Reply>;

/** Answers with a problem in another form than its JSON document, where a client prefers that by its `Accept` header. */
export type ProblemAnswer = (problem: Problem, accept: string | undefined) => Answer | undefined;

interface ResourceSettings {
  readonly log: ErrorLog;
  /** Absent where all clients are programs. */
  readonly problemPage?: ProblemAnswer;
  readonly routeMetrics?: RouteMetricsOf;
  /** Has requests for a path answered before they come to the router. */
  readonly cache?: { add(method: string, path: string, answer: Answering): void };
  /** How work gives way to other requests; it does not when absent. */
  readonly pace?: Pace;
}

/**
 * Adds a path with its methods to a router that is not `strict` about slashes at the end. HEAD follows from GET; OPTIONS and
 * 405 name what there is (RFC 9110, sections 9.3.7 and 15.5.6); what a handler throws becomes a problem document.
 */
export function addResource(app: Hono, resource: Resource, settings: ResourceSettings): void {
  const { path, ending, cached = [] } = resource;
  const handlers = handlersOf(resource);
  const allow = [...handlers.keys()].join(', ');
  const refuse: Handler = ({ req }) => {
    throw new Problem(405, `${req.method} is not possible here; there are ${allow}`, { headers: { allow } });
  };
  const reply = replier(path + (ending ?? ''), handlers, refuse, resource.cors, settings);
  for (const method of cached) if (handlers.has(method)) settings.cache?.add(method, path, reply);
  const serve = serving(reply);
  if (ending === undefined) app.all(path, serve);
  else app.all(path, (c, next) => (c.req.path.endsWith(ending) ? serve(c) : next()));
}

/**
 * Answers requests for paths that no resource has, with 404 or what `missing` says. To be called on the outermost router
 * only: in a mounted one, this answer would hide the routes of the routers mounted after it.
 */
export function addFallback(
  app: Hono,
  settings: ResourceSettings,
  missing = () => new Problem(404, 'There is nothing at this path'),
): void {
  const metrics = settings.routeMetrics?.('none', 'other');
  const counted = { ...settings, routeMetrics: metrics && (() => metrics) };
  const throwing = (errorFor: (req: RouteRequest) => unknown) => {
    const refuse: Handler = ({ req }) => {
      throw errorFor(req);
    };
    return serving(replier('none', new Map(), refuse, ANY_ORIGIN, counted));
  };
  const unreadable = new Problem(400, 'The path is not valid percent-encoding');
  const isReadable = (url: string) => percentDecode(url.replace(/[?#].*$/s, '')) !== undefined;
  app.notFound(throwing(({ url }) => (isReadable(url) ? missing() : unreadable)));
  app.onError((error, c) => throwing(() => error)(c));
}

/** Answers requests for a route, and counts them. @param refuse answers all methods without a handler */
function replier(
  route: string,
  handlers: ReadonlyMap<string, Handler>,
  refuse: Handler,
  cors: CorsPolicy | undefined,
  { log, routeMetrics, problemPage, pace = withoutPause }: ResourceSettings,
): Answering {
  const common = cors && CORS_HEADERS;
  const refused = { handler: refuse, metrics: routeMetrics?.(route, 'other') };
  const routes = new Map(
    [...handlers].map(([method, handler]) => [method, { handler, metrics: routeMetrics?.(route, method) }]),
  );
  return (req, client) => {
    const { method } = req;
    const { handler, metrics } = routes.get(method) ?? refused;
    const startedAt = metrics?.started() ?? 0;
    const finish = (answer: Answer): Reply => {
      const { status, repeatable = false, endless = false } = answer;
      // A 304 for a reader that is no page of another origin does without the headers of CORS, which would be a quarter of
      // it. One that is stored has them, as it may be sent to anybody.
      const isShort = status === 304 && req.header('origin') === undefined && !repeatable;
      if (endless) metrics?.finished(startedAt, status, 0);
      const finished = ({ bytes: sent, error }: BodyEnd) => {
        if (error !== undefined) reportError(error, req, log);
        if (!endless) metrics?.finished(startedAt, status, sent);
      };
      return replyOf(answer, isShort ? undefined : common, { metrics, finished });
    };
    // Of what HEAD asks for, nothing is sent.
    const answered = (answer: Answer) => finish(method === 'HEAD' ? answer : boundedAnswer(answer));
    const fail = (error: unknown) => {
      const problem = reportError(error, req, log);
      return finish(problemPage?.(problem, req.header('accept')) ?? problemAnswer(problem));
    };
    try {
      const answer = handler({ req, client, pace: requestPace(pace) });
      // Answers that need no waiting stay synchronous: the server sends those faster.
      return answer instanceof Promise ? answer.then(answered).catch(fail) : answered(answer);
    } catch (error) {
      return fail(error);
    }
  };
}

/** A handler of hono. It takes `req` and `env` alone: an endless answer would keep the whole context in memory. */
function serving(reply: Answering) {
  return ({ req, env }: Context): Response | Promise<Response> => {
    const send = (one: Reply) => respond(one, req.method, env?.outgoing);
    const made = reply(req, env?.incoming?.socket?.remoteAddress);
    return made instanceof Promise ? made.then(send) : send(made);
  };
}

/** The handlers of a resource by method, those that follow from its own included, in the order in which `Allow` names them. */
function handlersOf({ methods, cors }: Resource): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const [method, handler] of Object.entries(methods))
    for (const one of method === 'GET' ? [method, 'HEAD'] : [method]) if (handler) handlers.set(one, handler);
  const allow = [...handlers.keys(), 'OPTIONS'].join(', ');
  const headers = { allow, ...(cors && preflightHeaders(cors, allow)) };
  return handlers.set('OPTIONS', () => ({ status: 204, headers }));
}

/**
 * Slices of work that a request may take before its answer begins; a slice is a millisecond on a machine that does nothing else.
 * The dearest sensible question takes some hundred.
 */
const MOST_SLICES = 5_000;

/** Paces the work of one request, which gives way to others like all work does. Throws Problem 422 when it has taken all that it may. */
function requestPace(pace: Pace): Pace {
  let slices = 0;
  return (sliceMs) => {
    const breathe = pace(sliceMs);
    return () => {
      const pause = breathe();
      if (!pause || ++slices <= MOST_SLICES) return pause;
      const why =
        'This request takes more work than one may; ask for fewer things at a time, or ask for less by a limit';
      throw new Problem(422, why);
    };
  };
}
