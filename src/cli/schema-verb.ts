import { DEFAULT_FILE } from '../config/defaults.js';
import { configJsonSchema } from '../config.js';
import { componentJsonSchema } from '../describe/component-json.js';
import type { RunVerb } from './runnable-verb.js';

export const run: RunVerb = async (_flags, file = DEFAULT_FILE, { say }) => {
  say(JSON.stringify(file === DEFAULT_FILE ? configJsonSchema() : componentJsonSchema(), null, 2));
  return 0;
};
