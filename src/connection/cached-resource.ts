import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { uriKey } from './uri.js';

/** What is remembered of a document that was read for a connection; its triples are in the graph beside it. */
export interface CachedResource {
  readonly uri: string;
  /** Whoever sees the connection sees its resources, and nobody else. */
  readonly connection: string;
  readonly holder: string;
  /** When it was last read whole, ms since the epoch; null before the first time. */
  readonly refreshed: number | null;
  /** Why the latest attempt failed; null when it did not. */
  readonly error: string | null;
  readonly etag?: string;
  readonly lastModified?: string;
}

/** One document read for two connections is two resources: each may see another side of it. */
export function resourceKey({ connection, uri }: Pick<CachedResource, 'connection' | 'uri'>): string {
  return `${uriKey(connection)} ${uriKey(uri)}`;
}

/** The name of the graph that holds the triples. */
export function graphOf(resource: Pick<CachedResource, 'connection' | 'uri'>) {
  return DataFactory.namedNode(`urn:registry:resource:${encodeURIComponent(resourceKey(resource))}`);
}

/** The JSON form of the specification, with what tells how good it still is. */
export function resourceBody(resource: CachedResource, quads: readonly Quad[]): object {
  const { uri, connection, refreshed, error } = resource;
  return {
    uri,
    connection,
    refreshed: refreshed === null ? null : String(refreshed),
    ...(error === null ? {} : { stale: true, error }),
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
  return { value, termType: 'literal', dataType: datatype.value, ...(language === '' ? {} : { language }) };
}
