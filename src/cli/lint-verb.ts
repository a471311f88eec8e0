import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RDF_FILES } from '../component/rdf/parsed-as.js';
import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { explain } from '../lib/faults.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { withoutPause } from '../lib/pace.js';
import { inProcess } from '../lib/pool/task.js';
import { fault, hasErrors, type LintReport } from '../lint/finding.js';
import { type LintOptions as HowToLint, lintBytes, lintUrl } from '../lint/lint-document.js';
import { reportText } from '../lint/report-text.js';
import type { Terminal } from './terminal.js';

export interface LintOptions {
  readonly vocabulary: string;
  readonly base?: string;
}

/** Prints what is wrong with the document at a URL or in a file; the exit code is 1 when something stands in the way. */
export async function run(
  what: string,
  { vocabulary, base }: LintOptions,
  { say }: Terminal,
): Promise<number> {
  const report = await lintArgument(what, createVocabulary(vocabulary), base);
  say(reportText(report));
  return hasErrors(report) ? 1 : 0;
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([...RDF_FILES, ['.json', 'application/json']]);

/**
 * Checks a URL or a file that is named on the command line.
 * @param base URL that relative IRIs of a file are resolved against; the file's own when absent
 */
async function lintArgument(argument: string, vocabulary: Vocabulary, base?: string): Promise<LintReport> {
  return withCommandFetch('lint', (fetch) => {
    const options = commandOptions(fetch, vocabulary);
    return /^https?:\/\//i.test(argument) ? lintUrl(argument, options) : lintFile(argument, options, base);
  });
}

/** How a command checks, for somebody who waits for nothing else: the process does no other work. */
export function commandOptions(fetch: GuardedFetch, vocabulary: Vocabulary, maxModules = 100): HowToLint {
  const parsing = { pool: inProcess(withoutPause), lane: 'lint' } as const;
  return { fetch, vocabulary, trust: 'configured', maxModules, parsing, parseMs: 30_000 };
}

async function lintFile(
  file: string,
  options: HowToLint,
  base = pathToFileURL(resolve(file)).href,
): Promise<LintReport> {
  const served = MEDIA_TYPES.get(extname(file).toLowerCase());
  const failed = (what: string, fix: string): LintReport => ({
    document: file,
    findings: [fault(what, fix)],
    components: [],
  });
  if (!served) return failed('its format is unknown', `name it ${[...MEDIA_TYPES.keys()].join(', ')}`);
  try {
    const report = await lintBytes(await readFile(file), { served, url: base }, options);
    return { ...report, document: file };
  } catch (error) {
    return failed(`it cannot be read: ${explain(error)}`, 'name a file, or a URL that begins with https://');
  }
}
