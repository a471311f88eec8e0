import type { Naming } from '../component/naming.js';
import { parseRdf, type RdfDocument } from '../component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { describedInPostedJson } from '../component/reading/json-descriptions.js';
import { createVocabulary } from '../component/vocabulary.js';
import { type Fault, pointerTo } from '../lib/faults.js';
import type { Task } from '../lib/pool/task.js';
import { changeFindings, putComponents, removeComponents } from './document-edit.js';
import { type Draft, ruleFindings } from './finding.js';
import { inWordsOfForm } from './form-names.js';
import { metadataFindings } from './metadata-rules.js';

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

/** Checks a description, and edits a document of somebody else's with it: either may take long. @throws MalformedInput */
export const draftTask: Task<DraftQuestion, Draft> = {
  module: 'publish/draft.js',
  name: 'draftTask',
  short: 4000,
  async run({ before, baseUrl, put, remove }) {
    const vocabulary = createVocabulary(before.namespace);
    const { described, findings: wrong } = checked(put, { baseUrl, vocabulary });
    const quads = await parseRdf(before);
    const { components } = componentsFromQuads(quads, vocabulary);
    const edit =
      remove === undefined
        ? putComponents(quads, described, vocabulary)
        : removeComponents(quads, ({ uri }) => uri === remove, vocabulary);
    const findings = [...wrong, ...changeFindings(edit.changes)];
    const changes = edit.changes.map(({ kind, component: { uri }, fields }) => ({ kind, uri, fields }));
    return { turtle: edit.text || undefined, components, changes, findings };
  },
};

/** The description that is to be put into the document, as far as it keeps the rules, and what is wrong with it. */
function checked(put: object | undefined, naming: Naming) {
  if (put === undefined) return { described: [], findings: [] };
  const { components, invalid, leftOut } = describedInPostedJson(put, naming);
  const faults = [...invalid, ...leftOut].flatMap((one) => one.faults);
  const wrong = ruleFindings(faults.map(inWordsOfForm), 'brokenRule');
  if (invalid.length === 0)
    return { described: components, findings: [...wrong, ...components.flatMap(metadataFindings)] };
  const described = describedInPostedJson(soundPart(put, faults), naming).components;
  const advised = described.flatMap(metadataFindings).filter(({ level }) => level === 'advice');
  return { described, findings: [...wrong, ...advised] };
}

/** What every description must have: it stands in a draft while the author's own is missing or wrong. */
const STAND_INS = { uri: 'https://your.example/module.js', label: 'Your component' };

/** A description without the values that break a rule, so that the rest of it can be shown and advised on. */
function soundPart(put: object, faults: readonly Fault[]): object {
  const isSound = (at: string) => !faults.some(({ pointer }) => `${pointer}/`.startsWith(`${at}/`));
  const sound = Object.entries(put).flatMap(([name, value]) => {
    const at = pointerTo([name]);
    if (Array.isArray(value)) return [[name, value.filter((_, i) => isSound(`${at}/${i}`))]];
    return isSound(at) ? [[name, value]] : [];
  });
  return { ...STAND_INS, ...Object.fromEntries(sound) };
}
