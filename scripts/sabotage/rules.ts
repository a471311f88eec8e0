import { ANSWERING } from './rules/answering.js';
import { CONNECTING } from './rules/connecting.js';
import { DECIDING } from './rules/deciding.js';
import { FETCHING } from './rules/fetching.js';
import { READING } from './rules/reading.js';
import { SHARING } from './rules/sharing.js';
import { STORING } from './rules/storing.js';

/** All rules that `npm run sabotage` breaks, each with the test file that must notice it. */
export const RULES = [DECIDING, STORING, READING, FETCHING, ANSWERING, CONNECTING, SHARING].flat(2);
