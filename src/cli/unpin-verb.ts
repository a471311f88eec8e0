import { createVocabulary } from '../component/vocabulary.js';
import { systemClock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import { VERSION } from '../lib/version.js';
import { forgetPins } from '../registry/pins.js';
import { openRegistry } from '../store/open-registry.js';
import { recordOnCommandLine } from './command-audit.js';
import { configFrom } from './flag-values.js';
import type { RunVerb } from './runnable-verb.js';
import { withStores } from './with-stores.js';

export const run: RunVerb = async (flags, uri = '', { say, note }) => {
  const config = configFrom(flags);
  const version = typeof flags.only === 'string' ? flags.only : undefined;
  const vocabulary = createVocabulary(config.vocabulary);
  const forgotten = await withStores(config, { connections: false }, async ({ store, given }) => {
    const parts = { ...given, vocabulary, clock: systemClock, version: VERSION };
    return forgetPins((await openRegistry(store, config, parts)).pins, uri, version);
  });
  const which = `${uri}${version === undefined ? '' : ` ${version}`}`;
  if (forgotten === 0) throw new Error(`nothing has been seen of the module ${which}`);
  const deed = { what: `forgot ${counted(forgotten, 'pin')}`, subjects: [uri] };
  await recordOnCommandLine(deed, config, note);
  say(`forgot ${counted(forgotten, 'pin')} of ${which}: what the node sees next counts as the first bytes`);
  return 0;
};
