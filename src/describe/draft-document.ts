import type { Metadata } from '../component/metadata.js';
import { parseRdf, type RdfDocument } from '../component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { describedInPostedJson } from '../component/reading/json-descriptions.js';
import { createVocabulary } from '../component/vocabulary.js';
import type { Task } from '../lib/pool/task.js';
import { type Finding, faultFindings } from '../lint/finding.js';
import { metadataFindings } from '../lint/metadata-findings.js';
import { changeFindings } from './change-findings.js';
import { type ComponentChange, putComponents, removeComponents } from './edit-document.js';

/** A document that is to be edited: a component is put into it, or taken out. */
export interface DraftQuestion {
  /** As it is; an empty text when it is not there yet. */
  readonly before: RdfDocument;
  /** The address of this node, without a trailing slash: what is put may be what the node has answered. */
  readonly baseUrl: string;
  /** A description as for `POST /component`: one object. */
  readonly put?: object | undefined;
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
  /** What is wrong with the description that is put into it, and what would make it better. */
  readonly findings: readonly Finding[];
}

/** Checks a description, and edits a document of somebody else's with it: either may take long. @throws MalformedInput */
export const draftTask: Task<DraftQuestion, DraftedDocument> = {
  module: 'describe/draft-document.js',
  name: 'draftTask',
  short: 4000,
  async *run({ before, baseUrl, put, remove }) {
    const vocabulary = createVocabulary(before.namespace);
    const { metadata, findings } = checked(put, { baseUrl, vocabulary });
    const quads = await parseRdf(before);
    const { components } = componentsFromQuads(quads, vocabulary);
    const edit =
      remove === undefined
        ? putComponents(quads, metadata ? [metadata] : [], vocabulary)
        : removeComponents(quads, ({ uri }) => uri === remove, vocabulary);
    yield { ...edit, components, findings: [...findings, ...changeFindings(edit.changes)] };
  },
};

type Checking = Parameters<typeof describedInPostedJson>[1];

/** The description that is to be put into the document, as far as it keeps the rules, and what is wrong with it. */
function checked(put: object | undefined, naming: Checking): { metadata?: Metadata; findings: Finding[] } {
  if (put === undefined) return { findings: [] };
  const { components, invalid, leftOut = [] } = describedInPostedJson(put, naming);
  const faults = [...invalid, ...leftOut].flatMap((one) => one.faults);
  const findings = faultFindings(faults, 'correct it; until then no node lists it');
  const [metadata] = components;
  return metadata ? { metadata, findings: [...findings, ...metadataFindings(metadata)] } : { findings };
}
