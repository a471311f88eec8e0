import type { Context, Hono } from 'hono';
import { type Pace, withoutPause } from '../pace.js';
import type { ResponseCache, StoredResponse } from './cache/response-cache.js';
import { type ErrorLog, reportError } from './error-handler.js';
import { ANY_ORIGIN, type CorsPolicy, corsHeaders, preflightHeaders } from './headers/cors.js';
import type { Json } from './openapi-parts.js';
import { Problem } from './problem.js';
import { percentDecode } from './request/percent.js';
import { type RouteRequest, requestOf } from './request/route-request.js';
import { RequestWork } from './request-work.js';
import { type Body, bytesOf, isWhole } from './response/body.js';
import { boundedAnswer } from './response/bounded-answer.js';
import { jsonText } from './response/json-text.js';
import { type BodyEnd, bodyStream } from './response/response-stream.js';
import type { RouteMetrics, RouteMetricsOf } from './route-metrics.js';

/** What a handler answers, as plain data; `addResource` makes the response of it. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, or its pieces where it is made while it is being sent. No body when absent. */
  readonly body?: Body;
  /**
   * May the response cache send it again to the same request, until the state of the registry changes? Only in
   * resources that are `cached`; in others it is an error.
   */
  readonly repeatable?: boolean;
  /** Is it a listing or a feed, which may have any length? All others have a bound, see `boundedAnswer`. */
  readonly streams?: boolean;
  /** The body goes on until one side ends it: what is measured of the request is the time until it begins. */
  readonly endless?: boolean;
}

/** Answers a request; what it throws becomes a problem document, see `problemOf`. */
export type Handler = (c: RouteContext) => Answer | Promise<Answer>;

