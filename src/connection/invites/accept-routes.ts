import { reportError } from '../../lib/http/error-handler.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource, RouteContext } from '../../lib/http/resource.js';
import { endConnection } from '../connections/end-connection.js';
import { requestedUris } from '../http/request-target.js';
import type { Invite } from '../records/invite.js';
import { newUri, type RouteParts } from '../route-parts.js';
import type { Attempt } from '../sources/source-trouble.js';
import { readSource, sameUri } from '../uri.js';
import { type HolderPage, holderPage } from './holder-page.js';
import { connectionOf, connectionView } from './holder-view.js';
import { isGenuine, linkQuery, readLink } from './invite-link.js';
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
    return page(200, formPage(await pageOf(usableInvite(req.url, parts), parts)));
  });
  const POST = onPage(({ req }) => takeForm(req.raw, parts));
  return [{ path: '/invite/*', ending: '/accept', methods: { GET, POST } }];
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, ...PAGE_HEADERS }, body };
}

async function pageOf(invite: Invite, { node, nameOf }: RouteParts): Promise<InvitePage> {
  const { purpose, inviter, holder } = invite;
  const isOthers = typeof inviter === 'string' && !sameUri(inviter, holder);
  const [named, by] = await Promise.all([nameOf(purpose), isOthers ? nameOf(inviter) : undefined]);
  return { node: node(), invite, purpose: named, inviter: by };
}

async function holdersPage(
  invite: Invite,
  parts: RouteParts,
  said: Pick<HolderPage, 'done' | 'triples'> = {},
): Promise<string> {
  const { records } = parts;
  const connection = connectionOf(records, invite);
  const view = connection && (await connectionView(records, connection));
  return holderPage({ ...(await pageOf(invite, parts)), connection: view, ...said });
}

async function takeForm(request: Request, parts: RouteParts): Promise<Answer> {
  linkedInvite(request.url, parts);
  const form = await readFormFields(request, FORM_BYTES);
  const invite = linkedInvite(request.url, parts);
  if (invite.state !== 'linked') return accept(request.url, form, parts);
  if (form.has('end')) return end(request.url, parts);
  if (form.has('renew')) return renew(request.url, parts);
  return page(409, await holdersPage(invite, parts, { done: 'not accepted again' }));
}

async function accept(url: string, form: URLSearchParams, parts: RouteParts): Promise<Answer> {
  const invite = usableInvite(url, parts);
  const written = form.get('source')?.trim() ?? '';
  const source = readSource(written);
  if (source === undefined) return again(parts, invite, { written, outcome: { kind: 'no-address' } });
  const insists = form.has('insist');
  const outcome = insists ? undefined : await parts.checkSource(invite, source);
  if (outcome && outcome.kind !== 'readable') return again(parts, invite, { written, outcome });
  const accepted = await acceptOnce(url, source, parts);
  if (!accepted)
    return page(409, await holdersPage(linkedInvite(url, parts), parts, { done: 'not accepted again' }));
  return page(200, await holdersPage(accepted, parts, { done: 'accepted', triples: outcome?.triples }));
}

/** The form again, with what was wrong with the source; the invite is as it was. */
async function again(parts: RouteParts, invite: Invite, attempt: Attempt): Promise<Answer> {
  const body = formPage({ ...(await pageOf(invite, parts)), attempt });
  const { outcome } = attempt;
  if (outcome.kind !== 'busy') return page(422, body);
  return page(429, body, { 'retry-after': String(Math.ceil(outcome.retryMs / 1000)) });
}

/**
 * Writes the connection, the invite and the exchange as one change, for the first request that accepts the invite;
 * undefined for later ones.
 */
function acceptOnce(url: string, source: string, parts: RouteParts): Promise<Invite | undefined> {
  const { records } = parts;
  return records.change<Invite | undefined>(() => {
    // Looked up again, since another request may have accepted the invite while the source was read.
    if (linkedInvite(url, parts).state === 'linked') return { changes: [], result: undefined };
    const invite = usableInvite(url, parts);
    const { connection, ...linked } = acceptInvite(invite, source, {
      now: parts.clock.now(),
      connectionUri: newUri(parts, 'connection'),
      exchangeUri: newUri(parts, 'exchange'),
    });
    const { changes } = inviteDecision(records, linked, invite);
    return { changes: [...changes, { kind: 'connection', put: connection }], result: linked.invite };
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

/** Makes this link worthless, and leads on to the new one. */
async function renew(url: string, parts: RouteParts): Promise<Answer> {
  const { records, keys } = parts;
  const renewed = await records.change<Invite>(() => {
    const invite = linkedInvite(url, parts);
    const next = { ...invite, linksEnded: (invite.linksEnded ?? 0) + 1 };
    return { changes: [{ kind: 'invite', put: next, replaces: invite }], result: next };
  });
  return page(303, '', { location: linkQuery(renewed, keys.invite) });
}

/**
 * The invite that a link of this service leads to. A link that has expired still leads to an accepted one, so that its holder
 * can end the connection. @throws Problem 404 for a link that was not made here, or has been replaced
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
