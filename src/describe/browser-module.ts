import { importsIn } from '../lint/module-analysis.js';
import type { PackageFiles } from './package-files.js';

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

/** Why a file of the package cannot be run as it is. */
export interface Unfit {
  readonly path: string;
  readonly why: string;
}

/** Most files that are looked at behind one module. */
const MOST_FILES = 200;

/**
 * The first of some files that browsers can run without bundling: it, and all that it imports, are ES modules that import
 * by address. Those that import nothing come first, because a hash covers one file.
 */
export async function browserModule(
  files: PackageFiles,
  paths: readonly string[],
): Promise<{ readonly found: BrowserModule | undefined; readonly unfit: readonly Unfit[] }> {
  const [fit, unfit]: [BrowserModule[], Unfit[]] = [[], []];
  for (const path of paths) {
    const looked = await look(files, path);
    if ('why' in looked) unfit.push(looked);
    else if (looked.others === 0 && !looked.importsUnnamed) return { found: looked, unfit };
    else fit.push(looked);
  }
  return { found: fit[0], unfit };
}

async function look(files: PackageFiles, path: string): Promise<BrowserModule | Unfit> {
  const seen = new Set<string>();
  const waiting = [path];
  let [text, importsUnnamed] = ['', false];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const source = await files.read(next);
    if (source === undefined) return { path, why: `${next} is not there` };
    if (next === path) text = source;
    if (seen.size > MOST_FILES) break;
    const imported = importsOf(source);
    if (typeof imported === 'string') return { path, why: `${next} ${imported}` };
    const named = imported.filter((specifier) => specifier !== undefined);
    importsUnnamed ||= named.length < imported.length;
    const bare = named.find((specifier) => !/^(\.{1,2}\/|https?:)/.test(specifier));
    if (bare !== undefined) return { path, why: `${next} imports ${bare}, which only a bundler finds` };
    waiting.push(...named.filter((specifier) => specifier.startsWith('.')).map((one) => joined(next, one)));
  }
  return { path, text, others: seen.size - 1, importsUnnamed };
}

/** What a module imports, or why it is none. */
function importsOf(source: string): (string | undefined)[] | string {
  try {
    const imports = importsIn(source);
    const isScript =
      imports.length === 0 && /\b(module\.exports|exports\.\w+)\s*=|\brequire\(\s*["'`]/.test(source);
    return isScript && !/\b(export|customElements)\b/.test(source) ? 'is a CommonJS module' : imports;
  } catch (error) {
    return `is no ES module: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Where a specifier leads from a file of the package. */
function joined(from: string, specifier: string): string {
  const at = new URL(specifier, new URL(from, 'file:///')).pathname;
  return decodeURIComponent(at).slice(1);
}
