import { hasModule } from '../component/capability.js';
import type { Metadata } from '../component/metadata.js';
import { mayHoldJsonLd, mendOfType, parsedAs } from '../component/rdf/parsed-as.js';
import { PARSED_MEDIA_TYPES } from '../component/rdf/rdf-parse.js';
import type { Described } from '../component/reading/described.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { explain } from '../lib/faults.js';
import { FetchFailure } from '../lib/fetch/fetch-failure.js';
import { parseMediaType } from '../lib/http/headers/media-type.js';
import { PoolBusy } from '../lib/pool/task.js';
import { keyFindings, latestFindings, termFindings } from './document-findings.js';
import { otherKeys, termsOf } from './document-terms.js';
import { advice, type ComponentReport, type Finding, fault, type LintReport, ok } from './finding.js';
import { type LintFetch, lintModule, TIMEOUT_MS } from './lint-module.js';
import { metadataFindings } from './metadata-findings.js';

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
      return report(
        fault(`the document answers ${answer.status}`, 'make it readable for everyone, at this URL'),
      );
    }
    const header = answer.headers.get('content-type') ?? '';
    const served = parseMediaType(header)?.type ?? '';
    const mediaType = parsedAs(served, answer.url, true);
    if (mediaType === undefined) {
      await answer.discard();
      return report(unread(header));
    }
    const bytes = await answer.bytes();
    if (!mayHoldJsonLd(served, bytes)) return report(unread(header));
    const text = new TextDecoder().decode(bytes);
    const found = await lintText({ text, mediaType, document: answer.url }, options);
    const mend = mendOfType(served, answer.url);
    if (mend === undefined) return found;
    const told = advice(`it is served as ${served || 'no type'}, and read by its name`, mend);
    return { ...found, findings: [...found.findings, told] };
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    return report(fault(`the document cannot be had: ${explain(error)}`, whereToPutIt(error, url)));
  }
}

const unread = (header: string) =>
  fault(`the document is ${header || 'of no type'}, which no node reads`, READABLE);

/** An address that a node refuses for being private can be checked by somebody who can reach it. */
function whereToPutIt(error: unknown, url: string): string {
  const place = 'put it where everyone can fetch it';
  if (!(error instanceof FetchFailure) || error.reason !== 'refused') return place;
  return `${place}, or check it on your own machine, with the command lint of a copy of this software: lint ${url}`;
}

/** Checks a metadata document that has been read already. @throws PoolBusy only */
export async function lintText(
  { text, mediaType, document }: DocumentText,
  options: LintOptions,
): Promise<LintReport> {
  const { vocabulary } = options;
  try {
    const { described, findings } = await readDocument({ text, mediaType, document }, options);
    const broken = described.invalid.map(
      ({ subject, faults }): ComponentReport => ({
        uri: subject,
        findings: faults.map(({ detail }) =>
          fault(detail, 'correct it; until then no node lists this component'),
        ),
      }),
    );
    const sound = await lintComponents(described.components, document, options);
    if (broken.length + sound.length > 0)
      return {
        document,
        findings: [ok('the document can be read'), ...findings, ...latestFindings(described.components)],
        components: [...sound, ...broken],
      };
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

interface DocumentText {
  readonly text: string;
  readonly mediaType: string;
  readonly document: string;
}

/** The components that a document describes, and what is noticed about the rest of it. @throws MalformedInput */
async function readDocument(
  { text, mediaType, document }: DocumentText,
  { vocabulary, parsing }: LintOptions,
): Promise<{ described: Described; findings: Finding[] }> {
  if (mediaType === 'application/json') {
    const body: unknown = JSON.parse(text);
    return { described: describedInJson(body, vocabulary), findings: keyFindings(otherKeys(body)) };
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

async function lintComponents(
  components: readonly Metadata[],
  document: string,
  options: LintOptions,
): Promise<ComponentReport[]> {
  const reports: ComponentReport[] = [];
  for (const component of components) {
    const { uri, label } = component;
    const module = hasModule(component.capability)
      ? reports.length < options.maxModules
        ? await lintModule(component, document, options)
        : [NOT_LOOKED_AT(options.maxModules)]
      : [ok('it is an application that is opened by links: nobody imports its uri')];
    reports.push({ uri, label, findings: [...metadataFindings(component), ...module] });
  }
  return reports;
}
