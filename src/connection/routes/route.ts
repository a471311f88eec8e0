import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import { grouped } from '../../lib/grouped.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import {
  type Described,
  type Json,
  json,
  listOf,
  parameter,
  reference,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { Problem } from '../../lib/http/problem.js';
import { percentDecode } from '../../lib/http/request/percent.js';
import type { Answer, Method, Resource, RouteRequest } from '../../lib/http/resource.js';
import type { Log } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { NodeView } from '../../pages/shell/page.js';
import type { ChangeRecords, Records } from '../records/records.js';
import type { Refresh } from '../sources/refresh.js';
import type { CheckSource } from '../sources/source-reading.js';
import type { Access, AccessOf } from '../tokens/access.js';
import { meantUris } from '../uri.js';

/** What the routes work with. */
export interface Service {
  readonly config: Pick<Config, 'invites' | 'limits'>;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** What pages show of the node at the moment. */
  readonly node: () => NodeView;
  /** URL of the mount point for clients, without a slash at the end; and its path on this node. */
  readonly base: string;
  readonly mount: string;
  readonly records: Records;
  readonly change: ChangeRecords;
  readonly accessOf: AccessOf;
  readonly refresh: Refresh;
  readonly checkSource: CheckSource;
  /** Signs invite links. */
  readonly linkKey: Uint8Array;
}

/** The URI of a new record, which is also its address on this node; never the same twice. */
export function newUri(kind: 'connection' | 'invite' | 'exchange', { base }: Service): string {
  return `${base}/${kind}/${randomUUID()}`;
}

/** A request that came with a good token. */
export interface Asked {
  readonly req: RouteRequest;
  readonly access: Access;
  /** The URIs that the path may mean, the likeliest first; none where it names none. */
  readonly meant: readonly string[];
}

export type Handle = (service: Service, asked: Asked) => Answer | Promise<Answer>;

/**
 * One method of a path below the mount point, what answers it, and what it is to programs. In the path, `{uri}` stands for any
 * rest, or for all that comes before an ending.
 */
export interface Route extends Described {
  readonly handle: Handle;
}

const URI = parameter('uri', 'path', { ...TEXT, description: 'URI of a record or holder, percent-encoded' });
const IF_MATCH = parameter('If-Match', 'header', {
  ...TEXT,
  description: 'Entity tag of the record to be changed',
});

/**
 * @param id of the operation, for generated clients. It is made of what is done and the name of a schema, in the plural where the
 * answer is a list; and it is a sentence: `listHolderInvites` is "List holder invites".
 * @param more `refuses`: with what else than follows from the path, the method and the body
 */
export function route(
  method: Method,
  path: string,
  id: string,
  handle: Handle,
  { parameters = [], refuses = [] }: { parameters?: readonly Json[]; refuses?: readonly number[] } = {},
): Route {
  const [, does = '', name = '', plural] = /^([a-z]+)(?:Holder)?([A-Z]\w*?)(s?)$/.exec(id) ?? [];
  const taken = { create: `New${name}`, replace: name }[does];
  const answer = plural ? listOf(reference(name)) : reference(name);
  const words = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const isNamed = path.includes('{uri}');
  const isChange = method === 'PUT' || method === 'DELETE';
  return {
    ...{ method, path, id, handle, summary: words.charAt(0).toUpperCase() + words.slice(1) },
    // The scheme is that of the operator's token; JWTs are sent the same way.
    security: [{ operator: [] }],
    parameters: () => [...(isNamed ? [URI] : []), ...(isChange ? [IF_MATCH] : []), ...parameters],
    ...(taken && { takes: () => json(reference(taken)) }),
    answers: does === 'delete' ? { 204: undefined } : { [does === 'create' ? 201 : 200]: json(answer) },
    refuses: [
      ...[401, 503, 507, ...refuses],
      ...(isNamed ? [404] : []),
      ...(isChange ? [412] : []),
      ...(taken ? [403, 409, 413, 415, 422] : []),
    ],
  };
}

/** The routes as paths with methods, for all of which a token is needed. */
export function resourcesOf(routes: readonly Route[], service: Service): Resource[] {
  return [...grouped(routes, ({ path }) => path)].map(([path, own]) => {
    const methods = own.map(({ method, handle }) => [
      method,
      async ({ req }: { req: RouteRequest }) => {
        const access = await service.accessOf(req.header('authorization'));
        return handle(service, { req, access, meant: requestedUris(req.url, path, service) });
      },
    ]);
    return { ...patternOf(path), cors: ANY_ORIGIN, methods: Object.fromEntries(methods) };
  });
}

/** The path as routers match it. */
export function patternOf(path: string): Pick<Resource, 'path' | 'ending'> {
  const [before = '', ending] = path.split('{uri}');
  return ending === undefined ? { path } : { path: `${before}*`, ...(ending && { ending }) };
}

/**
 * The URIs that a request for such a path may mean, the likeliest first.
 * @throws Problem 400 when the path is not valid percent-encoding, 404 when it holds no URI
 */
export function requestedUris(url: string, path: string, { base, mount }: Service): string[] {
  const [before = '', ending] = path.split('{uri}');
  if (ending === undefined) return [];
  const target = url.replace(/^[a-z]+:\/\/[^/]*/i, '');
  const [requested = ''] = target.split(/[?#]/, 1);
  if (percentDecode(requested) === undefined)
    throw new Problem(400, 'The path is not valid percent-encoding');
  const from = mount.length + before.length;
  // A URI that stands plain at the end of a path brings its own query.
  const written =
    ending === '' ? target.slice(from) : requested.replace(/\/$/, '').slice(from, -ending.length);
  const collection = before.slice(0, -1);
  const meant = meantUris(written, base + collection);
  if (meant.length === 0) noSuch(collection.slice(1));
  return meant;
}

/** @throws Problem 404, the same for what does not exist and for what is another holder's, so that nobody can guess URIs */
export function noSuch(kind: string): never {
  throw new Problem(404, `There is no ${kind} of yours with this URI`);
}
