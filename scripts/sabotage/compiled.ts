import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const FILE = fileURLToPath(new URL('../../node_modules/.cache/sabotage/planted.mjs', import.meta.url));

/** The URL of the rules, as both the test runner and a started program can load them. */
export const PLANTED = pathToFileURL(FILE).href;
const register = `import { register } from 'node:module'; register('${PLANTED}');`;
/** What `node --import` runs before a program. */
export const REGISTER = `data:text/javascript,${encodeURIComponent(register)}`;

export async function compileRules(): Promise<void> {
  const planted = fileURLToPath(new URL('planted.ts', import.meta.url));
  const how = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  await build({ entryPoints: [planted], outfile: FILE, ...how, logLevel: 'warning' });
}
