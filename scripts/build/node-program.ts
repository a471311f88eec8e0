import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What is loaded by its name: the program, and the script of worker threads. */
const ENTRIES = ['main.js', 'lib/pool/worker.js'];
/** The module of a task, which worker threads load by its name (`Task.module`). */
const TASK_MODULE = /\bmodule: '([^']+\.js)'/g;

/**
 * Packages that are joined with the program, because each file costs time at a start. All others are loaded from `node_modules`, where
 * npm, its audits and `overrides` see them: what speaks HTTP, what fetches, what checks tokens. Of n3, the program uses the parser and
 * the writer; its store and streams bring fifty files more.
 */
const JOINED = [
  ...['acorn', 'commander', 'content-type', 'hono', 'ipaddr.js', 'jsonc-parser', 'lru-cache'],
  ...['n3', 'node-cron', 'p-queue', 'prom-client', 'quadstore', 'semver', 'zod'],
];

/** Packages in CommonJS call it for modules of Node.js. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/**
 * Writes the program below `dist`. Its modules are joined, and some packages, because a node starts in half of the processor time that
 * it needs with a file for each: zod alone has a hundred. The types are checked by `npm run typecheck`, not here.
 * @returns the files that went into it
 */
export async function buildNodeProgram(root: string, dist: string): Promise<readonly string[]> {
  const sources = join(root, 'src');
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries(sources),
    outbase: sources,
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: Object.keys(dependencies).filter((name) => !JOINED.includes(name)),
    banner: { js: REQUIRE },
    mainFields: ['module', 'main'],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** The program, and the module of each task. */
function entries(sources: string): string[] {
  const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(sources, file), 'utf8'));
  const tasks = texts.flatMap((text) => [...text.matchAll(TASK_MODULE)].map(([, module = '']) => module));
  return [...new Set([...ENTRIES, ...tasks])].map((file) => join(sources, file.replace(/\.js$/, '.ts')));
}
