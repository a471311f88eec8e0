import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

export interface Bundle {
  /** The file to begin with, or the text of one. */
  readonly entry?: string;
  readonly stdin?: string;
  readonly outfile: string;
  readonly root: string;
  /** Modules that are imported when they are needed: what the source calls them, and the file that they are built into. */
  readonly apart?: Readonly<Record<string, string>>;
  /** A bundle beside it that exports all that the entry imports by relative paths: the entry imports that instead. */
  readonly door?: string;
}

interface Bundled {
  readonly size: string;
  readonly inputs: readonly string[];
}

/** Makes one ES module of a file and all that it imports, for browsers of the last three years. Resolves with its size in words, and the files that went into it. */
export async function bundle({ entry, stdin, outfile, root, apart = {}, door }: Bundle): Promise<Bundled> {
  const { metafile } = await build({
    ...(entry === undefined ? {} : { entryPoints: [entry] }),
    ...(stdin === undefined ? {} : { stdin: { contents: stdin, resolveDir: root, loader: 'ts' } }),
    // The browser's variant of a package, where it has one: without it, the other needs Node.js.
    mainFields: ['module', 'main'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'eof',
    outfile,
    metafile: true,
    // A bundle names the files that it is made of: the same ones, wherever `node_modules` leads.
    preserveSymlinks: true,
    plugins: [...(door === undefined ? [] : [opening(door)]), keptApart(apart)],
    logLevel: 'warning',
  });
  const bytes = readFileSync(outfile);
  const kilobytes = (size: number) => `${(size / 1000).toFixed(1)} kB`;
  const size = `${relative(root, outfile)} ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} compressed`;
  return { size, inputs: Object.keys(metafile.inputs) };
}

/** Leaves `import()` of these modules in the bundle, under the names of their own bundles beside it. */
function keptApart(modules: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'kept apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path }) => {
        const file = kind === 'dynamic-import' ? modules[basename(path, '.js')] : undefined;
        return file === undefined ? undefined : { path: `./${file}`, external: true };
      });
    },
  };
}

/** Has the entry import from another bundle what it names by relative paths. Types are gone by then. */
function opening(door: string): Plugin {
  return {
    name: 'door',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind }) =>
        kind === 'import-statement' ? { path: `./${door}`, external: true } : undefined,
      );
    },
  };
}
