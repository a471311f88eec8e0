/** Hooks of `node --import`: in a program that is started from `dist/`, the module whose rule is broken is another one. */
import { plannedRule, standIn } from './planted.js';
import { replacedBy } from './rule.js';

interface Loaded {
  readonly format: string;
  readonly source: string;
  readonly shortCircuit: boolean;
}

const rule = plannedRule();
const planted = new URL('./planted.mjs', import.meta.url).href;

/** As `module.register` wants it (nodejs.org/api/module.html, "load"). */
export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  if (!rule || !url.endsWith(`/dist/${rule.module}.js`)) return next(url, context);
  const source = standIn(replacedBy(rule), `${url}?original`, planted);
  return { format: 'module', source, shortCircuit: true };
}
