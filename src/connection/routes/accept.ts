import { reportError } from '../../lib/http/error-handler.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, Resource, RouteRequest } from '../../lib/http/resource.js';
import { isGenuine, readLink } from '../invites/invite-link.js';
import { acceptInvite, refuseUnusable } from '../invites/invite-state.js';
import {
  type Attempt,
  type Done,
  formPage,
  holderPage,
  PAGE_HEADERS,
  problemPage,
} from '../invites/pages.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { Invite } from '../records/invite.js';
import type { RecordReads, Stored } from '../records/records.js';
import { resourceAfter, unread } from '../sources/refresh.js';
import type { WholeReading } from '../sources/source-reading.js';
import { readSource } from '../uri.js';
import { ended, replacedInvite } from './changes.js';
import { patternOf, requestedUris, type Service } from './route.js';

const PATH = '/invite/{uri}/accept';
/** Bytes that the form may have. */
const FORM_BYTES = 20_000;

/**
 * The page behind an invite link, on which the holder accepts it, and later looks at the connection and ends it. Instead of a
 * token, the signature in the link allows it.
 */
export function acceptPage(service: Service): Resource {
  const onPage = (handle: (req: RouteRequest) => Promise<Answer>): Handler => {
    return async ({ req }) => {
      try {
        return await handle(req);
      } catch (error) {
        const problem = reportError(error, req, service.log);
        return page(problem.status, problemPage(service.node(), problem), problem.headers);
      }
    };
  };
  const GET = onPage(async ({ url }) => {
    const { record: invite } = await linkedInvite(service.records, url, service);
    if (invite.state === 'linked') return holdersPage(200, invite, service);
    refuseLate(invite, url, service);
    return form(200, invite, service);
  });
  return { ...patternOf(PATH), methods: { GET, POST: onPage((req) => takeForm(req, service)) } };
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, ...PAGE_HEADERS }, body };
}

function form(status: number, invite: Invite, { node, nameOf }: Service, attempt?: Attempt): Answer {
  return page(status, formPage({ node: node(), invite, nameOf }, attempt));
}

async function holdersPage(status: number, invite: Invite, service: Service, done?: Done): Promise<Answer> {
  const { records, node, nameOf } = service;
  const connection = await connectionOf(records, invite);
  const resources = connection
    ? documentsOf(connection).map((uri) => records.get('resource', unread(connection, uri)))
    : [];
  const documents = (await Promise.all(resources)).map((stored) => stored?.record);
  return page(status, holderPage({ node: node(), invite, nameOf }, connection, documents, done));
}

/** The connection that an invite names, if it lasts and is its holder's. */
async function connectionOf(records: RecordReads, { connection: uri, holder }: Invite) {
  return uri === null ? undefined : (await records.get('connection', { holder, uri }))?.record;
}

async function takeForm({ url, raw }: RouteRequest, service: Service): Promise<Answer> {
  const { records, checkSource } = service;
  // Before the body is read: nobody without a link can send one.
  const { record: invite } = await linkedInvite(records, url, service);
  const fields = await readFormFields(raw, FORM_BYTES);
  if (invite.state === 'linked') {
    if (!fields.has('end')) return holdersPage(409, invite, service, 'not accepted again');
    // A connection that has ended stays as it is.
    await records.change<undefined>(async (now) => {
      const connection = await connectionOf(now, invite);
      return connection ? ended(now, connection) : { changes: [], result: undefined };
    });
    return holdersPage(200, (await linkedInvite(records, url, service)).record, service);
  }
  refuseLate(invite, url, service);
  const written = fields.get('source')?.trim() ?? '';
  const source = readSource(written);
  if (source === undefined) {
    const fault = 'This is not an address. Write it as a whole, for example alice.pod.example/notes';
    return form(422, invite, service, { written, fault });
  }
  const reading = await checkSource(invite, source);
  if (reading.kind === 'whole') return accept(url, source, reading, service);
  const { message: fault, retryMs } = reading;
  if (retryMs === undefined) return form(422, invite, service, { written, fault });
  const { body, headers } = form(429, invite, service, { written, fault });
  return { status: 429, body, headers: { ...headers, 'retry-after': String(Math.ceil(retryMs / 1000)) } };
}

/**
 * Writes the connection, the invite, the exchange and what the source said as one change, for the first request that
 * accepts the invite. @throws Problem 409 for all others
 */
async function accept(url: string, source: string, reading: WholeReading, service: Service): Promise<Answer> {
  const { records, clock, newUri } = service;
  const [uri, exchange] = [newUri('connection'), newUri('exchange')];
  const accepted = await records.change(async (now) => {
    // Looked up again, since another request may have accepted the invite while the source was read.
    const current = await linkedInvite(now, url, service);
    refuseLate(current.record, url, service);
    const time = clock.now();
    const { holder } = current.record;
    const connection: Connection = { uri, configuration: {}, state: 'CONNECTED', source, holder };
    const linked = acceptInvite(current.record, connection, { now: time, uri: exchange });
    const { changes, result } = await replacedInvite(now, current, linked);
    const resource = resourceAfter(unread(connection, source), reading, time);
    return { changes: [...changes, { kind: 'connection', put: connection }, resource], result };
  });
  return holdersPage(200, accepted, service, 'accepted');
}

/**
 * The invite that a link of this service leads to. A link that has expired still leads to an accepted one, so that its holder
 * can end the connection. @throws Problem 404 for a link that was not made here
 */
async function linkedInvite(records: RecordReads, url: string, service: Service): Promise<Stored<Invite>> {
  const link = readLink(parametersOf(url));
  for (const uri of requestedUris(url, PATH, service)) {
    const invites = await records.named('invite', uri);
    const linked = invites.find(({ record }) => link && isGenuine(link, record, service.linkKey));
    if (linked) return linked;
  }
  // The same answer for an unknown invite and a wrong signature, so that nobody can find out which invites exist.
  throw new Problem(404, 'This link leads to no invite');
}

/** @throws Problem 409 when the invite has been accepted, 410 when it or the link has expired */
function refuseLate(invite: Invite, url: string, { clock }: Service): void {
  const now = clock.now();
  refuseUnusable(invite, now);
  if (Number(readLink(parametersOf(url))?.expires) <= now) throw new Problem(410, 'This link has expired');
}
