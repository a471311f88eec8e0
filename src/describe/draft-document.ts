import type { Metadata } from '../component/metadata.js';
import { parseRdf, type RdfDocument } from '../component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { createVocabulary } from '../component/vocabulary.js';
import type { Task } from '../lib/pool/task.js';
import { type ComponentChange, putComponents, removeComponents } from './edit-document.js';

/** A document that is to be edited: a component is put into it, or taken out. */
export interface DraftQuestion {
  /** As it is; an empty text when it is not there yet. */
  readonly before: RdfDocument;
  readonly put?: Metadata | undefined;
  /** Uri of a component that is taken out. */
  readonly remove?: string | undefined;
}

/** A document after an edit, and before. */
export interface DraftedDocument {
  /** Turtle; undefined when nothing is left that it could say. */
  readonly text: string | undefined;
  readonly changes: readonly ComponentChange[];
  /** What it describes before. */
  readonly components: readonly Metadata[];
}

/** Edits a document of somebody else's, which may take long to parse. @throws MalformedInput */
export const draftTask: Task<DraftQuestion, DraftedDocument> = {
  module: import.meta.url,
  name: 'draftTask',
  short: 4000,
  async *run({ before, put, remove }) {
    const vocabulary = createVocabulary(before.namespace);
    const quads = await parseRdf(before);
    const { components } = componentsFromQuads(quads, vocabulary);
    const edit =
      remove === undefined
        ? putComponents(quads, put ? [put] : [], vocabulary)
        : removeComponents(quads, ({ uri }) => uri === remove, vocabulary);
    yield { ...edit, components };
  },
};
