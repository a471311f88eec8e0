import { reportError } from '../../lib/http/error-handler.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource, RouteContext } from '../../lib/http/resource.js';
import type { Log } from '../../lib/log.js';
import type { NodeView } from '../../pages/shell/view.js';
import { requestedUris } from '../http/request-target.js';
import { type HolderPage, holderPage } from '../invites/holder-page.js';
import { connectionOf, connectionView } from '../invites/holder-view.js';
import { isGenuine, readLink } from '../invites/invite-link.js';
import { formPage, problemPage } from '../invites/invite-page.js';
import { acceptInvite, refuseUnusable } from '../invites/invite-state.js';
import { type InvitePage, PAGE_HEADERS } from '../invites/page-parts.js';
import type { NameOf } from '../purpose-names.js';
import { endConnection } from '../records/end-connection.js';
import type { Invite } from '../records/invite.js';
import type { RecordReads, Stored } from '../records/records.js';
import { firstReading } from '../sources/refresh.js';
import type { CheckSource } from '../sources/source-check.js';
import type { WholeReading } from '../sources/source-reading.js';
import type { Attempt } from '../sources/source-trouble.js';
import { readSource } from '../uri.js';
import { type InviteRouteParts, inviteDecision } from './invites.js';
import { newUri } from './record-routes.js';

/** Bytes that the form may have. */
const FORM_BYTES = 20_000;

export interface AcceptRouteParts extends InviteRouteParts {
  /** What pages show of the node. */
  readonly node: () => NodeView;
  /** What pages say of a purpose. */
  readonly nameOf: NameOf;
  readonly checkSource: CheckSource;
  readonly log: Pick<Log, 'error'>;
}

/**
 * `/invite/{uri}/accept`: the page behind an invite link, on which the holder accepts it, and later looks at the connection
 * and ends it. Instead of a token, the signature in the link allows it.
 */
export function acceptRoutes(parts: AcceptRouteParts): Resource[] {
  const onPage = (handler: (c: RouteContext) => Promise<Answer>): Handler => {
    return async (c) => {
      try {
        return await handler(c);
      } catch (error) {
        const problem = reportError(error, c.req, parts.log);
        return page(problem.status, problemPage(parts.node(), problem), problem.headers);
      }
    };
  };
  const GET = onPage(async ({ req }) => {
    const { record: invite } = await linkedInvite(parts.records, req.url, parts);
    if (invite.state === 'linked') return page(200, await holdersPage(invite, parts));
    refuseLate(invite, req.url, parts);
    return page(200, formPage(pageOf(invite, parts)));
  });
  const POST = onPage(({ req }) => takeForm(req.raw, parts));
  return [{ path: '/invite/*', ending: '/accept', methods: { GET, POST } }];
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, ...PAGE_HEADERS }, body };
}

function pageOf(invite: Invite, { node, nameOf }: AcceptRouteParts): InvitePage {
  return { node: node(), invite, purpose: nameOf(invite.purpose) };
}

async function holdersPage(
  invite: Invite,
  parts: AcceptRouteParts,
  said: Pick<HolderPage, 'done'> = {},
): Promise<string> {
  const connection = await connectionOf(parts.records, invite);
  const view = connection && (await connectionView(parts.records, connection));
  return holderPage({ ...pageOf(invite, parts), connection: view, ...said });
}

async function takeForm(request: Request, parts: AcceptRouteParts): Promise<Answer> {
  const { records } = parts;
  // Before the body is read: nobody without a link can send one.
  await linkedInvite(records, request.url, parts);
  const form = await readFormFields(request, FORM_BYTES);
  const { record: invite } = await linkedInvite(records, request.url, parts);
  if (invite.state !== 'linked') return accept(invite, request.url, form, parts);
  if (form.has('end')) return end(request.url, parts);
  return page(409, await holdersPage(invite, parts, { done: 'not accepted again' }));
}

