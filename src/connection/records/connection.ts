import * as z from 'zod';
import { check, uriField } from '../fields.js';

const CONNECTION_STATES = ['NOTCONNECTED', 'CONNECTING', 'CONNECTED'] as const;

/** A link between a holder and a source (connection service, design section 8). URIs are plain here, and percent-encoded in bodies. */
export interface Connection {
  readonly uri: string;
  /** May hold secrets: never logged. */
  readonly configuration: Readonly<Record<string, unknown>> & KnownConfiguration;
  readonly state: (typeof CONNECTION_STATES)[number];
  readonly source: string;
  readonly holder: string;
}

/** Documents that one connection may name beside its source. */
const MAX_RESOURCES = 100;

/** Levels of objects and arrays in a configuration: `JSON.stringify` overflows the stack on deeper ones. */
const MAX_DEPTH = 64;

const secretText = z.string('must be a string').min(1, 'must not be empty').max(4096, 'is too long');

/** The keys of a configuration that the service reads. Clients may add any others, which are stored as they are. */
const configurationField = z
  .looseObject(
    {
      accessToken: z
        .string('must be a string')
        .regex(/^[\x21-\x7e]{1,16384}$/, 'must be a token: visible ASCII characters without spaces')
        .optional()
        .describe('sent as bearer token to the origin of the source'),
      clientCredentials: z
        .strictObject(
          { id: secretText, secret: secretText, issuer: uriField.optional() },
          'must be an object with id and secret, and issuer where that is not the origin of the source',
        )
        .optional()
        .describe('of a Solid agent that may read the source; issuer: the origin of the source when absent'),
      resources: z
        .array(uriField, 'must be an array of URIs')
        .max(MAX_RESOURCES, `may name at most ${MAX_RESOURCES} documents`)
        .optional()
        .describe('documents that are read beside the source'),
    },
    'must be an object',
  )
  .refine((value) => isShallow(value, MAX_DEPTH), `may be nested at most ${MAX_DEPTH} levels deep`)
  .describe('anything that the client wants to keep; the service reads the keys named here');

type KnownConfiguration = Pick<
  z.output<typeof configurationField>,
  'accessToken' | 'clientCredentials' | 'resources'
>;

const stateField = z.enum(CONNECTION_STATES, `must be one of ${CONNECTION_STATES.join(', ')}`);

/** The body of `POST`. */
export const newConnectionSchema = z.strictObject(
  {
    configuration: configurationField.default({}),
    state: stateField.default('NOTCONNECTED'),
    source: uriField,
    holder: uriField.optional().describe('the holder of the token when absent'),
  },
  'must be a connection',
);

/** The body of `PUT`, and of answers. */
export const connectionSchema = z.strictObject(
  {
    uri: uriField,
    configuration: configurationField,
    state: stateField,
    source: uriField,
    holder: uriField,
  },
  'must be a connection with all its fields',
);

/** @throws InvalidInput */
export function readNewConnection(body: unknown): z.output<typeof newConnectionSchema> {
  return withConfiguration(check(newConnectionSchema, body), body);
}

/** @throws InvalidInput */
export function readConnection(body: unknown): Connection {
  return withConfiguration(check(connectionSchema, body), body) as Connection;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** Copies the client's own keys from the body as it was sent, since zod loses a key named `__proto__`. */
function withConfiguration<T extends { configuration: object }>(read: T, body: unknown): T {
  const { configuration: sent } = body as { configuration?: object };
  if (sent === undefined) return read;
  const { resources } = read.configuration as KnownConfiguration;
  return { ...read, configuration: resources ? { ...sent, resources } : sent };
}

/** The JSON form of the specification. */
export function connectionBody({ uri, configuration, state, source, holder }: Connection): object {
  const encode = encodeURIComponent;
  return { uri: encode(uri), configuration, state, source: encode(source), holder: encode(holder) };
}

/** The documents that a refresh of the connection reads, each once. */
export function resourcesOf({ source, configuration }: Connection): string[] {
  return [...new Set([source, ...(configuration.resources ?? [])])];
}
