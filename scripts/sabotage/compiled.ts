import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/sabotage/', import.meta.url));
const urlOf = (name: string) => pathToFileURL(join(FOLDER, `${name}.mjs`)).href;

/** The URL of the rules, as both the test runner and a started program can load them. */
export const PLANTED = urlOf('planted');
const register = `import { register } from 'node:module'; register('${urlOf('node-hooks')}');`;
/** What `node --import` runs before a program. */
export const REGISTER = `data:text/javascript,${encodeURIComponent(register)}`;

export async function compileRules(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  await build({
    entryPoints: ['planted', 'node-hooks'].map((name) => ({ in: join(HERE, `${name}.ts`), out: name })),
    ...{ outdir: FOLDER, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', platform: 'node' },
    ...{ target: 'node20', logLevel: 'warning' },
  });
}
