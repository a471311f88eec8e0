import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { listAnswer } from '../http/listing.js';
import { noSuch, requestedUris } from '../http/request-target.js';
import { connectionBody } from '../records/connection.js';
import { inviteBody } from '../records/invite.js';
import type { Records } from '../records/records.js';
import type { Access } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import type { RouteParts } from './record-routes.js';

/**
 * Values of the parameter `type` of `/holder/{uri}/connections`: the specification documents the invites of a holder at
 * the same path as the connections, so that `type=invite` is how a client asks for them there.
 */
const TYPES: Readonly<Record<string, 'connection' | 'invite'>> = {
  connection: 'connection',
  invite: 'invite',
};

/** `/holder/{uri}/connections` and `/holder/{uri}/invites`. */
export function holderRoutes(parts: RouteParts): Resource[] {
  return (['connections', 'invites'] as const).map((path) => ({
    path: '/holder/*',
    ending: `/${path}`,
    cors: ANY_ORIGIN,
    methods: { GET: listOfHolder(path, parts) },
  }));
}

function listOfHolder(path: 'connections' | 'invites', parts: RouteParts): Handler {
  const { authorised, records, mount, pace } = parts;
  return authorised(async ({ req }, access) => {
    const holder = await holderMeant(requestedUris(req.url, mount, 'holder', path), records, access);
    const parameters = parametersOf(req.url);
    const kind = path === 'invites' ? 'invite' : listAskedFor(parameters);
    const address = `${mount.base}/holder/${encodeURIComponent(holder)}/${path}`;
    const listing = { address, others: path === 'connections' ? ['type'] : [], parameters, pace };
    return kind === 'invite'
      ? listAnswer({ records: await records.list(kind, { holder }), body: inviteBody, ...listing })
      : listAnswer({ records: await records.list(kind, { holder }), body: connectionBody, ...listing });
  });
}

/** @throws InvalidInput */
function listAskedFor(parameters: URLSearchParams): 'connection' | 'invite' {
  const type = parameters.get('type') ?? 'connection';
  const kind = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (kind) return kind;
  const detail = `type must be one of ${Object.keys(TYPES).join(', ')}`;
  throw invalidParameters([{ pointer: '?type', detail }]);
}

/**
 * The holder whose records are listed. A holder's token finds nobody else; the operator's finds those with records, and
 * gets an empty list for any other URI. @throws Problem 404
 */
async function holderMeant(meant: readonly string[], records: Records, access: Access): Promise<string> {
  if (access.kind === 'holder') {
    if (meant.some((uri) => sameUri(uri, access.holder))) return access.holder;
    throw noSuch('holder');
  }
  for (const holder of meant.slice(0, -1)) {
    for (const kind of ['connection', 'invite'] as const)
      if ((await records.list(kind, { holder })).length > 0) return holder;
  }
  return meant.at(-1) ?? '';
}
