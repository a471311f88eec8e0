import type { Quad, Term } from '@rdfjs/types';
import { DataFactory, type Term as N3Term, termFromId, termToId } from 'n3';
import { compareText } from '../../lib/compare-text.js';
import { MalformedInput } from '../../lib/faults.js';
import type { Undecoded } from '../../lib/pool/handed-text.js';
import type { Parsing, Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
import { sizeOf } from '../component-size.js';
import { type RdfDocument, readRdf } from '../rdf/rdf-parse.js';
import { LIMITS } from '../values.js';
import { createVocabulary } from '../vocabulary.js';
import type { Described, LeftOut } from './described.js';
import { Descriptions } from './descriptions.js';

export interface DescribedDocument extends RdfDocument {
  /** See `componentsFromQuads`. */
  readonly base?: string;
  /** Components that are wanted of it at most; all are when absent. See `firstOf`. */
  readonly most?: number;
}

/** Reads the components that a document describes. */
export const describeTask: Task<DescribedDocument, Described> = {
  module: 'component/reading/document-tasks.js',
  name: 'describeTask',
  async *run(document) {
    const descriptions = new Descriptions(createVocabulary(document.namespace), document.base, document.text);
    // Quads are not collected: all of them together take ten times the memory of the text.
    await readRdf(document, (quad) => descriptions.add(quad));
    yield* describedInPortions(firstOf(descriptions.read(), document.most));
  },
};

/** So many components at most, those whose uris come first: which ones they are must not depend on their order. */
export function firstOf(described: Described, most = Number.POSITIVE_INFINITY): Described {
  const omitted = described.components.length - most;
  if (omitted <= 0) return described;
  const components = described.components
    .sort((one, other) => compareText(one.uri, other.uri))
    .slice(0, most);
  return { ...described, components, omitted };
}

/** Splits the result into portions that threads copy quickly. */
export function* describedInPortions(described: Described): Generator<Described> {
  const { components, invalid, leftOut = [], unnamed, omitted } = described;
  const nothing = { components: [], invalid: [] };
  const size = ({ faults }: { readonly faults: readonly unknown[] }) => LIMITS.uri + 200 * faults.length;
  for (const portion of portions(components, sizeOf)) yield { ...nothing, components: portion };
  for (const portion of portions(invalid, size)) yield { ...nothing, invalid: portion };
  for (const portion of portions(leftOut, size)) yield { ...nothing, leftOut: portion };
  if (unnamed !== undefined || omitted !== undefined) yield { ...nothing, unnamed, omitted };
}

/**
 * Finds the components that a document describes.
 * @throws MalformedInput
 */
export async function describeDocument(
  document: Undecoded<DescribedDocument>,
  { pool, ...options }: Parsing,
): Promise<Described> {
  const size = document.text.length;
  return joined(pool.run(describeTask, document, { ...options, size }));
}

/** Joins the portions of `describedInPortions`. */
export async function joined(parts: AsyncIterable<Described>): Promise<Described> {
  const whole: Described & { leftOut: LeftOut[] } = { components: [], invalid: [], leftOut: [] };
  let [unnamed, omitted] = [0, 0];
  for await (const part of parts) {
    whole.components.push(...part.components);
    whole.invalid.push(...part.invalid);
    whole.leftOut.push(...(part.leftOut ?? []));
    unnamed += part.unnamed ?? 0;
    omitted += part.omitted ?? 0;
  }
  const leftOut = whole.leftOut.length > 0 ? whole.leftOut : undefined;
  return { ...whole, leftOut, unnamed: unnamed || undefined, omitted: omitted || undefined };
}

/** Subject, predicate and object as n3 writes terms in one string: copied much faster than terms. */
type Row = readonly [string, string, string];

interface TriplesQuestion extends RdfDocument {
  /** A document with more triples is refused. */
  readonly most: number;
}

/** n3 declares this function for its own terms only, but it works for all terms of RDF/JS. */
const idOf = (term: Term): string => termToId(term as N3Term);

/** Reads the triples of a document. */
export const triplesTask: Task<TriplesQuestion, readonly Row[]> = {
  module: 'component/reading/document-tasks.js',
  name: 'triplesTask',
  async *run({ most, ...document }) {
    const rows: Row[] = [];
    await readRdf(document, ({ subject, predicate, object }) => {
      if (rows.length === most) throw new MalformedInput(`it has more than ${most} triples`);
      rows.push([idOf(subject), idOf(predicate), idOf(object)]);
    });
    yield* portions(rows, ([s, p, o]) => s.length + p.length + o.length);
  },
};

/**
 * The triples of a document, in whatever graph they are, at most `most`.
 * @throws MalformedInput
 */
export async function triplesOf(
  document: Undecoded<RdfDocument>,
  most: number,
  { pool, ...options }: Parsing,
): Promise<Quad[]> {
  const quads: Quad[] = [];
  const size = document.text.length;
  for await (const rows of pool.run(triplesTask, { ...document, most }, { ...options, size })) {
    for (const row of rows) {
      const [subject, predicate, object] = row.map((id) => termFromId(id));
      quads.push(DataFactory.quad(subject as never, predicate as never, object as never) as Quad);
    }
  }
  return quads;
}
