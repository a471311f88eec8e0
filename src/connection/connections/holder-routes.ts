import { InvalidInput } from '../../lib/faults.js';
import { ANY_ORIGIN } from '../../lib/http/cors.js';
import type { Answer, Handler, Resource } from '../../lib/http/resource.js';
import { listAnswer } from '../http/listing.js';
import { noSuch, requestedUris } from '../http/request-target.js';
import { parametersOf, type RouteParts } from '../http/route-parts.js';
import type { Records } from '../records/records.js';
import type { Access } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { connectionBody } from './connection.js';

type List = 'connections' | 'invites';

/** The specification documents both lists at the first path; `type=invite` asks it for the second. */
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

function listOfHolder(list: List, { authorised, loaded, place }: RouteParts): Handler {
  return authorised('read', ({ req }, access) => {
    const { records } = loaded();
    const meant = requestedUris(req.url, place, 'holder', list);
    const holder = holderMeant(meant, records, access);
    const parameters = parametersOf(req.url);
    const address = `${place.base}/holder/${encodeURIComponent(holder)}/${list}`;
    if (list === 'invites') return invitesOf(holder, records, { parameters, address });
    const others = ['type'];
    return listAskedFor(parameters) === 'invites'
      ? invitesOf(holder, records, { parameters, address, others })
      : listAnswer({
          records: records.connections.list({ holder, order: 'newest' }),
          body: connectionBody,
          ...{ parameters, address, others },
        });
  });
}

function invitesOf(
  holder: string,
  records: Records,
  listing: { parameters: URLSearchParams; address: string; others?: readonly string[] },
): Answer {
  return listAnswer({
    records: records.invites.list({ holder, order: 'newest' }),
    body: (invite) => invite,
    ...listing,
  });
}

/** @throws InvalidInput */
function listAskedFor(parameters: URLSearchParams): List {
  const type = parameters.get('type') ?? 'connection';
  const list = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (list) return list;
  const detail = `type must be one of ${Object.keys(TYPES).join(', ')}`;
  throw new InvalidInput('The parameters of the URL are not valid', [{ pointer: '?type', detail }]);
}

/** A holder exists when it has records. A holder's token finds no other holder. @throws Problem 404 */
function holderMeant(meant: readonly string[], records: Records, access: Access): string {
  if (access.kind === 'holder') {
    if (meant.some((uri) => sameUri(uri, access.holder))) return access.holder;
    throw noSuch('holder');
  }
  const has = (uri: string) =>
    records.connections.list({ holder: uri, order: 'newest' }).length > 0 ||
    records.invites.list({ holder: uri, order: 'newest' }).length > 0;
  return meant.find(has) ?? meant[0] ?? '';
}
