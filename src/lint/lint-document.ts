import { hasModule } from '../component/capability.js';
import { mayHoldJsonLd, mendOfType, parsedAs } from '../component/rdf/parsed-as.js';
import { PARSED_MEDIA_TYPES } from '../component/rdf/rdf-parse.js';
import type { Described } from '../component/reading/described.js';
import { mentionsCapabilities } from '../component/reading/descriptions.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { counted } from '../lib/counted.js';
import { explain } from '../lib/faults.js';
import { FetchFailure } from '../lib/fetch/fetch-failure.js';
import { parseMediaType } from '../lib/http/headers/media-type.js';
import { PASTED } from '../lib/pasted-url.js';
import { PoolBusy } from '../lib/pool/task.js';
import { mendOfStatus } from '../lib/refused-document.js';
import { keyFindings, latestFindings, termFindings } from './document-findings.js';
import { termsOf } from './document-terms.js';
import {
  advice,
  adviceIf,
  type ComponentReport,
  type Finding,
  fault,
  faultFindings,
  type LintReport,
  ok,
  told,
} from './finding.js';
import { type LintFetch, lintModule, TIMEOUT_MS } from './lint-module.js';
import { metadataFindings } from './metadata-findings.js';
import { readPlainJson } from './plain-json.js';

export interface LintOptions extends LintFetch {
  readonly vocabulary: Vocabulary;
  /** How many modules are checked at most. */
  readonly maxModules: number;
}

/** Largest metadata document that is read, in bytes. */
const MAX_DOCUMENT = 1_000_000;

const READABLE = `send ${PARSED_MEDIA_TYPES.join(', ')}`;

/** Checks the metadata document at a URL as a node would read it, and the modules that it names. @throws PoolBusy only */
export async function lintUrl(url: string, options: LintOptions): Promise<LintReport> {
  const report = (finding: Finding): LintReport => ({ document: url, findings: [finding], components: [] });
  try {
    const accept = 'text/turtle, application/ld+json;q=0.9';
    const answer = await options.fetch(url, {
      headers: { accept },
      trust: options.trust,
      turn: 'none',
      maxBytes: MAX_DOCUMENT,
      timeoutMs: TIMEOUT_MS,
      signal: options.parsing.signal,
    });
    if (answer.status !== 200) {
      await answer.discard();
      return report(fault(`the document answers ${answer.status}`, mendOfStatus(answer.status)));
    }
    const header = answer.headers.get('content-type') ?? '';
    const served = parseMediaType(header)?.type ?? '';
    if (parsedAs(served, answer.url, true) === undefined) {
      await answer.discard();
      return report(unread(header));
    }
    return await lintBytes(await answer.bytes(), { served, url: answer.url }, options);
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    return report(fault(`the document cannot be had: ${explain(error)}`, whereToPutIt(error, url)));
  }
}

const unread = (type: string) =>
  fault(`the document is ${type || 'of no type'}, which no node reads`, READABLE);

/** Checks the bytes of a document that is served with a type: by its server, or as the name of a file tells. @throws PoolBusy only */
export async function lintBytes(
  bytes: Uint8Array,
  { served, url }: { readonly served: string; readonly url: string },
  options: LintOptions,
): Promise<LintReport> {
  const text = new TextDecoder().decode(bytes);
  const holdsRdf = mayHoldJsonLd(served, bytes);
  if (served === PLAIN && !holdsRdf) return lintText({ text, mediaType: PLAIN, document: url }, options);
  const mediaType = holdsRdf ? parsedAs(served, url, true) : undefined;
  if (mediaType === undefined) return { document: url, findings: [unread(served)], components: [] };
  const found = await lintText({ text, mediaType, document: url }, options);
  return { ...found, findings: [...found.findings, ...typeFindings(served, url)] };
}

/** What the type that a document is served with keeps nodes and other programs from. */
function typeFindings(served: string, url: string): Finding[] {
  const mend = mendOfType(served, url);
  if (mend !== undefined)
    return [advice(`it is served as ${served || 'no type'}, and read by its name`, mend)];
  if (parsedAs(served, url, false) !== undefined) return [];
  const what = `as ${served}, nodes read it only where its own address is configured, and not in a container`;
  return [advice(what, 'serve JSON-LD as application/ld+json, and name it .jsonld; or write Turtle')];
}

/** An address that a node refuses for being private can be checked by somebody who can reach it. */
function whereToPutIt(error: unknown, url: string): string {
  const place = 'put it where everyone can fetch it';
  if (!(error instanceof FetchFailure) || error.reason !== 'refused') return place;
  return `${place}, or check it on your own machine, with the command lint of a copy of this software: lint ${url}`;
}

/** What is to be checked: the document at a URL, or a text that somebody has pasted. */
export type Linted = { readonly url: string } | { readonly text: string; readonly url?: string | undefined };

/** Checks either; `url` of a text is where it will be published: relative IRIs lead from there. @throws PoolBusy only */
export function lint(what: Linted, options: LintOptions): Promise<LintReport> {
  if (!('text' in what)) return lintUrl(what.url, options);
  const bytes = new TextEncoder().encode(what.text);
  return lintBytes(bytes, { served: typeOfText(what.text), url: what.url ?? PASTED }, options);
}

