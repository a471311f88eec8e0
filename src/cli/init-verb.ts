import { DEFAULT_FILE } from '../config.js';
import { initConfig } from './init-config.js';
import type { RunnableVerb } from './runnable-verb.js';

export const INIT_VERB: RunnableVerb = {
  meaning: 'write a configuration in which every key is explained',
  flags: {},
  argument: 'file',
  optional: true,
  run: async (_flags, file = DEFAULT_FILE, { say, program }) => {
    say(await initConfig(file, program));
    return 0;
  },
};
