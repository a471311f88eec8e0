/** A rule of the software that is broken on purpose: a module is loaded with some of its exports replaced. */
export interface Rule {
  /** What goes wrong. */
  readonly name: string;
  /** Below `src/` and `dist/`, without extension. */
  readonly module: string;
  /** Makes the replacements of the true exports, by their names. */
  readonly broken: (original: never) => object;
  /** The test file that must notice it: as small as possible. */
  readonly suite: string;
  /** Which of its tests, as a regular expression on their full names, where the file takes long. */
  readonly tests: string | undefined;
}

/**
 * Rules of one module, by their names. Typed by the module, so that a seam that is gone is a fault of types.
 * Only what other modules import is replaced, so a rule names an export that others rely on.
 * @param noticedBy the suite of the rules, and after a space its `tests`
 */
export function breaks<Module extends object>(
  module: string,
  noticedBy: string,
  rules: Readonly<Record<string, (original: Module) => Partial<Module>>>,
): Rule[] {
  const [, suite = '', tests] = /^(\S+) ?(.+)?$/.exec(noticedBy) ?? [];
  return Object.entries(rules).map(([name, broken]) => ({ name, module, broken, suite, tests }));
}

/**
 * The exports that a rule replaces: it is asked for replacements of a module that has everything.
 * @throws Error when there are none, because then nothing is broken
 */
export function replacedBy({ name, broken }: Pick<Rule, 'name' | 'broken'>): string[] {
  const names = Object.keys(broken(new Proxy({}, { get: () => class {} }) as never));
  if (names.length === 0) throw new Error(`the rule "${name}" replaces nothing`);
  return names;
}
