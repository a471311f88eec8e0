import type { Metadata } from '../component/metadata.js';
import { parseRdf } from '../component/rdf/rdf-parse.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Stored, Target } from './document.js';
import {
  changeFindings,
  type DocumentEdit,
  isSameComponent,
  putComponents,
  removeComponents,
} from './document-edit.js';
import { hasErrors, type LintReport } from './finding.js';
import { type LintOptions, lintText } from './lint.js';

/** What is to become of a document. */
export interface Plan {
  readonly before: Stored;
  readonly edit: DocumentEdit;
  /** Is there something to write? */
  readonly isChange: boolean;
  /** Of the document as it will be; absent for a withdrawal, after which nothing new is said. */
  readonly report?: LintReport;
  /** Does something of what is published stand in the way? Faults of earlier versions and of others' components do not. */
  readonly isHindered: boolean;
}

interface PlanParts {
  readonly target: Target;
  readonly vocabulary: Vocabulary;
  readonly lint: LintOptions;
}

/** What publishing components would do. @throws Error for a document that cannot be read */
export async function planToPut(
  components: readonly Metadata[],
  parts: PlanParts,
  replace?: boolean,
): Promise<Plan> {
  const { before, quads } = await contentOf(parts);
  const edit = relative(putComponents(quads, components, parts.vocabulary, replace));
  const baseIri = parts.target.url ?? NOWHERE;
  // The modules are looked at where they are, unless they come to the web together with the document.
  const lint = parts.target.url === undefined ? { ...parts.lint, maxModules: 0 } : parts.lint;
  const checked = await lintText({ text: edit.text ?? '', mediaType: 'text/turtle', baseIri }, lint);
  const report = { ...checked, findings: [...checked.findings, ...changeFindings(edit.changes)] };
  const published = report.components.filter(({ uri }) => components.some((one) => one.uri === uri));
  return { ...planOf(before, edit), report, isHindered: hasErrors({ ...report, components: published }) };
}

/** What withdrawing components would do: those with their address or their label. */
export async function planToRemove(components: readonly Metadata[], parts: PlanParts): Promise<Plan> {
  const { before, quads } = await contentOf(parts);
  const isRemoved = (one: Metadata) => components.some((other) => isSameComponent(one, other));
  return planOf(before, relative(removeComponents(quads, isRemoved, parts.vocabulary)));
}

function planOf(before: Stored, edit: DocumentEdit): Plan {
  return { before, edit, isChange: edit.changes.some(({ kind }) => kind !== 'unchanged'), isHindered: false };
}

async function contentOf({ target, vocabulary: { namespace } }: PlanParts) {
  const before = await target.read();
  const baseIri = target.url ?? NOWHERE;
  const document = { text: before.text ?? '', mediaType: 'text/turtle', baseIri, namespace };
  return { before, quads: await parseRdf(document) };
}

/** A base for relative addresses in a file whose own address is not known yet. */
const NOWHERE = 'https://address-of-this-file.invalid/1/2/3/';

/** Addresses of such a file are relative again. @throws Error for one that cannot be */
function relative(edit: DocumentEdit): DocumentEdit {
  const text = edit.text?.replaceAll(`<${NOWHERE}`, '<');
  if (!text?.includes(new URL(NOWHERE).host)) return { ...edit, text };
  throw new Error('it has relative addresses: say with --at where it is on the web');
}
