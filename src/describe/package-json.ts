import * as z from 'zod';
import { jsonValue } from '../lib/json-value.js';

/** What is read of a package.json; everything else in it is left alone. */
const schema = z.object({
  name: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
  customElements: z.string().optional(),
  module: z.string().optional(),
  main: z.string().optional(),
  unpkg: z.string().optional(),
  jsdelivr: z.string().optional(),
  browser: z.unknown().optional(),
  exports: z.unknown().optional(),
});

export type PackageJson = z.infer<typeof schema>;

/** @throws Error that says what is wrong with it */
export function readPackageJson(text: string): PackageJson {
  const json = jsonValue(text);
  if (json === undefined) throw new Error('package.json is not JSON');
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(
    `package.json has ${issue?.path.join('.') || 'something'} that is not as npm has it: ${issue?.message}`,
  );
}

/** Who wrote it, without the address that npm allows behind the name. */
export function authorOf({ author, name }: PackageJson): string {
  const said = typeof author === 'string' ? author : author?.name;
  return said?.split(/[<(]/, 1)[0]?.trim() || name;
}

/**
 * The files that a package offers to browsers, best first: what it says is ready for them, then its modules. Conditions of
 * `exports` are followed as browsers' bundlers do (Node.js, "Conditional exports").
 */
export function offeredModules({ unpkg, jsdelivr, browser, exports, module, main }: PackageJson): string[] {
  const said = [unpkg, jsdelivr, browser, ...targetsOf(dotOf(exports)), module, main];
  return [...new Set(said.filter((path) => typeof path === 'string').map(withoutDot))];
}

function dotOf(exports: unknown): unknown {
  return typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
}

function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(targetsOf);
  if (typeof target !== 'object' || target === null) return [];
  const conditions = target as Readonly<Record<string, unknown>>;
  return ['browser', 'import', 'module', 'default'].flatMap((condition) => targetsOf(conditions[condition]));
}

function withoutDot(path: string): string {
  return path.replace(/^\.\//, '');
}

/** Where everything that npm publishes can be had as modules: a folder, with a slash at the end. */
export function servedByNpm({ name, version }: PackageJson): string {
  return `https://unpkg.com/${name}${version === undefined ? '' : `@${version}`}/`;
}
