import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { TermName } from 'quadstore';
import { quadReader } from 'quadstore/dist/serialization/quads.js';
import { DamagedData } from './damage.js';
import { unseal } from './seal.js';

/**
 * The registry reads quads graph by graph and subject by subject; what is asked of it is answered from the catalog. Each
 * more index costs as much again in writing.
 */
export const INDEX: TermName[] = ['graph', 'subject', 'predicate', 'object'];
/** Begins the key of every quad. Graph, subject, predicate and object follow, with two zero characters between them. */
const PREFIX = 'GSPO\0\0';
/** quadstore could write IRIs in short. */
const NO_PREFIXES = { expandTerm: (term: string) => term, compactIri: (iri: string) => iri };

/** Where the keys of a graph's quads begin and end, or of all quads. */
export function rangeOf(graph?: string): { readonly start: string; readonly end: string } {
  const start = graph === undefined ? PREFIX : `${PREFIX}${graph}\0\0`;
  return { start, end: `${start.slice(0, -1)}\u0001` };
}

/** Reads a quad as quadstore does; its streams take several times as long, never close their iterators, and swallow errors. */
export function readQuad(place: string, [key, value]: readonly [string, string]): Quad {
  if (unseal(key, value) === undefined) {
    const [, graph = ''] = key.split('\0\0');
    throw new DamagedData(place, `a statement in the graph ${graph} does not match its checksum`);
  }
  const quad = quadReader.read(key, PREFIX.length, INDEX, DataFactory as never, NO_PREFIXES);
  return quad as unknown as Quad;
}
