import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { readPageParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource } from '../../lib/http/resource.js';
import type { Log } from '../../lib/log.js';
import { entityAnswer } from '../http/entity.js';
import { listAnswer } from '../http/listing.js';
import { noSuch, requestedUris } from '../http/request-target.js';
import { type CachedResource, resourceBody } from '../records/cached-resource.js';
import type { Records } from '../records/records.js';
import type { Refresh } from '../sources/refresh.js';
import { type Access, visibleTo } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import type { RouteParts } from './record-routes.js';

export interface ResourceRouteParts extends RouteParts {
  readonly refresh: Refresh;
  readonly log: Pick<Log, 'info'>;
}

/** `/resource/refresh`, `/resource/` and `/resource/{uri}`. */
export function resourceRoutes(parts: ResourceRouteParts): Resource[] {
  const list = parts.authorised(({ req }, access) => resourceList(parts, req.url, access));
  return [
    { path: '/resource', cors: ANY_ORIGIN, methods: { GET: list } },
    // Before `/resource/*`, which would take `refresh` for a URI.
    { path: '/resource/refresh', cors: ANY_ORIGIN, methods: { POST: refreshResources(parts) } },
    { path: '/resource/*', cors: ANY_ORIGIN, methods: { GET: getResource(parts) } },
  ];
}

/** `refreshedSince`: when the refresh began that this list answers, in ms since the epoch. */
async function resourceList(
  { records, mount, pace }: RouteParts,
  url: string,
  access: Access,
  refreshedSince?: number,
): Promise<Answer> {
  return listAnswer({
    records: await records.list('resource', visibleTo(access)),
    body: (resource) => bodyOf(resource, records, refreshedSince),
    address: `${mount.base}/resource/`,
    parameters: parametersOf(url),
    pace,
  });
}

function refreshResources(parts: ResourceRouteParts): Handler {
  const { authorised, records, refresh, clock, log } = parts;
  return authorised(async ({ req }, access) => {
    // Checked before the refresh, so that a request with wrong parameters has no effect.
    readPageParameters(parametersOf(req.url));
    const started = clock.now();
    const connections = (await records.list('connection', visibleTo(access))).map(({ record }) => record);
    const connected = connections.filter(({ state }) => state === 'CONNECTED');
    await refresh(connected);
    // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
    log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
    return resourceList(parts, req.url, access, started);
  });
}

/** `GET /resource/{uri}`. */
function getResource({ authorised, records, mount }: RouteParts): Handler {
  return authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, mount, 'resource');
    const visible = (await records.list('resource', visibleTo(access))).map(({ record }) => record);
    return entityAnswer(200, await bodyOf(bestOf(meant, visible), records));
  });
}

/**
 * A document that was read for several connections is several resources. Of those that the token may see, this is the
 * one that was read last, and one whose last attempt failed only when there is no other. @throws Problem 404
 */
function bestOf(meant: readonly string[], visible: readonly CachedResource[]): CachedResource {
  for (const uri of meant) {
    const [best] = visible.filter((resource) => sameUri(resource.uri, uri)).sort(better);
    if (best) return best;
  }
  throw noSuch('resource');
}

function better(one: CachedResource, other: CachedResource): number {
  const stale = Number(one.error !== null) - Number(other.error !== null);
  return stale || (other.refreshed ?? 0) - (one.refreshed ?? 0);
}

async function bodyOf(resource: CachedResource, records: Records, refreshedSince?: number): Promise<object> {
  const skipped = await skippedBecause(resource, records, refreshedSince);
  return resourceBody(resource, await records.triples(resource), skipped);
}

/** Why a refresh leaves a resource as it is; undefined for those that it reads. */
async function skippedBecause(
  { connection, holder, refreshed, error }: CachedResource,
  records: Records,
  refreshedSince: number | undefined,
): Promise<string | undefined> {
  // A list is sent piece by piece, so the connection may be gone by now.
  const state = (await records.get('connection', { holder, uri: connection }))?.record.state ?? 'gone';
  if (state !== 'CONNECTED')
    return `its connection is ${state}; a refresh reads the sources of CONNECTED ones`;
  // What was read for a connection is dropped when the connection is changed before it is stored.
  const left = refreshedSince !== undefined && error === null && (refreshed ?? 0) < refreshedSince;
  return left ? 'its connection was changed during this refresh; refresh again' : undefined;
}
