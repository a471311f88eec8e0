import type { Metadata } from '../component/metadata.js';
import { PARSED_MEDIA_TYPES } from '../component/rdf/rdf-parse.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { explain } from '../lib/faults.js';
import { parseMediaType } from '../lib/http/headers/media-type.js';
import { PoolBusy } from '../lib/pool/task.js';
import { advice, type ComponentReport, type Finding, fault, type LintReport, ok } from './finding.js';
import { type LintFetch, lintModule, TIMEOUT_MS } from './lint-module.js';

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
      maxBytes: MAX_DOCUMENT,
      timeoutMs: TIMEOUT_MS,
      ...(options.parsing.signal ? { signal: options.parsing.signal } : {}),
    });
    if (answer.status !== 200) {
      await answer.discard();
      return report(
        fault(`the document answers ${answer.status}`, 'make it readable for everyone, at this URL'),
      );
    }
    const header = answer.headers.get('content-type') ?? '';
    const mediaType = parseMediaType(header)?.type ?? '';
    if (!PARSED_MEDIA_TYPES.includes(mediaType)) {
      await answer.discard();
      return report(fault(`the document is ${header || 'of no type'}, which no node reads`, READABLE));
    }
    return await lintText({ text: await answer.text(), mediaType, document: answer.url }, options);
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    return report(
      fault(`the document cannot be had: ${explain(error)}`, 'put it where everyone can fetch it'),
    );
  }
}

/** Checks a metadata document that has been read already. @throws PoolBusy only */
export async function lintText(
  { text, mediaType, document }: { text: string; mediaType: string; document: string },
  options: LintOptions,
): Promise<LintReport> {
  const { vocabulary } = options;
  try {
    const described =
      mediaType === 'application/json'
        ? describedInJson(JSON.parse(text), vocabulary)
        : await describeDocument(
            { text, mediaType, baseIri: document, namespace: vocabulary.namespace },
            options.parsing,
          );
    const broken = described.invalid.map(
      ({ subject, faults }): ComponentReport => ({
        uri: subject,
        findings: faults.map(({ detail }) =>
          fault(detail, 'correct it; until then no node lists this component'),
        ),
      }),
    );
    const sound = await lintComponents(described.components, options);
    if (broken.length + sound.length > 0)
      return { document, findings: [ok('the document can be read')], components: [...sound, ...broken] };
    const empty = fault(
      'it describes no component',
      `use terms of <${vocabulary.namespace}>, label at least`,
    );
    return { document, findings: [empty], components: [] };
  } catch (error) {
    if (error instanceof PoolBusy) throw error;
    const finding = fault(
      `it cannot be read: ${explain(error)}`,
      'correct the syntax; nodes skip the whole document',
    );
    return { document, findings: [finding], components: [] };
  }
}

async function lintComponents(
  components: readonly Metadata[],
  options: LintOptions,
): Promise<ComponentReport[]> {
  const reports: ComponentReport[] = [];
  for (const component of components) {
    const { uri, label } = component;
    const module =
      reports.length < options.maxModules
        ? await lintModule(uri, options)
        : [
            advice(
              'its module was not looked at',
              `check at most ${options.maxModules} components at a time`,
            ),
          ];
    reports.push({ uri, label, findings: [...metadataFindings(component), ...module] });
  }
  return reports;
}

function metadataFindings({ description, version, latest, shapes, tag }: Metadata): Finding[] {
  const missing: readonly (readonly [boolean, string, string])[] = [
    [
      shapes.length === 0,
      'it names no shapes',
      'name the classes or shapes that it renders: hosts look for components by them',
    ],
    [!description, 'it has no description', 'say in a sentence what it shows'],
    [!version, 'it has no version', 'give it one, as in 1.0.0'],
    [latest === undefined, 'it does not say whether it is the latest version', 'add latest true, or false'],
    [tag.length === 0, 'it has no tags', 'add a tag: element names are made of it'],
  ];
  const findings = missing.filter(([is]) => is).map(([, what, fix]) => advice(what, fix));
  return findings.length > 0 ? findings : [ok('its metadata is complete')];
}
