import { createVocabulary } from '../component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../config/schema.js';
import { systemClock } from '../lib/clock.js';
import type { FlagValues } from '../lib/command-line.js';
import { hasErrors } from '../lint/finding.js';
import { lintArgument } from '../lint/lint-argument.js';
import { reportText } from '../lint/report-text.js';
import type { RunnableVerb, Terminal } from './runnable-verb.js';
import { changesOf } from './watch-file.js';

export const LINT_VERB: RunnableVerb = {
  meaning: 'check a metadata document, and the modules it names, before it is published',
  flags: {
    base: { value: 'url', meaning: 'where a file will be published: relative uris lead from there' },
    vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
    watch: { meaning: 'check the file again whenever it changes, until Ctrl-C' },
  },
  argument: 'url or file',
  run: async (flags, argument = '', terminal) => {
    if (!flags.watch) return check(flags, argument, terminal);
    if (/^https?:\/\//i.test(argument))
      throw new Error(`--watch follows files; for a URL, run ${terminal.program} lint ${argument} again`);
    await checkChanges(flags, argument, terminal);
    return 0;
  },
};

/** Prints a report; the exit code is 1 when something stands in the way. */
async function check({ vocabulary, base }: FlagValues, argument: string, { say }: Terminal): Promise<number> {
  const terms = createVocabulary(String(vocabulary ?? DEFAULT_VOCABULARY));
  const report = await lintArgument(argument, terms, base && String(base));
  say(reportText(report));
  return hasErrors(report) ? 1 : 0;
}

async function checkChanges(flags: FlagValues, file: string, terminal: Terminal): Promise<void> {
  for await (const _ of changesOf(file, systemClock)) {
    await check(flags, file, terminal);
    terminal.say(`\nwatching ${file}; Ctrl-C ends it\n`);
  }
}
