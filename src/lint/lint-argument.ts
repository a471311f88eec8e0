import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RDF_FILES } from '../component/rdf/parsed-as.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { explain } from '../lib/faults.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import { withoutPause } from '../lib/pace.js';
import { inProcess } from '../lib/pool/task.js';
import { fault, type LintReport } from './finding.js';
import { type LintOptions, lintBytes, lintUrl } from './lint-document.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = { ...RDF_FILES, '.json': 'application/json' };

/**
 * Checks a URL or a file that is named on the command line.
 * @param base URL that relative IRIs of a file are resolved against; the file's own when absent
 */
export async function lintArgument(
  argument: string,
  vocabulary: Vocabulary,
  base?: string,
): Promise<LintReport> {
  return withCommandFetch('lint', (fetch) => {
    // This process does nothing else, so nothing has to wait for a long task.
    const parsing = { pool: inProcess(withoutPause), lane: 'lint' } as const;
    const options = {
      fetch,
      vocabulary,
      trust: 'configured',
      maxModules: 100,
      parsing,
      parseMs: 30_000,
    } as const;
    return /^https?:\/\//i.test(argument) ? lintUrl(argument, options) : lintFile(argument, options, base);
  });
}

async function lintFile(
  file: string,
  options: LintOptions,
  base = pathToFileURL(resolve(file)).href,
): Promise<LintReport> {
  const served = MEDIA_TYPES[extname(file).toLowerCase()];
  const failed = (what: string, fix: string): LintReport => ({
    document: file,
    findings: [fault(what, fix)],
    components: [],
  });
  if (!served) return failed('its format is unknown', `name it ${Object.keys(MEDIA_TYPES).join(', ')}`);
  try {
    const report = await lintBytes(await readFile(file), { served, url: base }, options);
    return { ...report, document: file };
  } catch (error) {
    return failed(`it cannot be read: ${explain(error)}`, 'name a file, or a URL that begins with https://');
  }
}
