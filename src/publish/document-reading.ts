import type { Quad } from '@rdfjs/types';
import { ownTerms } from '../component/capability-terms.js';
import { FIELDS } from '../component/fields.js';
import { type RdfDocument, readRdf } from '../component/rdf/rdf-parse.js';
import type { Described } from '../component/reading/described.js';
import { Descriptions } from '../component/reading/descriptions.js';
import { describedInPortions, joined } from '../component/reading/document-tasks.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import {
  createVocabulary,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
  type Vocabulary,
} from '../component/vocabulary.js';
import { parseBoundedJson } from '../lib/bounded-json.js';
import type { Parsing, Task } from '../lib/pool/task.js';

/** JSON without a context: nodes take it from who posts it, and from nobody's pod. */
export const PLAIN_JSON = 'application/json';

/** What a document has beside components, as far as it may be a mistake; some of each. */
export interface Oddities {
  /** Terms in the vocabulary's namespace that are not in the vocabulary, without the namespace. */
  readonly terms: readonly string[];
  readonly classes: readonly string[];
  /** In JSON, keys that are no names of fields, and that no context defines. */
  readonly keys: readonly string[];
  /** Of a container, or what a server says of one. */
  readonly members?: readonly string[] | undefined;
}

/** How many of each are named; objects of plain JSON that are looked at; the longest term that can be a misspelt one. */
const MOST = { terms: 10, members: 3, keys: 200, objects: 100, characters: 40 } as const;

/** A document as a node reads it. */
export interface ReadDocument {
  readonly described: Described;
  readonly odd: Oddities;
}

/** Reads a document as nodes do, and what may be mistakes; in a worker, because a stranger's may take long. */
export const readTask: Task<RdfDocument, Partial<ReadDocument>> = {
  module: 'publish/document-reading.js',
  name: 'readTask',
  async *run(document) {
    const vocabulary = createVocabulary(document.namespace);
    const { described, odd } =
      document.mediaType === PLAIN_JSON ? plain(document, vocabulary) : await rdf(document, vocabulary);
    yield { odd };
    for (const portion of describedInPortions(described)) yield { described: portion };
  },
};

/** @throws MalformedInput */
export async function readDocument(
  document: RdfDocument,
  { pool, ...options }: Parsing,
): Promise<ReadDocument> {
  let odd: Oddities = { terms: [], classes: [], keys: [] };
  const pieces = pool.run(readTask, document, { ...options, size: document.text.length });
  async function* portions() {
    for await (const piece of pieces) {
      if (piece.odd) odd = piece.odd;
      if (piece.described) yield piece.described;
    }
  }
  const described = await joined(portions());
  return { described, odd };
}

function plain({ text }: RdfDocument, vocabulary: Vocabulary): ReadDocument {
  const body = parseBoundedJson(text);
  const some = Array.isArray(body) ? body.slice(0, MOST.objects) : body;
  return {
    described: describedInJson(some, vocabulary),
    odd: { terms: [], classes: [], keys: otherKeys(some) },
  };
}

async function rdf(document: RdfDocument, vocabulary: Vocabulary): Promise<ReadDocument> {
  const descriptions = new Descriptions(vocabulary, undefined, document.text);
  const odd = oddTerms(vocabulary);
  await readRdf(document, (quad) => {
    descriptions.add(quad);
    odd.add(quad);
  });
  const keys = document.mediaType === 'application/ld+json' ? otherKeys(JSON.parse(document.text)) : [];
  return { described: descriptions.read(), odd: { ...odd.read(), keys } };
}

const FIELD_KEYS: ReadonlySet<string> = new Set([...FIELDS, 'shape']);

/** Some keys of the objects in a JSON document that are no names of fields, and that no JSON-LD context in it defines. */
function otherKeys(document: unknown): string[] {
  const [keys, defined] = [new Set<string>(), new Set<string>()];
  const waiting = [{ value: document, inContext: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, inContext } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (inContext) defined.add(key);
      else if (/^[A-Za-z]{1,40}$/.test(key) && !FIELD_KEYS.has(key) && keys.size < MOST.keys) keys.add(key);
      // What stands within capabilities has names of its own.
      if (key !== 'capability') waiting.push({ value: member, inContext: inContext || key === '@context' });
    }
  }
  return [...keys].filter((key) => !defined.has(key));
}

/** Collects what may be mistakes in the terms of a graph. */
function oddTerms({ namespace, fields, component, network }: Vocabulary) {
  const known = new Set([...fields.keys(), component, ...Object.values(network), ...ownTerms(namespace)]);
  const [terms, classes, members] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let isContainer = false;
  const judge = (iri: string, odd: Set<string>) => {
    if (!iri.startsWith(namespace) || known.has(iri) || odd.size === MOST.terms) return;
    const term = iri.slice(namespace.length);
    if (term.length <= MOST.characters) odd.add(term);
  };
  return {
    add({ predicate: { value }, object }: Quad): void {
      judge(value, terms);
      if (value === RDF_TYPE) judge(object.value, classes);
      const isType = value === RDF_TYPE && [LDP_CONTAINER, LDP_BASIC_CONTAINER].includes(object.value);
      isContainer ||= isType || value === LDP_CONTAINS;
      if (value === LDP_CONTAINS && members.size < MOST.members) members.add(object.value);
    },
    read: () => ({
      terms: [...terms],
      classes: [...classes],
      members: isContainer ? [...members] : undefined,
    }),
  };
}
