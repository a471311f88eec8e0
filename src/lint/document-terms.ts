import type { Quad } from '@rdfjs/types';
import { ownTerms } from '../component/capability-terms.js';
import { FIELDS } from '../component/fields.js';
import { type RdfDocument, readRdf } from '../component/rdf/rdf-parse.js';
import {
  createVocabulary,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
  type Vocabulary,
} from '../component/vocabulary.js';
import type { Parsing, Task } from '../lib/pool/task.js';

/** What a document has beside components, as far as it may be a mistake. */
export interface DocumentTerms {
  /** Terms of the vocabulary's namespace that are not in the vocabulary, without the namespace. */
  readonly unknown: readonly string[];
  /** The same, of classes. */
  readonly unknownClasses: readonly string[];
  /** Is it a container, or what a server says of one? */
  readonly isContainer: boolean;
  /** Some of what the container has. */
  readonly members: readonly string[];
  /** In JSON-LD: some keys that no context defines and that are no names of fields. */
  readonly keys: readonly string[];
}

/** How many unknown terms, members and keys are named. */
const NAMED = { unknown: 10, members: 3, keys: 200 } as const;
/** Longest term that can be a misspelt one, in characters. */
const LONGEST = 40;

/** Finds the terms of a document that may be mistakes. */
export const termsTask: Task<RdfDocument, DocumentTerms> = {
  module: 'lint/document-terms.js',
  name: 'termsTask',
  async *run(document) {
    const terms = new Terms(createVocabulary(document.namespace));
    await readRdf(document, (quad) => terms.add(quad));
    const isJson = document.mediaType === 'application/ld+json';
    yield { ...terms.read(), keys: isJson ? otherKeys(JSON.parse(document.text)) : [] };
  },
};

/** The terms of a document that may be mistakes. @throws MalformedInput */
export async function termsOf(document: RdfDocument, { pool, ...options }: Parsing): Promise<DocumentTerms> {
  const size = document.text.length;
  for await (const terms of pool.run(termsTask, document, { ...options, size })) return terms;
  return { unknown: [], unknownClasses: [], isContainer: false, members: [], keys: [] };
}

const FIELD_KEYS: ReadonlySet<string> = new Set([...FIELDS, 'shape']);

/** Some keys of the objects in a JSON document that are no names of fields, and that no JSON-LD context in it defines. */
export function otherKeys(document: unknown): string[] {
  const keys = new Set<string>();
  const defined = new Set<string>();
  const waiting: { value: unknown; inContext: boolean }[] = [{ value: document, inContext: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, inContext } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (inContext) defined.add(key);
      else if (/^[A-Za-z]{1,40}$/.test(key) && !FIELD_KEYS.has(key) && keys.size < NAMED.keys) keys.add(key);
      // What stands within capabilities has names of its own.
      if (key !== 'capability') waiting.push({ value: member, inContext: inContext || key === '@context' });
    }
  }
  return [...keys].filter((key) => !defined.has(key));
}

class Terms {
  readonly #vocabulary: Vocabulary;
  readonly #known: ReadonlySet<string>;
  readonly #unknown = new Set<string>();
  readonly #unknownClasses = new Set<string>();
  readonly #members = new Set<string>();
  #isContainer = false;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    const { fields, component, network } = vocabulary;
    const own = ownTerms(vocabulary.namespace);
    this.#known = new Set([...fields.keys(), component, ...Object.values(network), ...own]);
  }

  add({ predicate, object }: Quad): void {
    this.#judge(predicate.value, this.#unknown);
    if (predicate.value === LDP_CONTAINS) this.#addMember(object.value);
    if (predicate.value !== RDF_TYPE) return;
    this.#judge(object.value, this.#unknownClasses);
    if (object.value === LDP_CONTAINER || object.value === LDP_BASIC_CONTAINER) this.#isContainer = true;
  }

  read(): Omit<DocumentTerms, 'keys'> {
    return {
      unknown: [...this.#unknown],
      unknownClasses: [...this.#unknownClasses],
      isContainer: this.#isContainer,
      members: [...this.#members],
    };
  }

  #judge(iri: string, unknown: Set<string>): void {
    const { namespace } = this.#vocabulary;
    if (!iri.startsWith(namespace) || this.#known.has(iri) || unknown.size === NAMED.unknown) return;
    const term = iri.slice(namespace.length);
    if (term.length <= LONGEST) unknown.add(term);
  }

  #addMember(url: string): void {
    this.#isContainer = true;
    if (this.#members.size < NAMED.members) this.#members.add(url);
  }
}
