import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { listAnswer } from '../http/listing.js';
import { noSuch, requestedUris } from '../http/request-target.js';
import { connectionBody } from '../records/connection.js';
import { inviteBody } from '../records/invite.js';
import type { Records } from '../records/records.js';
import type { RouteParts } from '../route-parts.js';
import type { Access } from '../tokens/access.js';
import { sameUri } from '../uri.js';

type List = 'connections' | 'invites';

/**
 * Values of the parameter `type` of `/holder/{uri}/connections`: the specification documents the invites of a holder at
 * the same path as the connections, so that `type=invite` is how a client asks for them there.
 */
const TYPES: Readonly<Record<string, List>> = { connection: 'connections', invite: 'invites' };

/** `/holder/{uri}/connections` and `/holder/{uri}/invites`. */
export function holderRoutes(parts: RouteParts): Resource[] {
  return (['connections', 'invites'] as const).map((list) => ({
    path: '/holder/*',
    ending: `/${list}`,
    cors: ANY_ORIGIN,
    methods: { GET: listOfHolder(list, parts) },
  }));
}

function listOfHolder(path: List, { authorised, records, mount, pace }: RouteParts): Handler {
  return authorised(({ req }, access) => {
    const holder = holderMeant(requestedUris(req.url, mount, 'holder', path), records, access);
    const parameters = parametersOf(req.url);
    const list = path === 'connections' ? listAskedFor(parameters) : path;
    const listing = {
      address: `${mount.base}/holder/${encodeURIComponent(holder)}/${path}`,
      others: path === 'connections' ? ['type'] : [],
      parameters,
      pace,
    };
    return list === 'invites'
      ? listAnswer({ records: records.invites.list({ holder }), body: inviteBody, ...listing })
      : listAnswer({ records: records.connections.list({ holder }), body: connectionBody, ...listing });
  });
}

/** @throws InvalidInput */
function listAskedFor(parameters: URLSearchParams): List {
  const type = parameters.get('type') ?? 'connection';
  const list = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (list) return list;
  const detail = `type must be one of ${Object.keys(TYPES).join(', ')}`;
  throw invalidParameters([{ pointer: '?type', detail }]);
}

/**
 * The holder whose records are listed. A holder's token finds nobody else; the operator's finds those with records, and
 * gets an empty list for any other URI. @throws Problem 404
 */
function holderMeant(meant: readonly string[], records: Records, access: Access): string {
  if (access.kind === 'holder') {
    if (meant.some((uri) => sameUri(uri, access.holder))) return access.holder;
    throw noSuch('holder');
  }
  const has = (uri: string) =>
    records.connections.list({ holder: uri }).length > 0 || records.invites.list({ holder: uri }).length > 0;
  return meant.find(has) ?? meant[0] ?? '';
}
