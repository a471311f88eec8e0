import * as z from 'zod';
import { uriField } from '../fields.js';

const STATES = ['NOTCONNECTED', 'CONNECTING', 'CONNECTED'] as const;

/** Documents that one connection may name beside its source. */
const MAX_RESOURCES = 100;

/** The keys of a configuration that the service reads. Clients may add any others, which are stored as they are. */
const configurationField = z
  .looseObject(
    {
      accessToken: z
        .string('must be a string')
        .regex(/^[\x21-\x7e]{1,16384}$/, 'must be a token: visible ASCII characters without spaces')
        .optional()
        .describe('sent as bearer token to the origin of the source'),
      resources: z
        .array(uriField, 'must be an array of URIs')
        .max(MAX_RESOURCES, `may name at most ${MAX_RESOURCES} documents`)
        .optional()
        .describe('documents that are read beside the source'),
    },
    'must be an object',
  )
  .describe('anything that the client wants to keep; the service reads the keys named here');

const stateField = z.enum(STATES, `must be one of ${STATES.join(', ')}`);

/** The body of `PUT`, and of answers. */
export const connectionSchema = z.strictObject({
  ...{ uri: uriField, configuration: configurationField, state: stateField },
  ...{ source: uriField, holder: uriField },
});

/** The body of `POST`. */
export const newConnectionSchema = connectionSchema.omit({ uri: true }).extend({
  configuration: configurationField.default({}),
  state: stateField.default('NOTCONNECTED'),
  holder: uriField.optional().describe('the holder of the token when absent'),
});

/** A link between a holder and a source. URIs are plain here. The configuration may hold secrets: it is never logged. */
export type Connection = Readonly<z.output<typeof connectionSchema>>;

/** The JSON form of the specification. */
export function connectionBody({ uri, configuration, state, source, holder }: Connection): object {
  const encode = encodeURIComponent;
  return { uri: encode(uri), configuration, state, source: encode(source), holder: encode(holder) };
}

/** The documents that a refresh of the connection reads, each once. */
export function documentsOf({ source, configuration }: Connection): string[] {
  return [...new Set([source, ...(configuration.resources ?? [])])];
}
