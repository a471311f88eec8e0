import type { Context, Hono } from 'hono';
import type { ResponseCache } from './cache/response-cache.js';
import type { StoredResponse } from './cache/response-store.js';
import { type ErrorLog, reportError } from './error-handler.js';
import { ANY_ORIGIN, type CorsPolicy, corsHeaders, preflightHeaders } from './headers/cors.js';
import { Problem } from './problem.js';
import { percentDecode } from './request/percent.js';
import { type RouteRequest, requestOf } from './request/route-request.js';
import type { RequestWatch, RouteWatch } from './request-watch.js';
import { type Body, bytesOf, isWhole } from './response/body.js';
import { type BodyEnd, bodyStream } from './response/response-stream.js';

/** An answer as a value; `addResource` turns it into a response in one place. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, or its pieces when it is made while it is sent. No body when absent. */
  readonly body?: Body;
  /** May it be sent again to the same request, for as long as nothing changes? Only where the route says what it varies on. */
  readonly repeatable?: boolean;
  /** Gives the body's memory back once it has been sent. */
  readonly release?: () => void;
}

export type Handler = (c: RouteContext) => Answer | Promise<Answer>;

/** What a handler is given. */
export interface RouteContext {
  readonly req: RouteRequest;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Resource {
  /**
   * Plain segments, without a trailing slash; requests with one are answered alike. `/*` at the end takes whatever
   * follows, which the handlers read themselves. No parameters with patterns of their own (`:uri{.+}`): the router
   * tries those at every segment, which takes 23 s for 15,000 slashes.
   */
  readonly path: string;
  /** Of several resources with one path, this one takes only the paths that end like this; the next one is asked for others. */
  readonly ending?: string;
  /** What exists now. A method that is not here is refused, and not listed either. */
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /**
   * The request headers, in lower case, that the answers of a method depend on; absent: its answers are never
   * stored. A handler that reads another header fails, because stored answers would be sent to the wrong requests.
   */
  readonly varies?: Readonly<Partial<Record<'GET' | 'POST', readonly string[]>>>;
  /** Pages of the node's own origin only, when absent. */
  readonly cors?: CorsPolicy;
}

export interface ResourceSettings {
  readonly log: ErrorLog;
  readonly watch?: RequestWatch;
  /** Where repeatable answers are stored. */
  readonly cache?: ResponseCache;
}

/** Browsers must not take text that strangers wrote for a page or a script. Only when the answer has a body. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/**
 * Adds a path with its methods to a router. HEAD follows from GET; OPTIONS and 405 name what there is
 * (RFC 9110, sections 9.3.7 and 15.5.6); what a handler throws becomes a problem document.
 */
export function addResource(app: Hono, resource: Resource, settings: ResourceSettings): void {
  const handlers = handlersOf(resource);
  const common = withCommon(resource.cors ? corsHeaders(resource.cors) : {});
  const allow = allowedMethods(resource);
  const watchOf = (method: string) => settings.watch?.(resource.path + (resource.ending ?? ''), method);
  const refuse: Handler = ({ req }) => {
    throw new Problem(405, `${req.method} is not possible here; there are ${allow}`, { headers: { allow } });
  };
  const refused = { handler: refuse, watch: watchOf('other'), varies: undefined };
  const varies: Readonly<Record<string, readonly string[] | undefined>> = resource.varies ?? {};
  const served = new Map(
    [...handlers].map(([method, handler]) => [
      method,
      { handler, watch: watchOf(method), varies: varies[method === 'HEAD' ? 'GET' : method] },
    ]),
  );

  const serve = (c: Context): Response | Promise<Response> => {
    const { method } = c.req;
    const { handler, watch, varies } = served.get(method) ?? refused;
    const began = watch?.began() ?? 0;
    const pending = varies && settings.cache?.pending(c.env?.incoming);
    const finish = (answer: Answer) => {
      if (answer.release) c.env?.outgoing?.once('finish', answer.release);
      if (answer.repeatable && isWhole(answer.body))
        pending?.store(varies ?? [], () => stored(answer, common, watch));
      return toResponse(answer, method, common, (status, { bytes, error }) => {
        if (error !== undefined) reportError(error, c.req, settings.log);
        watch?.ended(began, status, bytes);
      });
    };
    const fail = (error: unknown) => finish(problemAnswer(reportError(error, c.req, settings.log)));
    try {
      const answer = handler({ req: requestOf(c.req, varies, pending?.body) });
      // Answers that are there at once stay synchronous: the server sends those without a detour.
      return answer instanceof Promise ? answer.then(finish).catch(fail) : finish(answer);
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
 * Answers what no resource of a router takes. To be called on the outermost router only: in a mounted one it
 * would hide the routes of those mounted after it.
 */
export function addFallback(app: Hono, { log, watch }: ResourceSettings): void {
  const common = withCommon(corsHeaders(ANY_ORIGIN));
  const unknown = watch?.('none', 'other');
  const answer = (c: Context, problem: Problem) => {
    const began = unknown?.began() ?? 0;
    return toResponse(problemAnswer(problem), c.req.method, common, (status, { bytes }) =>
      unknown?.ended(began, status, bytes),
    );
  };
  app.notFound((c) => {
    const path = c.req.url.replace(/[?#].*$/s, '');
    if (percentDecode(path) !== undefined)
      return answer(c, new Problem(404, 'There is nothing at this path'));
    return answer(c, new Problem(400, 'The path is not valid percent-encoding'));
  });
  app.onError((error, c) => answer(c, reportError(error, c.req, log)));
}

export function problemAnswer(problem: Problem): Answer {
  return {
    status: problem.status,
    headers: {
      ...problem.headers,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    },
    body: JSON.stringify(problem),
  };
}

/** The methods of a resource as `Allow` lists them. */
function allowedMethods({ methods }: Resource): string {
  return [
    ...Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])),
    'OPTIONS',
  ].join(', ');
}

function handlersOf(resource: Resource): Map<string, Handler> {
  const handlers = new Map<string, Handler>(Object.entries(resource.methods));
  const get = resource.methods.GET;
  if (get) handlers.set('HEAD', get);
  const allow = allowedMethods(resource);
  const headers = { allow, ...(resource.cors ? preflightHeaders(resource.cors, allow) : {}) };
  handlers.set('OPTIONS', () => ({ status: 204, headers }));
  return handlers;
}

/** The answer as it is stored: without streams, which are made for one reader. */
function stored(
  { status, headers, body }: Answer,
  common: Common,
  watch: RouteWatch | undefined,
): StoredResponse {
  const bytes = bytesOf(body) ?? 0;
  const length = body === undefined ? {} : { 'content-length': String(bytes) };
  const all = Object.entries({ ...common(status, headers), ...length }).flat();
  // A copy: the memory of the body may be used again.
  const kept = body instanceof Uint8Array ? Buffer.from(body) : (body as string | undefined);
  return { status, headers: all, body: kept, bytes, watch };
}

type Ended = (status: number, end: BodyEnd) => void;

function toResponse(
  { status, headers, body }: Answer,
  method: string,
  common: Common,
  ended: Ended,
): Response {
  const bytes = bytesOf(body);
  const announced = body !== undefined && bytes !== undefined ? { 'content-length': String(bytes) } : {};
  const all = { ...common(status, headers), ...announced };
  const sent = method === 'HEAD' ? undefined : body;
  if (!isWhole(sent))
    return new Response(
      bodyStream(sent, (end) => ended(status, end)),
      { status, headers: all },
    );
  const response = new Response((sent ?? null) as SentBody, { status, headers: all });
  ended(status, { bytes: sent === undefined ? 0 : (bytes ?? 0) });
  return response;
}

/** Adds to the headers of an answer those that all answers of a resource have. */
type Common = (status: number, headers: Answer['headers']) => Record<string, string>;

function withCommon(common: Readonly<Record<string, string>>): Common {
  return (status, headers) => ({ ...(status === 304 ? {} : NO_SNIFFING), ...common, ...headers });
}

type SentBody = ConstructorParameters<typeof Response>[0];
