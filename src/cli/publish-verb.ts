import { createVocabulary } from '../component/vocabulary.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import { componentsOfPackage } from './publish/package-components.js';
import { planToPut, planToRemove } from './publish/publication.js';
import type { PublishOptions } from './publish/publish-options.js';
import { PublishRun } from './publish/publish-run.js';
import type { Terminal } from './terminal.js';

/** What programs learn from the exit code, beside 0 (done, or nothing to do) and 1 (something stands in the way). */
const EXIT = { wouldChange: 3, notListed: 4 } as const;

/** Publishes what the package at a folder or URL says of its elements. */
export function run(argument: string, options: PublishOptions, terminal: Terminal): Promise<number> {
  return withCommandFetch('publish', async (fetch) => {
    const vocabulary = createVocabulary(options.vocabulary);
    const said = await componentsOfPackage(argument, { options, fetch, vocabulary });
    const run = new PublishRun({ options, fetch, terminal, name: said.components[0]?.tag[0] ?? 'component' });
    const parts = { target: run.target, vocabulary, fetch };
    const plan = options.withdraw
      ? await planToRemove(said.components, parts)
      : await planToPut(said.components, parts, options);
    run.tell(plan, options.withdraw ? [] : said.notes);
    if (plan.isHindered) return run.end('nothing is written: correct what the check calls an error', 1);
    if (plan.changes.length > 0 && !options.apply)
      return run.end(`nothing is written yet: --apply does it${hintOfNode(options)}`, EXIT.wouldChange);
    if (plan.changes.length > 0) await run.write(plan);
    return run.end('', (await run.isListed(plan)) ? 0 : EXIT.notListed);
  });
}

function hintOfNode({ node }: PublishOptions): string {
  return node === undefined ? `, and --node <url> waits until that node lists it` : '';
}
