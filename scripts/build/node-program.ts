import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** Folders of the sources that only browsers run: bundles are made of them. */
const OF_BROWSERS = /^(host|pages\/browser)\//;
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
 * @param inModules writes a file for each module of the sources instead, so that a hook of `node --import` can replace it
 * @returns the files that went into it
 */
export async function buildNodeProgram(
  root: string,
  dist: string,
  inModules: boolean,
): Promise<readonly string[]> {
  const sources = join(root, 'src');
  const all = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.d)\.tsx?$/.test(file) && !OF_BROWSERS.test(file),
  );
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: (inModules ? all : entries(sources, all)).map((file) => join(sources, file)),
    outbase: sources,
    outdir: dist,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    ...(inModules ? { plugins: [modulesApart], packages: 'external' } : joined(root)),
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** Leaves imports of our own modules as they are written. Tables in JSON are still joined: Node.js 20 warns of imports of JSON. */
const modulesApart: Plugin = {
  name: 'modules apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

function joined(root: string): BuildOptions {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !JOINED.includes(name));
  const chunks = { splitting: true, chunkNames: 'chunks/[name]-[hash]' };
  return { ...chunks, external, banner: { js: REQUIRE }, mainFields: ['module', 'main'] };
}

function entries(sources: string, all: readonly string[]): string[] {
  const tasks = all.flatMap((file) => [...readFileSync(join(sources, file), 'utf8').matchAll(TASK_MODULE)]);
  const named = new Set([...ENTRIES, ...tasks.map(([, module = '']) => module)]);
  return [...named].map((file) => file.replace(/\.js$/, '.ts'));
}
