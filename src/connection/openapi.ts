import * as z from 'zod';
import { grouped } from '../lib/grouped.js';
import {
  type Json,
  json,
  listOf,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
  type Tag,
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

const TAG: Tag = {
  name: 'connection service',
  description: 'Who is connected to which source, invitations, and what is read through connections',
};

/** The paths of the service below its mount point, and the schemas that check their requests. */
export function describeConnectionApi(mount: string): { paths: Json; schemas: Json; tags: readonly Tag[] } {
  const paths = [...grouped(ROUTES, ({ path }) => path)].map(([path, routes]) => [
    mount + path,
    Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operationOf(route)])),
  ]);
  const schemas = Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)]);
  return { paths: Object.fromEntries(paths), schemas: Object.fromEntries(schemas), tags: [TAG] };
}

/** Every request needs a token; the scheme is that of the operator's, and JWTs are sent the same way. */
function operationOf({ method, path, id, takes, gives, status = 200, ...more }: Route): Json {
  // The identifiers are sentences: `listHolderInvites` is "List holder invites".
  const words = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const summary = words.charAt(0).toUpperCase() + words.slice(1);
  const isNamed = path.includes('{uri}');
  const isChange = method === 'PUT' || method === 'DELETE';
  const given = typeof gives === 'object' ? listOf(reference(gives[0])) : gives && reference(gives);
  const refuses = [
    ...[401, 503, 507, ...(more.refuses ?? [])],
    ...(isNamed ? [404] : []),
    ...(takes ? [400, 403, 409, 413, 415, 422] : []),
    ...(isChange ? [412] : []),
  ];
  return operation({
    ...{ id, tag: TAG.name, summary, description: `${summary}. Records of other holders answer 404.` },
    security: [{ operator: [] }],
    parameters: [...(isNamed ? [URI] : []), ...(isChange ? [IF_MATCH] : []), ...(more.parameters ?? [])],
    ...(takes && { requestBody: { required: true, content: json(reference(takes)) } }),
    responses: {
      [status]: { description: 'The answer', ...(given && { content: json(given) }) },
      ...problems(...refuses),
    },
  });
}

const described = (description: string): Json => ({ ...TEXT, description });
const URI = parameter('uri', 'path', described('The URI of the record, or of the holder, percent-encoded'));
const IF_MATCH = parameter('If-Match', 'header', described('The entity tag of the record to be changed'));