/** What a handler is given. */
export interface RouteContext {
  readonly req: RouteRequest;
  /** The address of who asks, or of a proxy before it; absent where there is no connection. */
  readonly client?: string | undefined;
  /** Paces what is worked out before the answer, within what one request may take: see `RequestWork`. */
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
  /** How the methods are described for programs (OpenAPI 3.1), made when the description is asked for. */
  readonly operations?: Readonly<Partial<Record<Method, () => Json>>> | undefined;
  /**
   * The methods whose answers may be stored. A handler of these fails when it reads a header that is none of
   * `KEY_HEADERS`: stored answers would go to the wrong requests.
   */
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

/** Browsers must not guess the type of a body: text that others wrote could pass for a page or a script. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/**
 * Adds a path with its methods to a router. HEAD follows from GET; OPTIONS and 405 name what there is
 * (RFC 9110, sections 9.3.7 and 15.5.6); what a handler throws becomes a problem document.
 */
export function addResource(app: Hono, resource: Resource, settings: ResourceSettings): void {
  const handlers = handlersOf(resource);
  const common = withCommon(resource.cors && corsHeaders(resource.cors));
  const allow = [...handlers.keys()].join(', ');
  const metricsOf = (method: string) =>
    settings.routeMetrics?.(resource.path + (resource.ending ?? ''), method);
  const refuse: Handler = ({ req }) => {
    throw new Problem(405, `${req.method} is not possible here; there are ${allow}`, { headers: { allow } });
  };
  const refused = { handler: refuse, metrics: metricsOf('other'), isCached: false };
  const { pace = withoutPause } = settings;
  const cached: readonly string[] = resource.cached ?? [];
  const routes = new Map(
    [...handlers].map(([method, handler]) => [
      method,
      { handler, metrics: metricsOf(method), isCached: cached.includes(method === 'HEAD' ? 'GET' : method) },
    ]),
  );

  // Takes `req` and `env` alone: an endless answer would keep the whole context of hono in memory.
  const serve = ({ req, env }: Context): Response | Promise<Response> => {
    const { method } = req;
    const { handler, metrics, isCached } = routes.get(method) ?? refused;
    const startedAt = metrics?.started() ?? 0;
    const pending = isCached ? settings.cache?.pending(env?.incoming) : undefined;
    const finish = (answer: Answer) => {
      if (answer.repeatable && !isCached)
        throw new Error(`${method} ${resource.path} has repeatable answers and is not \`cached\``);
      if (answer.repeatable && isWhole(answer.body)) pending?.store(storedResponse(answer, common, metrics));
      const headersFor =
        answer.status === 304 && req.header('origin') === undefined && !answer.repeatable ? as304 : common;
      if (answer.endless) metrics?.finished(startedAt, answer.status, 0);
      return toResponse(answer, method, headersFor, (status, { bytes, error }) => {
        if (error !== undefined) reportError(error, req, settings.log);
        if (!answer.endless) metrics?.finished(startedAt, status, bytes);
      });
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
      const client: string | undefined = env?.incoming?.socket?.remoteAddress;
      const answer = handler(new HandlerContext(requestOf(req, isCached, pending?.body), client, pace));
      // Answers that need no waiting stay synchronous: the server sends those faster.
      const response = answer instanceof Promise ? answer.then(answered) : answered(answer);
      return response instanceof Promise ? response.catch(fail) : response;
    } catch (error) {
      return fail(error);
    }
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
  const common = withCommon(corsHeaders(ANY_ORIGIN));
  const metrics = routeMetrics?.('none', 'other');
  const answer = (c: Context, problem: Problem) => {
    const startedAt = metrics?.started() ?? 0;
    const presented = problemPage?.(problem, c.req.header('accept')) ?? problemAnswer(problem);
    return toResponse(presented, c.req.method, common, (status, { bytes }) =>
      metrics?.finished(startedAt, status, bytes),
    );
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
  #work: RequestWork | undefined;

  constructor(
    readonly req: RouteRequest,
    readonly client: string | undefined,
    pace: Pace,
  ) {
    this.#pace = pace;
  }

  get pace(): Pace {
    this.#work ??= new RequestWork(this.#pace);
    return this.#work.pace;
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

/** An answer with a whole body as the cache stores it. */
function storedResponse(
  { status, headers, body }: Answer,
  common: Common,
  metrics: RouteMetrics | undefined,
): StoredResponse {
  const bytes = bytesOf(body) ?? 0;
  const all = Object.entries(common(status, headers)).flat();
  if (body !== undefined) all.push('content-length', String(bytes));
  return { status, headers: all, body: body as StoredResponse['body'], bytes, metrics };
}

/** Called when the body has been sent, or is not sent any further. */
type Finished = (status: number, end: BodyEnd) => void;

function toResponse(
  { status, headers, body }: Answer,
  method: string,
  common: Common,
  finished: Finished,
): Response {
  const bytes = bytesOf(body);
  const all = common(status, headers);
  if (body !== undefined && bytes !== undefined) all['content-length'] = String(bytes);
  if (!isWhole(body)) {
    const stream = bodyStream(body, (end) => finished(status, end));
    if (method !== 'HEAD') return new Response(stream, { status, headers: all });
    // What is held for the body is given back.
    void stream.cancel();
    return new Response(null, { status, headers: all });
  }
  const sent = method === 'HEAD' ? undefined : body;
  const response = new Response((sent ?? null) as SentBody, { status, headers: all });
  finished(status, { bytes: sent === undefined ? 0 : (bytes ?? 0) });
  return response;
}

/** The headers of an answer with those that all answers of a resource have, in an object of its own. */
type Common = (status: number, headers: Answer['headers']) => Record<string, string>;

function withCommon(common?: Readonly<Record<string, string>>): Common {
  // Not a spread of several objects: to that, V8 of Node 20 gives a hidden class of its own, which takes 20 times as long.
  return (status, headers) => Object.assign({}, status === 304 ? undefined : NO_SNIFFING, common, headers);
}

/**
 * A 304 for a reader that is no page of another origin does without the headers of CORS, which would be a quarter of it.
 * One that is stored has them, as it may be sent to anybody.
 */
const as304: Common = (_status, headers) => ({ ...headers });

type SentBody = ConstructorParameters<typeof Response>[0];
