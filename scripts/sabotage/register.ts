/** What `node --import` runs before a program. */
import { register } from 'node:module';

register('./node-hooks.mjs', import.meta.url);