async function accept(
  invite: Invite,
  url: string,
  form: URLSearchParams,
  parts: AcceptRouteParts,
): Promise<Answer> {
  refuseLate(invite, url, parts);
  const written = form.get('source')?.trim() ?? '';
  const source = readSource(written);
  if (source === undefined) return again(parts, invite, { written, outcome: { kind: 'no-address' } });
  const outcome = await parts.checkSource(invite, source);
  if (outcome.kind !== 'readable') return again(parts, invite, { written, outcome });
  const { invite: after, isAccepted } = await acceptOnce(url, { source, reading: outcome.reading }, parts);
  return isAccepted
    ? page(200, await holdersPage(after, parts, { done: 'accepted' }))
    : page(409, await holdersPage(after, parts, { done: 'not accepted again' }));
}

/** The form again, with what was wrong with the source; the invite is as it was. */
function again(parts: AcceptRouteParts, invite: Invite, attempt: Attempt): Answer {
  const body = formPage({ ...pageOf(invite, parts), attempt });
  const { outcome } = attempt;
  if (outcome.kind !== 'busy') return page(422, body);
  return page(429, body, { 'retry-after': String(Math.ceil(outcome.retryMs / 1000)) });
}

/**
 * Writes the connection, the invite, the exchange and what the source said as one change, for the first request that
 * accepts the invite; later ones find it accepted.
 */
function acceptOnce(
  url: string,
  { source, reading }: { source: string; reading: WholeReading },
  parts: AcceptRouteParts,
) {
  const [connectionUri, exchangeUri] = [newUri(parts, 'connection'), newUri(parts, 'exchange')];
  return parts.records.change<{ invite: Invite; isAccepted: boolean }>(async (now) => {
    // Looked up again, since another request may have accepted the invite while the source was read.
    const current = await linkedInvite(now, url, parts);
    if (current.record.state === 'linked')
      return { changes: [], result: { invite: current.record, isAccepted: false } };
    refuseLate(current.record, url, parts);
    const time = parts.clock.now();
    const { connection, ...linked } = acceptInvite(current.record, source, {
      now: time,
      connectionUri,
      exchangeUri,
    });
    const { holder } = connection;
    const first = firstReading({ uri: source, connection: connectionUri, holder }, reading, time);
    const { changes, result: invite } = await inviteDecision(now, linked, current);
    return {
      changes: [
        ...changes,
        { kind: 'connection', put: connection },
        { kind: 'resource', put: first.resource },
      ],
      quads: { put: first.triples },
      result: { invite, isAccepted: true },
    };
  });
}

/** Ends the connection of the invite; one that has ended stays as it is. */
async function end(url: string, parts: AcceptRouteParts): Promise<Answer> {
  const { records, clock } = parts;
  await records.change<undefined>(async (now) => {
    const connection = await connectionOf(now, (await linkedInvite(now, url, parts)).record);
    return connection ? endConnection(now, connection, clock.now()) : { changes: [], result: undefined };
  });
  return page(200, await holdersPage((await linkedInvite(records, url, parts)).record, parts));
}

/**
 * The invite that a link of this service leads to. A link that has expired still leads to an accepted one, so that its holder
 * can end the connection. @throws Problem 404 for a link that was not made here
 */
async function linkedInvite(
  records: RecordReads,
  url: string,
  { mount, linkKey }: AcceptRouteParts,
): Promise<Stored<Invite>> {
  const link = readLink(parametersOf(url));
  for (const uri of requestedUris(url, mount, 'invite', 'accept')) {
    const invites = await records.named('invite', uri);
    const linked = invites.find(({ record }) => link && isGenuine(link, record, linkKey));
    if (linked) return linked;
  }
  // The same answer for an unknown invite and a wrong signature, so that nobody can find out which invites exist.
  throw new Problem(404, 'This link leads to no invite');
}

/** @throws Problem 409 when the invite has been accepted, 410 when it or the link has expired */
function refuseLate(invite: Invite, url: string, { clock }: AcceptRouteParts): void {
  const now = clock.now();
  refuseUnusable(invite, now);
  if (Number(readLink(parametersOf(url))?.expires) <= now) throw new Problem(410, 'This link has expired');
}
