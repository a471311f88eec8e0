import * as z from 'zod';
import { describeFeature, type OpenApiPart, schemaOf } from '../lib/http/openapi-parts.js';
import { resourceSchema } from './records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from './records/connection.js';
import { exchangeSchema, inviteSchema, newInviteSchema } from './records/invite.js';
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
  const routes = ROUTES.map((route) => ({ ...route, path: mount + route.path }));
  return describeFeature({ tag: TAG, routes, schemas: () => Object.fromEntries(schemas) });
}
