import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import * as z from 'zod';
import type { Validators } from '../../lib/fetch/validators.js';

/** The record of a document that is read for a connection. Its triples are in the graph that `graphOf` names. */
export interface CachedResource extends Validators {
  readonly uri: string;
  /** URI of the connection. Only tokens that may see the connection may see its resources. */
  readonly connection: string;
  readonly holder: string;
  /** Time of the last successful reading, ms since the epoch; null before the first one. */
  readonly refreshed: number | null;
  /** Why the latest reading failed; null when it succeeded. */
  readonly error: string | null;
}

/** What the names of graphs of cached documents begin with. */
export const RESOURCE_GRAPH = 'urn:registry:resource:';

/** The name of the graph that holds the triples. */
export function graphOf({ connection, uri }: Pick<CachedResource, 'connection' | 'uri'>): NamedNode {
  return DataFactory.namedNode(RESOURCE_GRAPH + encodeURIComponent(`${connection} ${uri}`)) as NamedNode;
}

const termSchema = z.object({
  value: z.string(),
  termType: z.string(),
  dataType: z.string().optional(),
  language: z.string().optional(),
});

/** The JSON form of the specification, with the times and failures of readings. */
export const resourceSchema = z.object({
  uri: z.string(),
  connection: z.string().describe('the connection that it was read for'),
  refreshed: z.string().nullable().describe('when it was last read, in ms since 1970'),
  stale: z.literal(true).optional().describe('the latest attempt to read it has failed'),
  error: z.string().optional().describe('why it has failed'),
  triples: z.array(z.object({ subject: termSchema, predicate: z.string(), object: termSchema })),
});

export function resourceBody(
  { uri, connection, refreshed, error }: CachedResource,
  quads: readonly Quad[],
): z.output<typeof resourceSchema> {
  return {
    uri,
    connection,
    refreshed: refreshed === null ? null : String(refreshed),
    stale: error === null ? undefined : true,
    error: error ?? undefined,
    triples: quads.map(({ subject, predicate, object }) => ({
      subject: termBody(subject),
      predicate: predicate.value,
      object: termBody(object),
    })),
  };
}

function termBody(term: Term): z.output<typeof termSchema> {
  const { value } = term;
  if (term.termType !== 'Literal')
    return { value, termType: term.termType === 'BlankNode' ? 'bnode' : 'uri' };
  const { datatype, language } = term;
  return { value, termType: 'literal', dataType: datatype.value, language: language || undefined };
}
