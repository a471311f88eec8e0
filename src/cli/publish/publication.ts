import type { Metadata } from '../../component/metadata.js';
import { parseRdf } from '../../component/rdf/rdf-parse.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { changeFindings } from '../../describe/change-findings.js';
import {
  type ComponentChange,
  type DocumentEdit,
  isSameComponent,
  type PutOptions,
  putComponents,
  removeComponents,
} from '../../describe/edit-document.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { hasErrors, type LintReport } from '../../lint/finding.js';
import { lintText } from '../../lint/lint-document.js';
import { commandOptions } from '../lint-verb.js';
import type { Stored, Target } from './target.js';

/** What is to become of a document. */
export interface Plan {
  readonly before: Stored;
  readonly edit: DocumentEdit;
  /** Those of the changes that change something. */
  readonly changes: readonly ComponentChange[];
  /** Of the document as it will be; absent for a withdrawal, after which nothing new is said. */
  readonly report?: LintReport;
  /** Does something of what is published stand in the way? Faults of earlier versions and of others' components do not. */
  readonly isHindered: boolean;
}

export interface PlanParts {
  readonly target: Target;
  readonly vocabulary: Vocabulary;
  readonly fetch: GuardedFetch;
}

/** What publishing components would do. @throws Error for a document that cannot be read */
export async function planToPut(
  components: readonly Metadata[],
  parts: PlanParts,
  options: PutOptions,
): Promise<Plan> {
  const { before, quads } = await contentOf(parts);
  const edit = relative(putComponents(quads, components, parts.vocabulary, options));
  const report = await lint(edit.text ?? '', parts);
  const findings = [...report.findings, ...changeFindings(edit.changes)];
  const published = report.components.filter(({ uri }) => components.some((one) => one.uri === uri));
  const isHindered = hasErrors({ ...report, findings, components: published });
  return { before, edit, changes: changesIn(edit), report: { ...report, findings }, isHindered };
}

/** What withdrawing components would do: those with their address or their label. */
export async function planToRemove(components: readonly Metadata[], parts: PlanParts): Promise<Plan> {
  const { before, quads } = await contentOf(parts);
  const isRemoved = (one: Metadata) => components.some((other) => isSameComponent(one, other));
  const edit = relative(removeComponents(quads, isRemoved, parts.vocabulary));
  return { before, edit, changes: changesIn(edit), isHindered: false };
}

async function contentOf({ target, vocabulary }: PlanParts) {
  const before = await target.read();
  const baseIri = target.url ?? NOWHERE;
  const document = { text: before.text ?? '', mediaType: 'text/turtle', baseIri };
  return { before, quads: await parseRdf({ ...document, namespace: vocabulary.namespace }) };
}

/** A base for relative addresses in a file whose own address is not known yet. */
const NOWHERE = 'https://address-of-this-file.invalid/1/2/3/';

/** Addresses of such a file are relative again. @throws Error for one that cannot be */
function relative(edit: DocumentEdit): DocumentEdit {
  const text = edit.text?.replaceAll(`<${NOWHERE}`, '<');
  if (!text?.includes(new URL(NOWHERE).host)) return { ...edit, text };
  throw new Error('it has relative addresses: say with --at where it is on the web');
}

function changesIn({ changes }: DocumentEdit): ComponentChange[] {
  return changes.filter(({ kind }) => kind !== 'unchanged');
}

/** The modules are looked at where they are, unless they come to the web together with the document. */
function lint(text: string, { target, vocabulary, fetch }: PlanParts): Promise<LintReport> {
  const options = commandOptions(fetch, vocabulary, target.url === undefined ? 0 : 100);
  return lintText({ text, mediaType: 'text/turtle', document: target.url ?? NOWHERE }, options);
}
