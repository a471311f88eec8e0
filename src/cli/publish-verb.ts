import type { FlagValues } from '../lib/command-line.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import { vocabularyFrom } from './flag-values.js';
import { DEFAULT_NODE } from './flags.js';
import { componentsOfPackage } from './publish/package-components.js';
import { isHindered, planToPut, planToRemove } from './publish/publication.js';
import { PublishRun } from './publish/publish-run.js';
import type { RunVerb } from './runnable-verb.js';

/** What programs learn from the exit code, beside 0 (done, or nothing to do) and 1 (something stands in the way). */
const EXIT = { wouldChange: 3, notListed: 4 } as const;

export const run: RunVerb = (flags, argument = '.', terminal) =>
  withCommandFetch('publish', async (fetch) => {
    const vocabulary = vocabularyFrom(flags);
    const said = await componentsOfPackage(argument, { flags, fetch, vocabulary }, terminal);
    const run = new PublishRun({ flags, fetch, terminal, name: said.components[0]?.tag[0] ?? 'component' });
    const parts = { target: run.target, vocabulary, fetch };
    const plan = flags.withdraw
      ? await planToRemove(said.components, parts)
      : await planToPut(said.components, parts);
    run.tell(plan, flags.withdraw ? [] : said.notes);
    if (isHindered(plan)) return run.end('nothing is written: correct what the check calls an error', 1);
    if (plan.changes.length > 0 && !flags.apply)
      return run.end(`nothing is written yet: --apply does it${hintOfNode(flags)}`, EXIT.wouldChange);
    if (plan.changes.length > 0) await run.write(plan);
    await said.remember();
    return run.end('', (await run.isListed(plan)) ? 0 : EXIT.notListed);
  });

function hintOfNode({ node }: FlagValues): string {
  return node === undefined ? `, and --node <url> waits until a node such as ${DEFAULT_NODE} lists it` : '';
}
