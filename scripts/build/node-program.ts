import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Modules that run for themselves: the program, and the script of worker threads. */
const PROGRAMS = ['main.ts', 'lib/pool/worker-script.ts'];
/** How a module says that worker threads find a task in it. */
const HAS_TASKS = /\bmodule: import\.meta\.url\b/;

/** Packages of CommonJS ask for modules of Node.js with `require`, which ES modules do not have. */
const REQUIRE =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

export interface NodeProgram {
  readonly sources: string;
  readonly dist: string;
  /** Packages that npm installs beside the program; all others become part of it. */
  readonly installed: readonly string[];
}

/**
 * Joins the modules of the node and of the packages that it uses into few files, because reading a thousand of them one
 * by one takes longer than all the rest of a start. Of a package of CommonJS, `import()` then gives `default` alone. What
 * worker threads load by name keeps its place below `dist`. Resolves with the files that went into them.
 */
export async function buildNodeProgram({ sources, dist, installed }: NodeProgram): Promise<string[]> {
  const withTasks = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && HAS_TASKS.test(readFileSync(join(sources, file), 'utf8')),
  );
  const { metafile } = await build({
    entryPoints: [...PROGRAMS, ...withTasks].map((file) => join(sources, file)),
    ...{ outbase: sources, outdir: dist, chunkNames: 'chunk-[hash]' },
    ...{
      bundle: true,
      splitting: true,
      external: [...installed, 'pg-native'],
      banner: { js: REQUIRE },
      platform: 'node',
      // Of ES modules, unlike those of CommonJS, only what is used is taken: a third of n3, without its own streams.
      mainFields: ['module', 'main'],
      format: 'esm',
      target: 'node20',
      // Comments and names of chunks tell where files were: the same, wherever `node_modules` leads.
      preserveSymlinks: true,
    },
    ...{ metafile: true, logLevel: 'warning' },
    plugins: [inItsPlace(sources), withoutClients],
  });
  return Object.keys(metafile.inputs);
}

/**
 * Leaves out what packages bring that the node never calls: a client with which jsonld fetches contexts, and with it a second
 * copy of undici; and that of OpenTelemetry, in which prom-client looks for traces that metrics could name.
 */
const withoutClients: Plugin = {
  name: 'without clients that nobody calls',
  setup({ onResolve, onLoad }) {
    const clients = /^@(digitalbazaar\/http-client|opentelemetry\/api)$/;
    onResolve({ filter: clients }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: '' }));
  },
};

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
