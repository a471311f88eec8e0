import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { uriKey } from '../uri.js';
import { recordKey } from './record-index.js';

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

type ResourceName = Pick<CachedResource, 'connection' | 'uri'>;

/** One document read for two connections is two resources, since a server may show each of them different triples. */
export function resourceKey(resource: ResourceName): string {
  return recordKey(nameOf(resource));
}

/** The name of the graph that holds the triples. */
export function graphOf(resource: ResourceName) {
  return DataFactory.namedNode(GRAPH + encodeURIComponent(nameOf(resource)));
}

/** Is it the name of such a graph? */
export function isResourceGraph(name: string): boolean {
  return name.startsWith(GRAPH);
}

function nameOf({ connection, uri }: ResourceName): string {
  return `${uriKey(connection)} ${uriKey(uri)}`;
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
