import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/sabotage/', import.meta.url));

/** The URLs of the rules and of what `node --import` runs, as both the test runner and a started program can load them. */
export const PLANTED = pathToFileURL(join(FOLDER, 'planted.mjs')).href;
export const REGISTER = pathToFileURL(join(FOLDER, 'register.mjs')).href;

export async function compileRules(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  const files = ['planted', 'node-hooks', 'register'];
  await build({
    entryPoints: files.map((name) => ({ in: join(HERE, `${name}.ts`), out: name })),
    ...{ outdir: FOLDER, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', platform: 'node' },
    ...{ target: 'node20', logLevel: 'warning' },
  });
}
