import type { Context, Hono } from 'hono';
import { type Pace, withoutPause } from '../pace.js';
import type { ResponseCache } from './cache/response-cache.js';
import { type ErrorLog, reportError } from './error-handler.js';
import { CORS_HEADERS, type CorsPolicy, preflightHeaders } from './headers/cors.js';
import type { Operation } from './openapi-parts.js';
import { Problem } from './problem.js';
import { percentDecode } from './request/percent.js';
import type { RouteRequest } from './request/route-request.js';
import { requestPace } from './request-work.js';
import {
  type Answer,
  asShort304,
  boundedAnswer,
  type Reply,
  replyOf,
  toResponse,
  withCommon,
} from './response/answer.js';
import { jsonText } from './response/json-text.js';
import type { BodyEnd } from './response/response-stream.js';
import type { RouteMetricsOf } from './route-metrics.js';

export type { RouteRequest } from './request/route-request.js';
export type { Answer } from './response/answer.js';

/** Answers a request; what it throws becomes a problem document, see `problemOf`. */
export type Handler = (c: RouteContext) => Answer | Promise<Answer>;

/** What a handler is given. */
export interface RouteContext {
  readonly req: RouteRequest;
  /** The body, where the response cache has read it already. */
  readonly bodyAtHand?: Uint8Array | undefined;
  /** The address of who asks, or of a proxy before it; absent where there is no connection. */
  readonly client?: string | undefined;
  /** Paces what is worked out before the answer, within what one request may take: see `requestPace`. */
  readonly pace: Pace;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A path and what can be done with it. To add an endpoint: write its handler (`getThing(parts): Handler`) in the folder of
 * src/http where a reader would look for it, and add a resource with its path and description to the routes of that
 * feature. HEAD, OPTIONS, 405, CORS headers and metrics follow from the resource. If its answers change with the components alone and are asked for often, have the handler answer with
 * `repeatable: true` and name its method in `cached`.
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
  /** The methods that exist at present; all others, and those without a handler, are answered with 405. */
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** How the methods are described for programs (OpenAPI 3.1). */
  readonly operations?: Readonly<Partial<Record<Method, Operation>>> | undefined;
  /** The methods that are asked for often: see `ResponseCache`. What is repeatable may depend on no other header than `KEY_HEADERS`. */
  readonly cached?: readonly ('GET' | 'POST')[];
  /** Which other origins' pages may use it; none when absent. */
  readonly cors?: CorsPolicy;
}

/** Answers with a problem in another form than its JSON document, where a client prefers that by its `Accept` header. */
export type ProblemAnswer = (problem: Problem, accept: string | undefined) => Answer | undefined;

export interface ResourceSettings {
  readonly log: ErrorLog;
  /** The page of a problem; absent where all clients are programs. */
  readonly problemPage?: ProblemAnswer;
  readonly routeMetrics?: RouteMetricsOf;
  /** Where repeatable answers are stored. */
  readonly cache?: ResponseCache;
  /** How work gives way to other requests; it does not when absent. */
  readonly pace?: Pace;
}

/**
 * Adds a path with its methods to a router. HEAD follows from GET; OPTIONS and 405 name what there is
 * (RFC 9110, sections 9.3.7 and 15.5.6); what a handler throws becomes a problem document.
 */
