import { hasModule } from '../component/capability.js';
import { FIELDS } from '../component/fields.js';
import type { Metadata } from '../component/metadata.js';
import { ACCEPT_RDF, PARSED_MEDIA_TYPES, parsedAs } from '../component/rdf/parsed-as.js';
import type { RdfDocument } from '../component/rdf/rdf-parse.js';
import type { Described } from '../component/reading/described.js';
import { latestFaults } from '../component/versions.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { counted } from '../lib/counted.js';
import { explain } from '../lib/faults.js';
import { FetchFailure } from '../lib/fetch/fetch-failure.js';
import { mediaTypeOf } from '../lib/http/headers/media-type.js';
import { PoolBusy } from '../lib/pool/task.js';
import { type ReadDocument, readDocument } from './document-reading.js';
import {
  advice,
  type ComponentReport,
  error,
  type Finding,
  type LintReport,
  ok,
  PASTED,
  ruleFindings,
} from './finding.js';
import { lintModule, type ModuleLint, TIMEOUT_MS } from './lint-module.js';
import { metadataFindings } from './metadata-rules.js';
import { mendOfStatus } from './refused-document.js';

export interface LintOptions extends ModuleLint {
  readonly vocabulary: Vocabulary;
  /** How many modules are checked at most. */
  readonly maxModules: number;
}

/** What is to be checked: the document at a URL, or a text that somebody has pasted. */
export type Linted = { readonly url: string } | { readonly text: string; readonly url?: string | undefined };

/** Bytes of a document that are read; components of it that are reported; versions of one that are told of. */
const MOST = { bytes: 1_000_000, reported: 1_000, versions: 10 } as const;
/** JSON without a context: nodes take it from who posts it, and from nobody's pod. */
const PLAIN_JSON = 'application/json';

/** Checks a document or a text. `url` of a text: where it will be published, which relative IRIs lead from. @throws PoolBusy only */
export function lint(what: Linted, options: LintOptions): Promise<LintReport> {
  if (!('text' in what)) return lintUrl(what.url, options);
  const bytes = new TextEncoder().encode(what.text);
  return lintBytes(bytes, { served: typeOfText(what.text), url: what.url ?? PASTED }, options);
}

