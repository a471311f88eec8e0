import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { uriKey } from '../uri.js';

/** The record of a document that is read for a connection. Its triples are in the graph that `graphOf` names. */
export interface CachedResource {
  readonly uri: string;
  /** URI of the connection. Only tokens that may see the connection may see its resources. */
  readonly connection: string;
  readonly holder: string;
  /** Time of the last successful reading, ms since the epoch; null before the first one. */
  readonly refreshed: number | null;
  /** Why the latest reading failed; null when it succeeded. */
  readonly error: string | null;
  readonly etag?: string;
  readonly lastModified?: string;
}

const GRAPH = 'urn:registry:resource:';

/** The name of the graph that holds the triples. */
export function graphOf({ connection, uri }: Pick<CachedResource, 'connection' | 'uri'>): NamedNode {
  return DataFactory.namedNode(
    GRAPH + encodeURIComponent(`${uriKey(connection)} ${uriKey(uri)}`),
  ) as NamedNode;
}

/** Is it the name of such a graph? */
export function isResourceGraph(name: string): boolean {
  return name.startsWith(GRAPH);
}

/**
 * The JSON form of the specification, with the times and failures of readings. `skipped`: why a refresh leaves the
 * resource as it is.
 */
export function resourceBody(resource: CachedResource, quads: readonly Quad[], skipped?: string): object {
  const { uri, connection, refreshed, error } = resource;
  return {
    uri,
    connection,
    refreshed: refreshed === null ? null : String(refreshed),
    stale: error === null ? undefined : true,
    error: error ?? undefined,
    skipped,
    triples: quads.map(({ subject, predicate, object }) => ({
      subject: termBody(subject),
      predicate: predicate.value,
      object: termBody(object),
    })),
  };
}

function termBody(term: Term): object {
  const { value } = term;
  if (term.termType !== 'Literal')
    return { value, termType: term.termType === 'BlankNode' ? 'bnode' : 'uri' };
  const { datatype, language } = term;
  return { value, termType: 'literal', dataType: datatype.value, language: language || undefined };
}