export function addResource(app: Hono, resource: Resource, settings: ResourceSettings): void {
  const handlers = handlersOf(resource);
  const common = withCommon(resource.cors && CORS_HEADERS);
  const allow = [...handlers.keys()].join(', ');
  const metricsOf = (method: string) =>
    settings.routeMetrics?.(resource.path + (resource.ending ?? ''), method);
  const refuse: Handler = ({ req }) => {
    throw new Problem(405, `${req.method} is not possible here; there are ${allow}`, { headers: { allow } });
  };
  const refused = { handler: refuse, metrics: metricsOf('other') };
  const { pace = withoutPause, cache } = settings;
  const cached: readonly string[] = resource.cached ?? [];
  const routes = new Map(
    [...handlers].map(([method, handler]) => [method, { handler, metrics: metricsOf(method) }]),
  );

  const reply = (
    req: RouteRequest,
    client: string | undefined,
    body?: Uint8Array,
  ): Reply | Promise<Reply> => {
    const { method } = req;
    const { handler, metrics } = routes.get(method) ?? refused;
    const startedAt = metrics?.started() ?? 0;
    const finish = (answer: Answer): Reply => {
      const { status, repeatable = false, endless = false } = answer;
      if (repeatable && !cached.includes(method === 'HEAD' ? 'GET' : method))
        throw new Error(`${method} ${resource.path} has repeatable answers and is not \`cached\``);
      const headersFor =
        status === 304 && req.header('origin') === undefined && !repeatable ? asShort304 : common;
      if (endless) metrics?.finished(startedAt, status, 0);
      const finished = ({ bytes: sent, error }: BodyEnd) => {
        if (error !== undefined) reportError(error, req, settings.log);
        if (!endless) metrics?.finished(startedAt, status, sent);
      };
      return replyOf(answer, headersFor, { metrics, finished });
    };
    const answered = (answer: Answer) => {
      // Of what HEAD asks for, nothing is made.
      const bounded = method === 'HEAD' ? answer : boundedAnswer(answer);
      return bounded instanceof Promise ? bounded.then(finish) : finish(bounded);
    };
    const fail = (error: unknown) => {
      const problem = reportError(error, req, settings.log);
      return finish(settings.problemPage?.(problem, req.header('accept')) ?? problemAnswer(problem));
    };
    try {
      const answer = handler(new HandlerContext(req, body, client, pace));
      // Answers that need no waiting stay synchronous: the server sends those faster.
      const made = answer instanceof Promise ? answer.then(answered) : answered(answer);
      return made instanceof Promise ? made.catch(fail) : made;
    } catch (error) {
      return fail(error);
    }
  };
  for (const method of cached) if (routes.has(method)) cache?.add(method, resource.path, reply);

  // Takes `req` and `env` alone: an endless answer would keep the whole context of hono in memory.
  const serve = ({ req, env }: Context): Response | Promise<Response> => {
    const made = reply(req, env?.incoming?.socket?.remoteAddress);
    return made instanceof Promise
      ? made.then((one) => toResponse(one, req.method))
      : toResponse(made, req.method);
  };
  const { ending } = resource;
  if (ending === undefined) app.all(resource.path, serve);
  else app.all(resource.path, (c, next) => (c.req.path.endsWith(ending) ? serve(c) : next()));
  if (!resource.path.endsWith('/') && !resource.path.endsWith('*')) app.all(`${resource.path}/`, serve);
}

/**
 * Answers requests for paths that no resource has, with 404 or what `missing` says. To be called on the outermost router
 * only: in a mounted one, this answer would hide the routes of the routers mounted after it.
 */
export function addFallback(
  app: Hono,
  { log, routeMetrics, problemPage }: ResourceSettings,
  missing = () => new Problem(404, 'There is nothing at this path'),
): void {
  const common = withCommon(CORS_HEADERS);
  const metrics = routeMetrics?.('none', 'other');
  const answer = (c: Context, problem: Problem) => {
    const startedAt = metrics?.started() ?? 0;
    const presented = problemPage?.(problem, c.req.header('accept')) ?? problemAnswer(problem);
    const finished = ({ bytes }: BodyEnd) => metrics?.finished(startedAt, presented.status, bytes);
    return toResponse(replyOf(presented, common, { metrics, finished }), c.req.method);
  };
  app.notFound((c) => {
    const path = c.req.url.replace(/[?#].*$/s, '');
    if (percentDecode(path) !== undefined) return answer(c, missing());
    return answer(c, new Problem(400, 'The path is not valid percent-encoding'));
  });
  app.onError((error, c) => answer(c, reportError(error, c.req, log)));
}

/** Most requests are answered without any pause, and so without what counts their work. */
class HandlerContext implements RouteContext {
  readonly #pace: Pace;
  #own: Pace | undefined;

  constructor(
    readonly req: RouteRequest,
    readonly bodyAtHand: Uint8Array | undefined,
    readonly client: string | undefined,
    pace: Pace,
  ) {
    this.#pace = pace;
  }

  get pace(): Pace {
    this.#own ??= requestPace(this.#pace);
    return this.#own;
  }
}

function problemAnswer(problem: Problem): Answer {
  return {
    status: problem.status,
    headers: {
      ...problem.headers,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    },
    body: jsonText(problem),
  };
}

/** The handlers of a resource by method, those that follow from its own included, in the order in which `Allow` names them. */
function handlersOf({ methods, cors }: Resource): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const [method, handler] of Object.entries(methods)) {
    if (!handler) continue;
    handlers.set(method, handler);
    if (method === 'GET') handlers.set('HEAD', handler);
  }
  const allow = [...handlers.keys(), 'OPTIONS'].join(', ');
  const headers = { allow, ...(cors && preflightHeaders(cors, allow)) };
  return handlers.set('OPTIONS', () => ({ status: 204, headers }));
}
