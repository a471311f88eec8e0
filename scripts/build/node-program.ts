import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Modules that run for themselves: the program, and the script of worker threads. */
const PROGRAMS = ['main.ts', 'lib/pool/worker-script.ts'];
/** How a module says that worker threads find a task in it. */
const HAS_TASKS = /\bmodule: import\.meta\.url\b/;

/**
 * Joins the modules of the node into few files, because reading a thousand of them one by one takes longer than all
 * the rest of a start. What worker threads load by name keeps its place below `dist`. Packages are left out: npm keeps
 * them up to date.
 */
export async function buildNodeProgram({ sources, dist }: { sources: string; dist: string }): Promise<void> {
  const withTasks = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && HAS_TASKS.test(readFileSync(join(sources, file), 'utf8')),
  );
  await build({
    entryPoints: [...PROGRAMS, ...withTasks].map((file) => join(sources, file)),
    ...{ outbase: sources, outdir: dist, chunkNames: 'chunk-[hash]' },
    ...{
      bundle: true,
      splitting: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
    },
    ...{ sourcemap: true, logLevel: 'warning' },
    plugins: [inItsPlace(sources)],
  });
}

/**
 * Has each module go on finding files by their way from itself. All joined code lies directly in `dist`, whatever
 * folder its module was in: modules with tasks are reached from the program, too, so that of them `dist` holds only
 * a file that exports what stands in a joined one.
 */
function inItsPlace(sources: string): Plugin {
  return {
    name: 'import.meta.url of each module',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const compiled = `./${relative(sources, path).replace(/\.ts$/, '.js')}`;
        const url = `new URL(${JSON.stringify(compiled)}, import.meta.url).href`;
        return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
      });
    },
  };
}
