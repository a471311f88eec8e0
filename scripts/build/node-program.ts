import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

export interface NodeProgram {
  readonly sources: string;
  readonly dist: string;
  /** Folders of the sources that only browsers run: bundles are made of them. */
  readonly without: readonly string[];
  /** One file for each module of the sources, in its place below `dist`, so that a hook of `node --import` can replace it. */
  readonly modules: boolean;
}

/** What is loaded by its name: the program, and the script of worker threads. */
const ENTRIES = ['main.js', 'lib/pool/worker.js'];
/** The module of a task, which worker threads load by its name (`Task.module`). */
const TASK_MODULE = /\bmodule: '([^']+\.js)'/g;

/**
 * Writes the program below `dist`. Its own modules are joined, because a node starts in two thirds of the processor time
 * that it needs with a file for each. Packages are not: they are loaded from `node_modules`, where npm, its audits and
 * `overrides` see them. The types are checked by `npm run typecheck`, not here.
 */
export async function buildNodeProgram({ sources, dist, without, modules }: NodeProgram): Promise<void> {
  const all = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .filter((file) => !without.some((folder) => file.startsWith(folder)));
  const joined: BuildOptions = { splitting: true, chunkNames: 'chunks/[name]-[hash]' };
  const apart: BuildOptions = { plugins: [modulesApart] };
  await build({
    entryPoints: (modules ? all : entries(sources, all)).map((file) => join(sources, file)),
    outbase: sources,
    outdir: dist,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    ...(modules ? apart : joined),
  });
}

/** Leaves imports of our own modules as they are written. Tables in JSON are still joined: Node.js 20 warns of imports of JSON. */
const modulesApart: Plugin = {
  name: 'modules apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

function entries(sources: string, all: readonly string[]): string[] {
  const tasks = all.flatMap((file) => [...readFileSync(join(sources, file), 'utf8').matchAll(TASK_MODULE)]);
  return [...new Set([...ENTRIES, ...tasks.map(([, module]) => module ?? '')])].map((file) =>
    file.replace(/\.js$/, '.ts'),
  );
}
