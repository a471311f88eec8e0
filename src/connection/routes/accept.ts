import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, ProblemAnswer, Resource, RouteRequest } from '../../lib/http/resource.js';
import { pageAnswer } from '../../pages/shell/page-answer.js';
import { isGenuine } from '../invites/invite-link.js';
import { acceptInvite, refuseUnusable } from '../invites/invite-state.js';
import { connectedPage, endedPage, formPage, PAGE_HEADERS, problemPage } from '../invites/pages.js';
import type { Connection } from '../records/connection.js';
import type { Invite } from '../records/invite.js';
import type { Records } from '../records/records.js';
import { putReading, unread } from '../sources/refresh.js';
import type { Reading } from '../sources/source-reading.js';
import { readUri } from '../uri.js';
import { newUri, patternOf, requestedUris, type Service } from './route.js';

const PATH = '/invite/{uri}/accept';
/** Bytes that the form may have. */
const FORM_BYTES = 20_000;

/**
 * The page behind an invite link, on which the holder accepts it, and later looks at the connection and ends it. Instead of a
 * token, the signature in the link allows it.
 */
export function acceptPage(service: Service): Resource {
  const GET: Handler = async ({ req: { url } }) => {
    const invite = await linkedInvite(service.records, url, service);
    if (invite.state === 'linked') return holdersPage(200, invite, service);
    return page(200, formPage(service, invite));
  };
  return { ...patternOf(PATH), methods: { GET, POST: ({ req }) => takeForm(req, service) } };
}

/** The page that says why the invite cannot be shown or accepted. */
export function refusalPage({ node }: Service): ProblemAnswer {
  return (problem) => page(problem.status, problemPage(node(), problem), problem.headers);
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return pageAnswer(body, { status, headers: { ...headers, ...PAGE_HEADERS } });
}

/** `lead`: what has just been done. */
async function holdersPage(status: number, invite: Invite, service: Service, lead?: string): Promise<Answer> {
  const connection = await service.records.connectionOf(invite);
  if (!connection) return page(status, endedPage(service, invite));
  const resource = await service.records.get('resource', unread(connection, connection.source));
  return page(status, connectedPage(service, invite, connection, resource, lead));
}

async function takeForm(req: RouteRequest, service: Service): Promise<Answer> {
  // Before the body is read: nobody without a link can send one.
  const invite = await linkedInvite(service.records, req.url, service);
  const fields = await readFormFields(req, FORM_BYTES);
  if (invite.state === 'linked') {
    if (!fields.has('end'))
      return holdersPage(409, invite, service, 'You had accepted already: what you have sent was not used.');
    await service.change(async (now) => {
      const connection = await now.connectionOf(invite);
      // Otherwise it has ended already.
      if (connection) await now.end(connection);
    });
    return holdersPage(200, invite, service);
  }
  const written = fields.get('source')?.trim() ?? '';
  const source = readUri(written);
  const reading = source === undefined ? undefined : await service.checkSource(invite, source);
  if (source !== undefined && reading?.kind === 'whole') return accept(req.url, source, reading, service);
  const fault = reading?.kind === 'failed' ? reading.message : 'This is not an address. Write it as a whole';
  return page(422, formPage(service, invite, { written, fault }));
}

/**
 * Writes the connection, the invite and what the source said as one change, for the first request that accepts the invite.
 * @throws Problem 409 for all others, and for an exchange that another invite has led to;
 * 410 when the invite has expired while the source was read
 */
async function accept(url: string, source: string, reading: Reading, service: Service): Promise<Answer> {
  const [uri, exchange] = [newUri('connection', service), newUri('exchange', service)];
  const accepted = await service.change(async (now) => {
    // Looked at again: it may have been accepted or changed, or have expired, while the source was read.
    const invite = await linkedInvite(now, url, service);
    const [time, { holder }] = [service.clock.now(), invite];
    refuseUnusable(invite, time);
    const connection: Connection = { uri, configuration: {}, state: 'CONNECTED', source, holder };
    await now.put('connection', connection);
    await putReading(now, unread(connection, source), reading, time);
    return now.putInvite(acceptInvite(invite, uri, { now: time, uri: exchange }));
  });
  return holdersPage(200, accepted, service, 'You have accepted. Your source has just been read.');
}

/**
 * The invite that a link of this service leads to. A link that has expired still leads to an accepted one, so that its holder
 * can end the connection. @throws Problem 404 for a link that was not made here, 410 when it or the invite has expired
 */
async function linkedInvite(records: Records, url: string, service: Service): Promise<Invite> {
  const invites = await records.named('invite', requestedUris(url, PATH, service));
  const parameters = parametersOf(url);
  const linked = invites.find((invite) => isGenuine(parameters, invite, service.linkKey));
  // The same answer for an unknown invite and a wrong signature, so that nobody can find out which invites exist.
  if (!linked) throw new Problem(404, 'This link leads to no invite');
  if (linked.state === 'linked') return linked;
  const now = service.clock.now();
  refuseUnusable(linked, now);
  if (Number(parameters.get('expires')) <= now) throw new Problem(410, 'This link has expired');
  return linked;
}
