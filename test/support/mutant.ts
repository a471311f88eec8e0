import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const TOP = fileURLToPath(new URL('../../', import.meta.url));
/** Ignored by git, and inside the package, so that a bundle finds the packages that it imports. */
const BUNDLES = join(TOP, 'node_modules/.cache/simulate');

/** One place of the sources that is changed: `from` has to stand in the file. */
export interface Mutation {
  /** From the top of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Bundles a program with some places of its sources changed, and gives the path of the bundle. */
export async function mutant(program: string, mutations: readonly Mutation[]): Promise<string> {
  mkdirSync(BUNDLES, { recursive: true });
  const outfile = join(mkdtempSync(join(BUNDLES, 'mutant-')), 'program.mjs');
  await build({
    ...{ entryPoints: [join(TOP, program)], outfile, bundle: true, platform: 'node', format: 'esm' },
    ...{ packages: 'external', logLevel: 'error', plugins: [changing(mutations)] },
  });
  return outfile;
}

function changing(mutations: readonly Mutation[]): Plugin {
  const left = new Set(mutations);
  return {
    name: 'mutations',
    setup({ onLoad, onEnd }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const here = mutations.filter(({ file }) => file === relative(TOP, path));
        // Files that are read lie where they lay, wherever the bundle is.
        const url = JSON.stringify(pathToFileURL(path).href);
        let contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', url);
        for (const mutation of here) {
          if (!contents.includes(mutation.from)) throw new Error(`${path} has no "${mutation.from}"`);
          contents = contents.replace(mutation.from, mutation.to);
          left.delete(mutation);
        }
        return { contents, loader: 'ts' };
      });
      onEnd(() => {
        for (const { file } of left) throw new Error(`${file} is no part of the program`);
      });
    },
  };
}
