import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { entityAnswer, requireMatch } from '../http/entity.js';
import { requestedUris } from '../http/request-target.js';
import {
  type Exchange,
  type Invite,
  inviteBody,
  newInvite,
  readInvite,
  readNewInvite,
} from '../records/invite.js';
import type { Decision, Records } from '../records/records.js';
import { find, getRecord, listRecords, newUri, type RouteParts } from '../route-parts.js';
import { holderFor, maySee } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { connectionOf } from './holder-view.js';
import { inviteLink } from './invite-link.js';
import { type ChangedInvite, changeInvite, refuseUnusable } from './invite-state.js';

/** `/invite/`, `/invite/{uri}/link`, `/invite/{uri}` and `/exchange/{uri}`. */
export function inviteRoutes(parts: RouteParts): Resource[] {
  const { invites: index, exchanges } = parts.records;
  const invites = { name: 'invite', index, body: inviteBody } as const;
  const exchange = {
    name: 'exchange',
    index: exchanges,
    body: (one: Exchange) => one,
  } as const;
  return [
    {
      path: '/invite',
      cors: ANY_ORIGIN,
      methods: { GET: listRecords(parts, invites), POST: createInvite(parts) },
    },
    // Before `/invite/*`, which would take `/link` for a part of the URI.
    { path: '/invite/*', ending: '/link', cors: ANY_ORIGIN, methods: { GET: getLink(parts) } },
    {
      path: '/invite/*',
      cors: ANY_ORIGIN,
      methods: { GET: getRecord(parts, invites), PUT: replaceInvite(parts) },
    },
    { path: '/exchange/*', cors: ANY_ORIGIN, methods: { GET: getRecord(parts, exchange) } },
  ];
}

function createInvite(parts: RouteParts): Handler {
  return parts.authorised(async ({ req }, access) => {
    const { records } = parts;
    const wanted = readNewInvite(await readJsonBody(req.raw, parts.bodyBytes));
    const holder = holderFor(access, wanted.holder ?? undefined);
    const assigned = { uri: newUri(parts, 'invite'), now: parts.clock.now() };
    const invite = newInvite({ ...wanted, holder }, assigned);
    await records.change(() => {
      // An invite of another holder does not count: the refusal would tell that it exists.
      if (records.invites.named(invite.uri).some(({ record }) => maySee(access, record)))
        throw new Problem(409, 'This uri is taken; leave it to the service');
      return { changes: [{ kind: 'invite', put: invite }], result: undefined };
    });
    const location = `${parts.mount.base}/invite/${encodeURIComponent(invite.uri)}`;
    // Of the registered relations (RFC 8288), the one for a page on which people change what the link is about (RFC 6861).
    const link = `<${inviteLink(parts.mount.base, invite, parts.keys.invite)}>; rel="edit-form"`;
    return entityAnswer(201, inviteBody(invite), { location, link });
  });
}

function getLink({ authorised, records, keys, mount, clock }: RouteParts): Handler {
  return authorised(({ req }, access) => {
    const invite = find(records.invites, requestedUris(req.url, mount, 'invite', 'link'), access, 'invite');
    refuseUnusable(invite, clock.now());
    return entityAnswer(200, { inviteLink: inviteLink(mount.base, invite, keys.invite) });
  });
}

function replaceInvite(parts: RouteParts): Handler {
  return parts.authorised(async ({ req }, access) => {
    const { records } = parts;
    const meant = requestedUris(req.url, parts.mount, 'invite');
    const wanted = readInvite(await readJsonBody(req.raw, parts.bodyBytes));
    const replaced = await records.change(() => {
      const current = find(records.invites, meant, access, 'invite');
      requireMatch(req.header('if-match'), inviteBody(current));
      const changed = changeInvite(
        current,
        { ...wanted, holder: holderFor(access, wanted.holder ?? current.holder) },
        {
          now: parts.clock.now(),
          exchangeUri: newUri(parts, 'exchange'),
          connection: (uri, holder) => connectionOf(records, { connection: uri, holder }),
        },
      );
      return inviteDecision(records, changed, current);
    });
    return entityAnswer(200, inviteBody(replaced));
  });
}

/**
 * The changes that replace an invite, and add the exchange that it has led to.
 * @throws Problem 409 when its holder has another invite with this URI, or an exchange with that URI
 */
export function inviteDecision(
  records: Records,
  { invite, exchange }: ChangedInvite,
  current: Invite,
): Decision<Invite> {
  const isHolders = ({ record }: { record: Invite | Exchange }) => sameUri(record.holder, invite.holder);
  if (records.invites.named(invite.uri).some((other) => other.record !== current && isHolders(other)))
    throw new Problem(409, 'This holder has another invite with this uri');
  const put = { kind: 'invite', put: invite, replaces: current } as const;
  if (!exchange) return { changes: [put], result: invite };
  if (records.exchanges.named(exchange.uri).some(isHolders)) {
    throw new Problem(409, 'The invite names an exchange that exists already; set its "exchange" to null');
  }
  return {
    changes: [put, { kind: 'exchange', put: exchange }],
    result: invite,
  };
}
