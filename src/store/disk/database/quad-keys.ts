import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { TermName } from 'quadstore';
import { quadReader, twoStepsQuadWriter } from 'quadstore/dist/serialization/quads.js';
import { DamagedData } from './damage.js';
import { unseal } from './seal.js';

/**
 * The registry reads quads graph by graph and subject by subject; what is asked of it is answered from the catalog. Each
 * more index costs as much again in writing.
 */
const INDEX: TermName[] = ['graph', 'subject', 'predicate', 'object'];
/** Begins the key of every quad. Graph, subject, predicate and object follow, with two zero characters between them. */
const PREFIX = 'GSPO\0\0';
export const BETWEEN = '\0\0';
/** quadstore could write IRIs in short. */
const NO_PREFIXES = { expandTerm: (term: string) => term, compactIri: (iri: string) => iri };

/** Where the keys of a graph's quads begin and end, or of all quads. */
export function rangeOf(graph?: string): { readonly start: string; readonly end: string } {
  const start = graph === undefined ? PREFIX : `${PREFIX}${graph}${BETWEEN}`;
  return { start, end: `${start.slice(0, -1)}\u0001` };
}

export function quadKey(quad: Quad): string {
  return twoStepsQuadWriter.ingest(quad as never, NO_PREFIXES).write(PREFIX, INDEX);
}

/** Reads a quad as quadstore does; its streams take several times as long, never close their iterators, and swallow errors. */
export function readQuad(place: string, [key, value]: readonly [string, string]): Quad {
  if (unseal(key, value) === undefined) {
    const [, graph = ''] = key.split(BETWEEN);
    throw new DamagedData(place, `a statement in the graph ${graph} does not match its checksum`);
  }
  return quadOf(key);
}

export function quadOf(key: string): Quad {
  const quad = quadReader.read(key, PREFIX.length, INDEX, DataFactory as never, NO_PREFIXES);
  return quad as unknown as Quad;
}

/** What the key of a quad says of its subject. */
export interface KeyedValue {
  readonly predicate: string;
  /** Of an IRI or of a literal; undefined for other objects. */
  readonly value: string | undefined;
}

/**
 * How quadstore ends a key: of graph, subject, predicate and object a character for its kind and four for each length that
 * tells its parts apart; then five characters for how many these are. Graph, subject and predicate are IRIs here.
 */
const TERM = 1 + 4;
const COUNT = 5;
/** How such a key ends where the object is an IRI or a text, and where a datatype or a language stands in front of its value. */
const WHOLE = { ending: 4 * TERM + COUNT, count: '0000k', kinds: '03' };
const BEHIND = { ending: 4 * TERM + 4 + COUNT, count: '0000o', kinds: '24' };

/** Reads a key from where its predicate begins: several times as fast as a quad is made of it. */
export function valueIn(key: string, from: number): KeyedValue {
  const end = key.indexOf(BETWEEN, from);
  const predicate = key.slice(from, end);
  const form = key.endsWith(WHOLE.count) ? WHOLE : BEHIND;
  const ending = key.length - form.ending;
  const isKnown = key.endsWith(form.count) && form.kinds.includes(key.charAt(ending + 3 * TERM));
  if (!isKnown) return { predicate, value: undefined };
  const before = form === WHOLE ? end : key.indexOf(BETWEEN, end + BETWEEN.length);
  return { predicate, value: key.slice(before + BETWEEN.length, ending - BETWEEN.length) };
}
