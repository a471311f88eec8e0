import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { PLANTED } from './compiled.js';
import { plannedRule, standIn } from './planted.js';
import { replacedBy } from './rule.js';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const ORIGINAL = '?original';

/** The same as `load` of planted.ts for modules that vitest loads from the sources. No plugin where nothing is broken. */
export function sabotagePlugins(): Plugin[] {
  const rule = plannedRule();
  if (!rule) return [];
  const file = `${SOURCES}${rule.module}.ts`;
  return [
    {
      name: 'sabotage',
      enforce: 'pre',
      resolveId: (id) => (id === file + ORIGINAL ? id : undefined),
      load(id) {
        if (id === file) return standIn(replacedBy(rule), file + ORIGINAL, fileURLToPath(PLANTED));
        if (id !== file + ORIGINAL) return undefined;
        return transformSync(readFileSync(file, 'utf8'), { loader: 'ts', target: 'node20' }).code;
      },
    },
  ];
}
