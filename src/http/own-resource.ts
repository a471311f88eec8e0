import type { OwnPath } from '../config/own-paths.js';
import { grouped } from '../lib/grouped.js';
import type { Described } from '../lib/http/openapi-parts.js';
import type { Handler, Method, Resource } from '../lib/http/resource.js';

/** A resource of the registry, at a path that the configuration knows as the registry's own. */
export interface OwnResource extends Resource {
  readonly path: OwnPath;
}

/** One method of a path: what answers it, and what it is to programs. */
export interface Route extends Described {
  readonly path: OwnPath;
  readonly handler: Handler;
  /** Of several routes of one path, the first one says it for all. */
  readonly cors?: Resource['cors'];
  /** Is it asked for often? See `Resource.cached`. */
  readonly cached?: boolean;
}

type MakeRoute = (
  path: OwnPath,
  handler: Handler,
  described: Omit<Route, 'method' | 'path' | 'handler'>,
) => Route;

const routeOf =
  (method: Method): MakeRoute =>
  (path, handler, described) => ({ method, path, handler, ...described });

export const get = routeOf('GET');
export const post = routeOf('POST');
export const remove = routeOf('DELETE');

/** The routes as paths with methods. CORS of a path is what its first route says. */
export function resourcesOf(routes: readonly Route[]): OwnResource[] {
  return [...grouped(routes, ({ path }) => path)].map(([path, own]) => ({
    path: path as OwnPath,
    cors: own[0].cors,
    cached: own.filter(({ cached }) => cached).map(({ method }) => method as 'GET' | 'POST'),
    methods: Object.fromEntries(own.map(({ method, handler }) => [method, handler])),
  }));
}
