import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RDF_FILES } from '../component/rdf/parsed-as.js';
import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { explain } from '../lib/faults.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { inProcess } from '../lib/pool/task.js';
import { printable } from '../lib/printable.js';
import { error, type Finding, hasErrors, type LintReport, worstFirst } from '../publish/finding.js';
import { type LintOptions as HowToLint, lintBytes, lintUrl, unreadable } from '../publish/lint.js';
import { withCommandFetch } from './command-fetch.js';
import type { Terminal } from './terminal.js';

export interface LintOptions {
  readonly vocabulary: string;
  readonly base?: string;
}

/** Prints what is wrong with the document at a URL or in a file; the exit code is 1 when something stands in the way. */
export async function run(what: string, options: LintOptions, { say }: Terminal): Promise<number> {
  const report = await withCommandFetch('lint', (fetch) => {
    const how = lintOptions(fetch, createVocabulary(options.vocabulary));
    return /^https?:\/\//i.test(what) ? lintUrl(what, how) : lintFile(what, how, options.base);
  });
  say(reportText(report));
  return hasErrors(report) ? 1 : 0;
}

/** How a command checks, for somebody who waits for nothing else: the process does no other work. */
export function lintOptions(fetch: GuardedFetch, vocabulary: Vocabulary): HowToLint {
  const parsing = { pool: inProcess, lane: 'lint' } as const;
  return { fetch, vocabulary, trust: 'configured', maxModules: 100, parsing, parseMs: 30_000 };
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([...RDF_FILES, ['.json', 'application/json']]);

/** @param base what relative IRIs of the file are resolved against; its own URL when absent */
async function lintFile(file: string, how: HowToLint, base?: string): Promise<LintReport> {
  const served = MEDIA_TYPES.get(extname(file).toLowerCase());
  if (!served) return unreadable(file, error('fileFormat', { endings: [...MEDIA_TYPES.keys()].join(', ') }));
  try {
    const url = base ?? pathToFileURL(resolve(file)).href;
    return { ...(await lintBytes(await readFile(file), { served, url }, how)), document: file };
  } catch (failure) {
    return unreadable(file, error('fileAway', { why: explain(failure) }));
  }
}

const LEVELS = { ok: 'ok    ', advice: 'advice', error: 'ERROR ' } as const;

/** A report for a terminal: a line for each finding, and under it what to do. */
export function reportText({ document, findings, components }: LintReport): string {
  const parts = [
    { title: document, findings },
    ...components.map(({ uri, label, findings: own }) => ({
      title: label === undefined ? uri : `${label} <${uri}>`,
      findings: own,
    })),
  ];
  // Strangers wrote names and addresses: a line break in one would look like a finding of its own.
  return parts
    .map((part) => [part.title, ...worstFirst(part.findings).flatMap(linesOf)].map(printable).join('\n'))
    .join('\n\n');
}

function linesOf({ level, what, fix }: Finding): string[] {
  return [`  ${LEVELS[level]} ${what}`, ...(fix === undefined ? [] : [`         ${fix}`])];
}
