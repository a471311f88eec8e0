/**
 * What plants a broken rule: a module that stands in the place of another one. Programs that tests start load a compiled
 * copy of this file, which is also the hooks of `node --import`.
 */
import type { LoadHook } from 'node:module';
import { replacedBy } from './rule.js';
import { RULES } from './rules.js';

/** The rule that is to be broken in this process, if any: a run of tests has its name from the environment. */
export const plannedRule = RULES.find(({ name }) => name === process.env.SABOTAGE);

/**
 * The text of the module that stands in the place of another one: all that it exports, of which some is replaced.
 * @param original where the true one can be imported from
 * @param planted the URL of this very file, compiled
 */
export function standIn(replaces: readonly string[], original: string, planted: string): string {
  const [from, by] = [JSON.stringify(original), JSON.stringify(planted)];
  return [
    `export * from ${from};`,
    `import * as original from ${from};`,
    `import { plannedRule } from ${by};`,
    'const broken = plannedRule.broken(original);',
    ...replaces.map((name) => `const ${name}$ = broken.${name};\nexport { ${name}$ as ${name} };`),
  ].join('\n');
}

/** The hook for a program that is started from `dist/` (nodejs.org/api/module.html, "load"). */
export const load: LoadHook = (url, context, next) => {
  if (!plannedRule || !url.endsWith(`/dist/${plannedRule.module}.js`)) return next(url, context);
  const source = standIn(replacedBy(plannedRule), `${url}?original`, import.meta.url);
  return { format: 'module', source, shortCircuit: true };
};
