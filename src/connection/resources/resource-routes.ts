import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { readPageParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource } from '../../lib/http/resource.js';
import { entityAnswer } from '../http/entity.js';
import { listAnswer } from '../http/listing.js';
import { noSuch, requestedUris } from '../http/request-target.js';
import { type CachedResource, resourceBody } from '../records/cached-resource.js';
import type { Records } from '../records/records.js';
import type { RouteParts } from '../route-parts.js';
import { type Access, visibleTo } from '../tokens/access.js';
import { uriKey } from '../uri.js';

/** `/resource/refresh`, `/resource/` and `/resource/{uri}`. */
export function resourceRoutes(parts: RouteParts): Resource[] {
  return [
    { path: '/resource', cors: ANY_ORIGIN, methods: { GET: listResources(parts) } },
    // Before `/resource/*`, which would take `refresh` for a URI.
    { path: '/resource/refresh', cors: ANY_ORIGIN, methods: { POST: refreshResources(parts) } },
    { path: '/resource/*', cors: ANY_ORIGIN, methods: { GET: getResource(parts) } },
  ];
}

function listResources(parts: RouteParts): Handler {
  return parts.authorised(({ req }, access) => resourceList(parts, req.url, access));
}

/** `refreshedSince`: when the refresh began that this list answers, in ms since the epoch. */
function resourceList(
  { records, mount, pace }: RouteParts,
  url: string,
  access: Access,
  refreshedSince?: number,
): Answer {
  return listAnswer({
    records: records.resources.list(visibleTo(access)),
    body: bodyWith(records, refreshedSince),
    address: `${mount.base}/resource/`,
    parameters: parametersOf(url),
    pace,
  });
}

function refreshResources(parts: RouteParts): Handler {
  const { records, refresh, clock, log } = parts;
  return parts.authorised(async ({ req }, access) => {
    // Checked before the refresh, so that a request with wrong parameters has no effect.
    readPageParameters(parametersOf(req.url));
    const started = clock.now();
    const connections = records.connections.list(visibleTo(access)).map(({ record }) => record);
    const connected = connections.filter(({ state }) => state === 'CONNECTED');
    await refresh(connected);
    // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
    log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
    return resourceList(parts, req.url, access, started);
  });
}

function getResource({ authorised, records, mount }: RouteParts): Handler {
  return authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, mount, 'resource');
    return entityAnswer(200, await bodyWith(records)(bestOf(meant, records, access)));
  });
}

/**
 * A document that was read for several connections is several resources. Of those that the token may see, this is the
 * one that was read last, and one whose last attempt failed only when there is no other. @throws Problem 404
 */
function bestOf(meant: readonly string[], records: Records, access: Access): CachedResource {
  const visible = records.resources.list(visibleTo(access)).map(({ record }) => record);
  for (const key of meant.map(uriKey)) {
    const [best] = visible.filter(({ uri }) => uriKey(uri) === key).sort(better);
    if (best) return best;
  }
  throw noSuch('resource');
}

function better(one: CachedResource, other: CachedResource): number {
  const stale = Number(one.error !== null) - Number(other.error !== null);
  return stale || (other.refreshed ?? 0) - (one.refreshed ?? 0);
}

function bodyWith(records: Records, refreshedSince?: number): (resource: CachedResource) => Promise<object> {
  return async (resource) =>
    resourceBody(
      resource,
      await records.triples(resource),
      skippedBecause(resource, records, refreshedSince),
    );
}

/** Why a refresh leaves a resource as it is; undefined for those that it reads. */
function skippedBecause(
  { connection, refreshed, error }: CachedResource,
  records: Records,
  refreshedSince: number | undefined,
): string | undefined {
  // A list is sent piece by piece, so the connection may be gone by now.
  const state = records.connections.get(uriKey(connection))?.record.state ?? 'gone';
  if (state !== 'CONNECTED')
    return `its connection is ${state}; a refresh reads the sources of CONNECTED ones`;
  // What was read for a connection is dropped when the connection is changed before it is stored.
  const left = refreshedSince !== undefined && error === null && (refreshed ?? 0) < refreshedSince;
  return left ? 'its connection was changed during this refresh; refresh again' : undefined;
}