/** The media type that a text looks like: what it begins with tells. */
function typeOfText(text: string): string {
  const start = text.trimStart().slice(0, 100);
  if (/^(\{|\[\s*[[{])/.test(start)) return text.includes('"@context"') ? 'application/ld+json' : PLAIN;
  return /^<(!doctype|html)\b/i.test(start) ? 'text/html' : 'text/turtle';
}

/** Checks a metadata document that has been read already. @throws PoolBusy only */
export async function lintText(
  { text, mediaType, document }: DocumentText,
  options: LintOptions,
): Promise<LintReport> {
  const { vocabulary } = options;
  try {
    const { described, findings } = await readDocument({ text, mediaType, document }, options);
    const sound = await lintComponents(described, document, options);
    // Where there are capabilities, only they tell whether there is a module, and how it is used.
    const modules = mentionsCapabilities(text) ? 0 : options.maxModules - sound.length;
    const broken = await lintBroken(described.invalid, document, { ...options, maxModules: modules });
    if (broken.length + sound.length > 0) {
      const read = mediaType === PLAIN ? plainJson(sound.length, options) : ok('the document can be read');
      const more = described.components.length - sound.length;
      return {
        document,
        findings: [read, ...findings, ...latestFindings(described.components), ...notReported(more)],
        components: [...sound, ...broken],
      };
    }
    const empty = fault(
      'it describes no component',
      `use terms of <${vocabulary.namespace}>, label at least`,
    );
    const explained = findings.some(({ level }) => level === 'error');
    return { document, findings: explained ? findings : [empty, ...findings], components: [] };
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    const finding = fault(
      `it cannot be read: ${explain(error)}`,
      'correct the syntax; nodes skip the whole document',
    );
    return { document, findings: [finding], components: [] };
  }
}

const PLAIN = 'application/json';

/** Nodes take plain JSON from who posts it to them, and from nobody's pod: its keys are no terms of a vocabulary there. */
function plainJson(components: number, { vocabulary }: LintOptions): Finding {
  const gain = components === 0 ? '' : `; then ${counted(components, 'component')} would be read`;
  return fault(
    'it is plain JSON, which no node reads from a pod',
    `add "@context": "${vocabulary.namespace}" to each object and name it .jsonld (application/ld+json), or write Turtle, as the page /publish does${gain}. As it is, only a node that it is posted to takes it`,
  );
}

export interface DocumentText {
  readonly text: string;
  readonly mediaType: string;
  readonly document: string;
}

/** The components that a document describes, and what is noticed about the rest of it. @throws MalformedInput */
async function readDocument(
  { text, mediaType, document }: DocumentText,
  { vocabulary, parsing }: LintOptions,
): Promise<{ described: Described; findings: Finding[] }> {
  if (mediaType === PLAIN) {
    const { described, keys } = await readPlainJson({ text, namespace: vocabulary.namespace }, parsing);
    return { described, findings: keyFindings(keys) };
  }
  const rdf = { text, mediaType, baseIri: document, namespace: vocabulary.namespace };
  const described = await describeDocument(rdf, parsing);
  const isEmpty = described.components.length + described.invalid.length === 0;
  const terms = await termsOf(rdf, parsing);
  return { described, findings: [...termFindings(terms, isEmpty), ...keyFindings(terms.keys)] };
}

const NOT_LOOKED_AT = (most: number) =>
  advice(
    'its module was not looked at',
    most === 0 ? 'check it once it is on the web' : `check at most ${most} components at a time`,
  );

/** Components of a document that are reported, so that a report of very many small ones stays one that can be read. */
const REPORTED = 1_000;

function notReported(components: number): Finding[] {
  const what = `${counted(components, 'more component')} in it ${components === 1 ? 'was' : 'were'} not looked at`;
  return adviceIf(components > 0, what, `check at most ${REPORTED.toLocaleString('en')} in one document`);
}

const LEFT_OUT = 'correct it; until then nodes list the component without this';

/** What keeps descriptions from being listed, and their modules from being shown: both at once, so that both are mended at once. */
async function lintBroken(
  invalid: Described['invalid'],
  document: string,
  options: LintOptions,
): Promise<ComponentReport[]> {
  const reports: ComponentReport[] = [];
  for (const { subject: uri, faults } of invalid) {
    const findings = faultFindings(faults, 'correct it; until then no node lists this component');
    const isLookedAt = reports.length < options.maxModules && /^https?:/i.test(uri);
    const module = isLookedAt ? told(await lintModule({ uri }, document, options)) : [];
    reports.push({ uri, findings: [...findings, ...module] });
  }
  return reports;
}

async function lintComponents(
  { components, leftOut = [] }: Described,
  document: string,
  options: LintOptions,
): Promise<ComponentReport[]> {
  const reports: ComponentReport[] = [];
  const incomplete = new Map(leftOut.map(({ uri, faults }) => [uri, faults]));
  for (const component of components.slice(0, REPORTED)) {
    const { uri, label } = component;
    const module = hasModule(component.capability)
      ? reports.length < options.maxModules
        ? told(await lintModule(component, document, options))
        : [NOT_LOOKED_AT(options.maxModules)]
      : [ok('it is an application that is opened by links: nobody imports its uri')];
    const missing = faultFindings(incomplete.get(uri) ?? [], LEFT_OUT);
    reports.push({ uri, label, findings: [...missing, ...metadataFindings(component), ...module] });
  }
  return reports;
}
