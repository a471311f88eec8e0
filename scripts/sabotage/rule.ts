/**
 * A rule of the software that is broken on purpose: a module is loaded with some of its exports replaced. Only what other
 * modules import is replaced, so a rule names an export that others rely on.
 */
export interface Rule {
  /** What goes wrong. */
  readonly name: string;
  /** Below `src/` and `dist/`, without extension. */
  readonly module: string;
  /** Makes the replacements of the true exports, by their names. */
  readonly broken: (original: never) => object;
  /** The test file that must notice it: as small as possible. */
  readonly suite: string;
  /** Which of its tests, as a regular expression on their full names, where the file is large; all of them when absent. */
  readonly tests?: string;
}

/**
 * Types a rule by its module, so that a seam that is gone is a fault of types: `breaks<typeof import('…')>({ … })`. The types
 * of what tests see stay as they are.
 */
export function breaks<Module extends object>(
  rule: Omit<Rule, 'broken'> & { readonly broken: (original: Module) => Partial<Module> },
): Rule {
  return rule;
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
