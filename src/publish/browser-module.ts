import { importsIn, isAddress, type ModuleImports } from './module-text.js';
import type { ReadFile } from './package-files.js';

/** A module that browsers can run as it is. */
export interface BrowserModule {
  /** From the package's folder. */
  readonly path: string;
  readonly text: string;
  /** How many other files of the package it imports. */
  readonly others: number;
  /** Does it import files that only show when it runs? */
  readonly importsUnnamed: boolean;
}

/** Most files that are looked at behind one module. */
const MOST_FILES = 200;

/**
 * The first of some files that browsers can run without bundling: it, and all that it imports, are ES modules that import
 * by address. Those that import nothing come first, because a hash covers one file.
 * @throws Error that says of each why not, when there is none
 */
export async function browserModule(
  read: ReadFile,
  paths: readonly string[],
  packageName: string,
): Promise<BrowserModule> {
  const [fit, unfit]: [BrowserModule[], string[]] = [[], []];
  for (const path of paths) {
    const looked = await look(read, path);
    if (typeof looked === 'string') unfit.push(`\n  ${path}: ${looked}`);
    else if (looked.others === 0 && !looked.importsUnnamed) return looked;
    else fit.push(looked);
  }
  if (fit[0]) return fit[0];
  throw new Error(
    `${packageName} has no module that browsers can run without bundling` +
      `${unfit.join('') || '\n  its package.json names none'}\nBundle it into one file ` +
      '(esbuild --bundle --format=esm), and name that file "unpkg" in package.json',
  );
}

/** The module, or why browsers cannot run it as it is. */
async function look(read: ReadFile, path: string): Promise<BrowserModule | string> {
  const seen = new Set<string>();
  const waiting = [path];
  let [text, importsUnnamed] = ['', false];
  for (let next = waiting.pop(); next !== undefined && seen.size <= MOST_FILES; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const source = await read(next);
    if (source === undefined) return `${next} is not there`;
    if (next === path) text = source;
    const imports = importsOf(source);
    if (typeof imports === 'string') return `${next} ${imports}`;
    importsUnnamed ||= imports.isComputed;
    const named = [...imports.fixed, ...imports.later];
    const bare = named.find((specifier) => !isAddress(specifier));
    if (bare !== undefined) return `${next} imports ${bare}, which only a bundler finds`;
    const from = new URL(next, 'file:///');
    for (const specifier of named)
      if (specifier.startsWith('.'))
        waiting.push(decodeURIComponent(new URL(specifier, from).pathname).slice(1));
  }
  return { path, text, others: seen.size - 1, importsUnnamed };
}

/** What a module imports, or why it is none. */
function importsOf(source: string): ModuleImports | string {
  try {
    const imports = importsIn(source);
    const isScript = /\b(module\.exports|exports\.\w+)\s*=|\brequire\(\s*["'`]/.test(source);
    const isModule = imports.fixed.length > 0 || /\b(export|customElements)\b/.test(source);
    return isScript && !isModule ? 'is a CommonJS module' : imports;
  } catch (error) {
    return `is no ES module: ${error instanceof Error ? error.message : String(error)}`;
  }
}
