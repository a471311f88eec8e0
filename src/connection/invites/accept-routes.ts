import { reportError } from '../../lib/http/error-handler.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource, RouteContext } from '../../lib/http/resource.js';
import { endConnection } from '../connections/end-connection.js';
import { requestedUris } from '../http/request-target.js';
import type { Invite } from '../records/invite.js';
import { newUri, type RouteParts } from '../route-parts.js';
import { firstReading } from '../sources/refresh.js';
import type { WholeReading } from '../sources/source-reading.js';
import type { Attempt } from '../sources/source-trouble.js';
import { readSource } from '../uri.js';
import { type HolderPage, holderPage } from './holder-page.js';
import { connectionOf, connectionView } from './holder-view.js';
import { isGenuine, readLink } from './invite-link.js';
import { formPage, problemPage } from './invite-page.js';
import { inviteDecision } from './invite-routes.js';
import { acceptInvite, refuseUnusable } from './invite-state.js';
import { type InvitePage, PAGE_HEADERS } from './page-parts.js';

/** Bytes that the form may have. */
const FORM_BYTES = 20_000;

/**
 * `/invite/{uri}/accept`: the page behind an invite link, on which the holder accepts it, and later looks at the connection
 * and ends it. Instead of a token, the signature in the link allows it.
 */
export function acceptRoutes(parts: RouteParts): Resource[] {
  const onPage = (handler: (c: RouteContext) => Answer | Promise<Answer>): Handler => {
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
    const invite = linkedInvite(req.url, parts);
    if (invite.state === 'linked') return page(200, await holdersPage(invite, parts));
    return page(200, formPage(pageOf(usableInvite(req.url, parts), parts)));
  });
  const POST = onPage(({ req }) => takeForm(req.raw, parts));
  return [{ path: '/invite/*', ending: '/accept', methods: { GET, POST } }];
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, ...PAGE_HEADERS }, body };
}

function pageOf(invite: Invite, { node, nameOf }: RouteParts): InvitePage {
  return { node: node(), invite, purpose: nameOf(invite.purpose) };
}

async function holdersPage(
  invite: Invite,
  parts: RouteParts,
  said: Pick<HolderPage, 'done'> = {},
): Promise<string> {
  const { records } = parts;
  const connection = connectionOf(records, invite);
  const view = connection && (await connectionView(records, connection));
  return holderPage({ ...pageOf(invite, parts), connection: view, ...said });
}

async function takeForm(request: Request, parts: RouteParts): Promise<Answer> {
  linkedInvite(request.url, parts);
  const form = await readFormFields(request, FORM_BYTES);
  const invite = linkedInvite(request.url, parts);
  if (invite.state !== 'linked') return accept(request.url, form, parts);
  if (form.has('end')) return end(request.url, parts);
  return page(409, await holdersPage(invite, parts, { done: 'not accepted again' }));
}

async function accept(url: string, form: URLSearchParams, parts: RouteParts): Promise<Answer> {
  const invite = usableInvite(url, parts);
  const written = form.get('source')?.trim() ?? '';
  const source = readSource(written);
  if (source === undefined) return again(parts, invite, { written, outcome: { kind: 'no-address' } });
  const outcome = await parts.checkSource(invite, source);
  if (outcome.kind !== 'readable') return again(parts, invite, { written, outcome });
  const accepted = await acceptOnce(url, { source, reading: outcome.reading }, parts);
  if (!accepted)
    return page(409, await holdersPage(linkedInvite(url, parts), parts, { done: 'not accepted again' }));
  return page(200, await holdersPage(accepted, parts, { done: 'accepted' }));
}

/** The form again, with what was wrong with the source; the invite is as it was. */
function again(parts: RouteParts, invite: Invite, attempt: Attempt): Answer {
  const body = formPage({ ...pageOf(invite, parts), attempt });
  const { outcome } = attempt;
  if (outcome.kind !== 'busy') return page(422, body);
  return page(429, body, { 'retry-after': String(Math.ceil(outcome.retryMs / 1000)) });
}

/**
 * Writes the connection, the invite, the exchange and what the source said as one change, for the first request that
 * accepts the invite; undefined for later ones.
 */
async function acceptOnce(
  url: string,
  { source, reading }: { source: string; reading: WholeReading },
  parts: RouteParts,
): Promise<Invite | undefined> {
  const { records, clock } = parts;
  const { holder } = linkedInvite(url, parts);
  const connectionUri = newUri(parts, 'connection');
  const first = firstReading({ uri: source, connection: connectionUri, holder }, reading, clock.now());
  return records.change<Invite | undefined>(async () => {
    // Looked up again, since another request may have accepted the invite while the source was read.
    if (linkedInvite(url, parts).state === 'linked') return { changes: [], result: undefined };
    const invite = usableInvite(url, parts);
    const exchangeUri = newUri(parts, 'exchange');
    const assigned = { now: clock.now(), connectionUri, exchangeUri };
    const { connection, ...linked } = acceptInvite(invite, source, assigned);
    const { changes } = inviteDecision(records, linked, invite);
    const added = [
      { kind: 'connection', put: connection },
      { kind: 'resource', put: first.resource },
    ] as const;
    return { changes: [...changes, ...added], quads: { put: first.triples }, result: linked.invite };
  });
}

/** Ends the connection of the invite; one that has ended stays as it is. */
async function end(url: string, parts: RouteParts): Promise<Answer> {
  const { records, clock } = parts;
  await records.change<undefined>(async () => {
    const connection = connectionOf(records, linkedInvite(url, parts));
    return connection ? endConnection(records, connection, clock.now()) : { changes: [], result: undefined };
  });
  return page(200, await holdersPage(linkedInvite(url, parts), parts));
}

/**
 * The invite that a link of this service leads to. A link that has expired still leads to an accepted one, so that its holder
 * can end the connection. @throws Problem 404 for a link that was not made here
 */
function linkedInvite(url: string, { mount, records, keys }: RouteParts): Invite {
  const link = readLink(parametersOf(url));
  const invite = requestedUris(url, mount, 'invite', 'accept')
    .flatMap((uri) => records.invites.named(uri))
    .find(({ record }) => link && isGenuine(link, record, keys.invite))?.record;
  // The same answer for an unknown invite and a wrong signature, so that nobody can find out which invites exist.
  if (!invite) throw new Problem(404, 'This link leads to no invite');
  return invite;
}

/** The same, for an invite that can be accepted. @throws Problem 409 when it has been, 410 when it or the link has expired */
function usableInvite(url: string, parts: RouteParts): Invite {
  const invite = linkedInvite(url, parts);
  const now = parts.clock.now();
  refuseUnusable(invite, now);
  if (Number(readLink(parametersOf(url))?.expires) <= now) throw new Problem(410, 'This link has expired');
  return invite;
}