/** The media type that a text looks like: what it begins with tells. */
function typeOfText(text: string): string {
  const start = text.trimStart().slice(0, 100);
  if (/^(\{|\[\s*[[{])/.test(start)) return text.includes('"@context"') ? 'application/ld+json' : PLAIN_JSON;
  return /^<(!doctype|html)\b/i.test(start) ? 'text/html' : 'text/turtle';
}

/** Checks the document at a URL as a node would read it, and the modules that it names. @throws PoolBusy only */
export async function lintUrl(url: string, options: LintOptions): Promise<LintReport> {
  try {
    const answer = await options.fetch(url, {
      headers: { accept: ACCEPT_RDF },
      ...{ trust: options.trust, isCounted: false, signal: options.parsing.signal },
      ...{ maxBytes: MOST.bytes, timeoutMs: TIMEOUT_MS },
    });
    const { status } = answer;
    const header = answer.headers.get('content-type') ?? '';
    const served = mediaTypeOf(answer.headers);
    if (status === 200 && (served === PLAIN_JSON || parsedAs(served, answer.url) !== undefined))
      return await lintBytes(await answer.bytes(), { served, url: answer.url }, options);
    await answer.discard();
    if (status === 200) return unreadable(url, typeError(header));
    return unreadable(url, error('documentStatus', { status, fix: mendOfStatus(status) }));
  } catch (failure) {
    if (failure instanceof PoolBusy) throw failure;
    // An address that a node refuses for being private can be checked by somebody who can reach it.
    const isRefused = failure instanceof FetchFailure && failure.reason === 'refused';
    const own = `, or check it on your own machine, with the command lint of a copy of this software: lint ${url}`;
    const fix = `put it where everyone can fetch it${isRefused ? own : ''}`;
    return unreadable(url, error('documentAway', { why: explain(failure), fix }));
  }
}

/** The report on a document that cannot be read. */
export function unreadable(document: string, ...findings: Finding[]): LintReport {
  return { document, findings, components: [] };
}

const typeError = (type: string) =>
  error('documentType', { type: type || 'of no type', types: PARSED_MEDIA_TYPES.join(', ') });

/** Checks the bytes of a document that is served with a type: by its server, or as the name of a file tells. @throws PoolBusy only */
export async function lintBytes(
  bytes: Uint8Array,
  { served, url }: { readonly served: string; readonly url: string },
  options: LintOptions,
): Promise<LintReport> {
  const text = new TextDecoder().decode(bytes);
  const mediaType = parsedAs(served, url);
  if (mediaType !== undefined) return lintText({ text, mediaType, baseIri: url }, options);
  const { namespace } = options.vocabulary;
  return unreadable(url, served === PLAIN_JSON ? error('plainJson', { namespace }) : typeError(served));
}

/** Checks a metadata document that has been read already. @throws PoolBusy only */
export async function lintText(
  written: Pick<RdfDocument, 'text' | 'mediaType' | 'baseIri'>,
  options: LintOptions,
): Promise<LintReport> {
  const { baseIri: document } = written;
  const { namespace } = options.vocabulary;
  let read: ReadDocument;
  try {
    read = await readDocument({ ...written, namespace }, options.parsing);
  } catch (failure) {
    if (failure instanceof PoolBusy) throw failure;
    return unreadable(document, error('syntax', { why: explain(failure) }));
  }
  const { described, oddTerms, isContainer } = read;
  const components = [...(await soundReports(described, options)), ...brokenReports(described)];
  if (components.length === 0) {
    const empty = isContainer ? error('container') : error('noComponent', { namespace });
    return unreadable(document, empty, ...oddTerms.map(unknownTerm));
  }
  const more = described.components.length - MOST.reported;
  const rules = [...oddTerms.map(unknownTerm), ...latestRules(described.components), ...lengthRules(more)];
  return { document, findings: [ok('readable'), ...rules], components };
}

const unknownTerm = (term: string) => advice('unknownTerm', { term, terms: TERMS });

const TERMS = ['component', ...FIELDS].join(', ');

/** What the components of a document say, taken together, of which version is the latest. */
function latestRules(components: readonly Metadata[]): Finding[] {
  return latestFaults(components)
    .slice(0, MOST.versions)
    .map((notice) => advice('latest', { notice }));
}

function* lengthRules(more: number) {
  const count = `${counted(more, 'more component')} ${more === 1 ? 'was' : 'were'}`;
  if (more > 0) yield advice('notReported', { count, most: MOST.reported.toLocaleString('en') });
}

/** The components that nodes list, and what would make them better. */
async function soundReports(
  { components, leftOut }: Described,
  options: LintOptions,
): Promise<ComponentReport[]> {
  const reports: ComponentReport[] = [];
  const incomplete = new Map(leftOut.map(({ subject, faults }) => [subject, faults]));
  for (const component of components.slice(0, MOST.reported)) {
    const { uri, label } = component;
    const module = await moduleFindings(component, reports.length, options);
    const missing = ruleFindings(incomplete.get(uri) ?? [], 'leftOut');
    reports.push({ uri, label, findings: [...missing, ...metadataFindings(component), ...module] });
  }
  return reports;
}

async function moduleFindings(component: Metadata, before: number, options: LintOptions): Promise<Finding[]> {
  const { maxModules } = options;
  if (!hasModule(component.capability)) return [ok('application')];
  if (before < maxModules) return lintModule(component, options);
  const fix =
    maxModules === 0 ? 'check it once it is on the web' : `check at most ${maxModules} components at a time`;
  return [advice('moduleNotLookedAt', { fix })];
}

/** What keeps descriptions from being listed. */
function brokenReports({ invalid }: Described): ComponentReport[] {
  return invalid.map(({ subject, faults }) => ({
    uri: subject,
    findings: ruleFindings(faults, 'brokenRule'),
  }));
}
