import { reportError } from '../../lib/http/error-handler.js';
import { Problem } from '../../lib/http/problem.js';
import { readTextBody } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource, RouteContext } from '../../lib/http/resource.js';
import { requestedUris } from '../http/request-target.js';
import type { Exchange, Invite } from '../records/invite.js';
import { newUri, type RouteParts } from '../route-parts.js';
import type { Attempt } from '../sources/source-trouble.js';
import { readUri } from '../uri.js';
import { isGenuine, readLink } from './invite-link.js';
import { acceptedPage, formPage, PAGE_HEADERS, problemPage } from './invite-page.js';
import { inviteDecision } from './invite-routes.js';
import { acceptInvite, refuseUnusable } from './invite-state.js';

/** Bytes that the form may have. */
const FORM_BYTES = 20_000;

/** `/invite/{uri}/accept`: the page behind an invite link. Instead of a token, the signature in the link allows it. */
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
  const GET = onPage(({ req }) =>
    page(200, formPage({ node: parts.node(), invite: usableInvite(req.url, parts) })),
  );
  const POST = onPage(({ req }) => accept(req.raw, parts));
  return [{ path: '/invite/*', ending: '/accept', methods: { GET, POST } }];
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, ...PAGE_HEADERS }, body };
}

async function accept(request: Request, parts: RouteParts): Promise<Answer> {
  const invite = usableInvite(request.url, parts);
  const { text } = await readTextBody(request, {
    accepted: ['application/x-www-form-urlencoded'],
    limit: FORM_BYTES,
  });
  const form = new URLSearchParams(text);
  const written = form.get('source')?.trim() ?? '';
  const source = readUri(written);
  if (source === undefined) return again(parts, invite, { written, outcome: { kind: 'no-address' } });
  const insists = form.has('insist');
  const outcome = insists ? undefined : await parts.checkSource(invite, source);
  if (outcome && outcome.kind !== 'readable') return again(parts, invite, { written, outcome });
  const exchange = await acceptOnce(request.url, source, parts);
  return page(200, acceptedPage({ node: parts.node(), exchange, triples: outcome?.triples }));
}

/** The form again, with what was wrong with the source; the invite is as it was. */
function again(parts: RouteParts, invite: Invite, attempt: Attempt): Answer {
  const body = formPage({ node: parts.node(), invite, attempt });
  const { outcome } = attempt;
  if (outcome.kind !== 'busy') return page(422, body);
  return page(429, body, { 'retry-after': String(Math.ceil(outcome.retryMs / 1000)) });
}

/** Writes the connection, the invite and the exchange as one change, for the first request that accepts the invite. */
function acceptOnce(url: string, source: string, parts: RouteParts): Promise<Exchange> {
  const { records } = parts;
  return records.change(() => {
    // Looked up again, since another request may have accepted the invite while the source was read.
    const invite = usableInvite(url, parts);
    const { connection, ...linked } = acceptInvite(invite, source, {
      now: parts.clock.now(),
      connectionUri: newUri(parts, 'connection'),
      exchangeUri: newUri(parts, 'exchange'),
    });
    const { changes } = inviteDecision(records, linked, invite);
    return { changes: [...changes, { kind: 'connection', put: connection }], result: linked.exchange };
  });
}

/**
 * The invite that a link of this service leads to. @throws Problem 404 for a link that was not made here, 409 when the
 * invite has been accepted, 410 when it or the link has expired
 */
function usableInvite(url: string, { mount, records, keys, clock }: RouteParts): Invite {
  const parameters = parametersOf(url);
  const link = readLink(parameters);
  const invite = requestedUris(url, mount, 'invite', 'accept')
    .flatMap((uri) => records.invites.named(uri))
    .find(({ record }) => link && isGenuine(link, record, keys.invite))?.record;
  // The same answer for an unknown invite and a wrong signature, so that nobody can find out which invites exist.
  if (!link || !invite) throw new Problem(404, 'This link leads to no invite');
  refuseUnusable(invite, clock.now());
  if (Number(link.expires) <= clock.now()) throw new Problem(410, 'This link has expired');
  return invite;
}
