import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { atHome, bundleProgram } from '../../scripts/simulate/bundle.js';

const TOP = fileURLToPath(new URL('../../', import.meta.url));

/** One place of the sources that is changed: `from` has to stand in the file. */
export interface Mutation {
  /** From the top of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Bundles a program with some places of its sources changed, and gives the path of the bundle. */
export function mutant(program: string, mutations: readonly Mutation[]): Promise<string> {
  const left = new Set(mutations);
  const changing = atHome((path, text) => {
    let changed = text;
    for (const mutation of mutations.filter(({ file }) => file === relative(TOP, path))) {
      if (!changed.includes(mutation.from)) throw new Error(`${path} has no "${mutation.from}"`);
      changed = changed.replace(mutation.from, mutation.to);
      left.delete(mutation);
    }
    return changed;
  });
  const complete: Plugin = {
    name: 'complete',
    setup({ onEnd }) {
      onEnd(() => {
        for (const { file } of left) throw new Error(`${file} is no part of the program`);
      });
    },
  };
  return bundleProgram(program, [changing, complete]);
}
