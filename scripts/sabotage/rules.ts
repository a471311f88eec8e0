import { ANSWERING } from './rules/answering.js';
import { DECIDING } from './rules/deciding.js';
import { READING } from './rules/reading.js';
import { STORING } from './rules/storing.js';

/** All rules that `npm run sabotage` breaks, each with the test file that must notice it. */
export const RULES = [DECIDING, STORING, READING, ANSWERING].flat(2);
