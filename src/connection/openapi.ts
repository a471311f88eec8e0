import * as z from 'zod';
import {
  type Described,
  describeFeature,
  type Json,
  json,
  listOf,
  type OpenApiPart,
  parameter,
  reference,
  schemaOf,
  TEXT,
} from '../lib/http/openapi-parts.js';
import { resourceSchema } from './records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from './records/connection.js';
import { exchangeSchema, inviteSchema, newInviteSchema } from './records/invite.js';
import type { Route } from './routes/route.js';
import { ROUTES } from './routes/routes.js';

/** What the routes take and give, by the names that they have there. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  NewConnection: newConnectionSchema,
  Connection: connectionSchema,
  NewInvite: newInviteSchema,
  Invite: inviteSchema,
  InviteLink: z.object({ inviteLink: z.string() }),
  Exchange: exchangeSchema,
  Resource: resourceSchema,
};

const TAG = {
  name: 'connection service',
  description: 'Who is connected to which source, invitations, and what is read through connections',
};

/** The paths of the service below its mount point, and the schemas that check their requests. */
export function describeConnectionApi(mount: string): OpenApiPart {
  const schemas = Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)]);
  const routes = ROUTES.map((route) => operationOf(route, mount));
  return describeFeature({ tag: TAG, routes, schemas: () => Object.fromEntries(schemas) });
}

/** Every request needs a token; the scheme is that of the operator's, and JWTs are sent the same way. */
function operationOf(
  { method, path, id, takes, gives, status = 200, ...more }: Route,
  mount: string,
): Described {
  // The identifiers are sentences: `listHolderInvites` is "List holder invites".
  const words = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const summary = words.charAt(0).toUpperCase() + words.slice(1);
  const isNamed = path.includes('{uri}');
  const isChange = method === 'PUT' || method === 'DELETE';
  const given = typeof gives === 'object' ? listOf(reference(gives[0])) : gives && reference(gives);
  return {
    ...{ method, path: mount + path, id, summary },
    description: `${summary}. Records of other holders answer 404.`,
    security: [{ operator: [] }],
    parameters: () => [
      ...(isNamed ? [URI] : []),
      ...(isChange ? [IF_MATCH] : []),
      ...(more.parameters ?? []),
    ],
    ...(takes && { takes: () => json(reference(takes)) }),
    answers: { [status]: given ? json(given) : undefined },
    refuses: [
      ...[401, 503, 507, ...(more.refuses ?? [])],
      ...(isNamed ? [404] : []),
      ...(takes ? [400, 403, 409, 413, 415, 422] : []),
      ...(isChange ? [412] : []),
    ],
  };
}

const described = (description: string): Json => ({ ...TEXT, description });
const URI = parameter('uri', 'path', described('The URI of the record, or of the holder, percent-encoded'));
const IF_MATCH = parameter('If-Match', 'header', described('The entity tag of the record to be changed'));
