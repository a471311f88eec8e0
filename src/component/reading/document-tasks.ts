import type { Quad, Term } from '@rdfjs/types';
import { DataFactory, type Term as N3Term, termFromId, termToId } from 'n3';
import { MalformedInput } from '../../lib/faults.js';
import { parseJsonBody } from '../../lib/json.js';
import type { Parsing, Task, Undecoded } from '../../lib/pool/task.js';
import { type RdfDocument, readRdf } from '../rdf/rdf-parse.js';
import { createVocabulary } from '../vocabulary.js';
import { type Described, nothingDescribed } from './described.js';
import { Descriptions, mayHaveCapabilities } from './descriptions.js';
import { describedInPostedJson } from './json-descriptions.js';

/** Reads the components that a document describes. `base`: see `componentsFromQuads`. */
export const describeTask: Task<RdfDocument & { readonly base?: string }, Described> = {
  module: 'component/reading/document-tasks.js',
  name: 'describeTask',
  async run(document) {
    const { namespace, base, text } = document;
    const descriptions = new Descriptions(createVocabulary(namespace), base, mayHaveCapabilities(text));
    // Quads are not collected: all of them together take ten times the memory of the text.
    await readRdf(document, (quad) => descriptions.add(quad));
    return descriptions.read();
  },
};

/** The body of a request, in JSON. */
interface PostedJson {
  readonly text: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** The address of this node, without a trailing slash. */
  readonly baseUrl: string;
  /** Of an array with more items, none is looked at. */
  readonly most: number;
}

/** Reads the components of a posted JSON body. */
export const postedJsonTask: Task<PostedJson, Described> = {
  module: 'component/reading/document-tasks.js',
  name: 'postedJsonTask',
  short: 10_000,
  run({ text, namespace, baseUrl, most }) {
    const body = parseJsonBody(text);
    if (Array.isArray(body) && body.length > most) return { ...nothingDescribed(), unnamed: body.length };
    return describedInPostedJson(body, { baseUrl, vocabulary: createVocabulary(namespace) });
  },
};

/** Subject, predicate and object as n3 writes terms in one string: copied much faster than terms. */
type Row = readonly [string, string, string];

/** n3 declares this function for its own terms only, but it works for all terms of RDF/JS. */
const idOf = (term: Term): string => termToId(term as N3Term);

/** Reads the triples of a document. One with more than `most` is refused. */
export const triplesTask: Task<RdfDocument & { readonly most: number }, { readonly rows: readonly Row[] }> = {
  module: 'component/reading/document-tasks.js',
  name: 'triplesTask',
  async run({ most, ...document }) {
    const rows: Row[] = [];
    await readRdf(document, ({ subject, predicate, object }) => {
      if (rows.length === most) throw new MalformedInput(`it has more than ${most} triples`);
      rows.push([idOf(subject), idOf(predicate), idOf(object)]);
    });
    return { rows };
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
  const { rows } = await pool.run(triplesTask, { ...document, most }, options);
  return rows.map((row) => {
    const [subject, predicate, object] = row.map((id) => termFromId(id));
    return DataFactory.quad(subject as never, predicate as never, object as never) as Quad;
  });
}
