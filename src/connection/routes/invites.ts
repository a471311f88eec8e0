import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { entityAnswer, requireMatch } from '../http/entity.js';
import { requestedUris } from '../http/request-target.js';
import { inviteLink } from '../invites/invite-link.js';
import { type ChangedInvite, changeInvite, refuseUnusable } from '../invites/invite-state.js';
import { type Invite, inviteBody, newInvite, readInvite, readNewInvite } from '../records/invite.js';
import type { Decision, RecordReads, Stored } from '../records/records.js';
import { holderFor } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { find, getRecord, listRecords, newUri, type RouteParts, visible } from './record-routes.js';

export interface InviteRouteParts extends RouteParts {
  /** Signs invite links. */
  readonly linkKey: Uint8Array;
}

/** `/invite/`, `/invite/{uri}/link`, `/invite/{uri}` and `/exchange/{uri}`. */
export function inviteRoutes(parts: InviteRouteParts): Resource[] {
  return [
    {
      path: '/invite',
      cors: ANY_ORIGIN,
      methods: { GET: listRecords(parts, 'invite', inviteBody), POST: createInvite(parts) },
    },
    // Before `/invite/*`, which would take `/link` for a part of the URI.
    { path: '/invite/*', ending: '/link', cors: ANY_ORIGIN, methods: { GET: getLink(parts) } },
    {
      path: '/invite/*',
      cors: ANY_ORIGIN,
      methods: { GET: getRecord(parts, 'invite', inviteBody), PUT: replaceInvite(parts) },
    },
    {
      path: '/exchange/*',
      cors: ANY_ORIGIN,
      methods: { GET: getRecord(parts, 'exchange', (exchange) => exchange) },
    },
  ];
}

function createInvite(parts: InviteRouteParts): Handler {
  const { authorised, records, mount, clock, linkKey } = parts;
  return authorised(async ({ req }, access) => {
    const wanted = readNewInvite(await readJsonBody(req.raw, parts.bodyBytes));
    const holder = holderFor(access, wanted.holder ?? undefined);
    const invite = newInvite({ ...wanted, holder }, { uri: newUri(parts, 'invite'), now: clock.now() });
    await records.change(async (now) => {
      // An invite of another holder does not count: the refusal would tell that it exists.
      if (await visible(now, 'invite', [invite.uri], access))
        throw new Problem(409, 'This uri is taken; leave it to the service');
      return { changes: [{ kind: 'invite', put: invite }], result: undefined };
    });
    const location = `${mount.base}/invite/${encodeURIComponent(invite.uri)}`;
    // Of the registered relations (RFC 8288), the one for a page on which people change what the link is about (RFC 6861).
    const link = `<${inviteLink(mount.base, invite, linkKey)}>; rel="edit-form"`;
    return entityAnswer(201, inviteBody(invite), { location, link });
  });
}

function getLink({ authorised, records, mount, clock, linkKey }: InviteRouteParts): Handler {
  return authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, mount, 'invite', 'link');
    const { record } = await find(records, 'invite', meant, access);
    refuseUnusable(record, clock.now());
    return entityAnswer(200, { inviteLink: inviteLink(mount.base, record, linkKey) });
  });
}

function replaceInvite(parts: InviteRouteParts): Handler {
  return parts.authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, parts.mount, 'invite');
    const wanted = readInvite(await readJsonBody(req.raw, parts.bodyBytes));
    const replaced = await parts.records.change(async (now) => {
      const current = await find(now, 'invite', meant, access);
      requireMatch(req.header('if-match'), inviteBody(current.record));
      const holder = holderFor(access, wanted.holder ?? current.record.holder);
      const uri = wanted.connection;
      const connection = uri === null ? undefined : (await now.get('connection', { holder, uri }))?.record;
      const context = { now: parts.clock.now(), exchangeUri: newUri(parts, 'exchange'), connection };
      const changed = changeInvite(current.record, { ...wanted, holder }, context);
      return inviteDecision(now, changed, current);
    });
    return entityAnswer(200, inviteBody(replaced));
  });
}

/**
 * The changes that replace an invite, and add the exchange that it has led to.
 * @throws Problem 409 when its holder has another invite with this URI, or an exchange with that URI
 */
export async function inviteDecision(
  now: RecordReads,
  { invite, exchange }: ChangedInvite,
  { seq, record: current }: Stored<Invite>,
): Promise<Decision<Invite>> {
  const isMoved = !sameUri(invite.holder, current.holder);
  if (isMoved && (await now.get('invite', invite)))
    throw new Problem(409, 'This holder has another invite with this uri');
  if (exchange && (await now.get('exchange', exchange)))
    throw new Problem(409, 'The invite names an exchange that exists already; set its "exchange" to null');
  return {
    changes: [
      ...(isMoved ? [{ kind: 'invite', remove: current } as const] : []),
      { kind: 'invite', put: invite, seq },
      ...(exchange ? [{ kind: 'exchange', put: exchange } as const] : []),
    ],
    result: invite,
  };
}
