/**
 * Makes dist: the program, the JSON Schemas that editors find through node.config.json and component.json, the pages of
 * the documentation, and what browsers load from a node. With `--quiet` it does not tell how large that is; with `--modules` the program has a file
 * for each module of the sources.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../src/config.js';
import { DOCUMENTS_FILE } from '../src/pages/docs/documentation.js';
import { componentJsonSchema } from '../src/publish/manifests.js';
import {
  EMBED,
  EXPLORER_MODULES,
  EXPLORER_SCRIPTS,
  EXPLORER_STYLES,
  HOST_EXPORTS,
  HOST_FRAME,
  HOST_MODULES,
  hostEntry,
} from './build/browser-files.js';
import { bundle } from './build/bundle.js';
import { renderDocuments } from './build/documents.js';
import { buildNodeProgram } from './build/node-program.js';
import { writeThirdParty } from './build/third-party.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = `${ROOT}dist`;

// What is left of deleted sources would still be imported, packed and shipped.
rmSync(DIST, { recursive: true, force: true });

/** The files that go into the bundles for browsers. */
const inputs: string[] = [];
await buildNodeProgram({
  sources: `${ROOT}src`,
  dist: DIST,
  without: ['host/', 'pages/browser/'],
  modules: process.argv.includes('--modules'),
});
compile('src/host/tsconfig.json');
compile('src/pages/browser/tsconfig.json');
writeFileSync(`${DIST}/host.d.ts`, hostEntry(HOST_EXPORTS, './host/'));

const modules = { ...HOST_MODULES, ...EXPLORER_MODULES };
const apart = Object.fromEntries(Object.entries(modules).map(([name, { file }]) => [name, file]));
const library = hostEntry(HOST_EXPORTS, `${ROOT}src/host/`);
await browserBundle({ stdin: library, outfile: `${DIST}/host.js`, root: ROOT, apart });
for (const { file, source } of [...Object.values(modules), HOST_FRAME]) {
  await browserBundle({ entry: `${ROOT}${source}`, outfile: `${DIST}/${file}`, root: ROOT, apart });
}
await browserBundle({
  entry: `${ROOT}${EMBED.source}`,
  outfile: `${DIST}/${EMBED.file}`,
  root: ROOT,
  door: 'host.js',
});
for (const [name, source] of Object.entries(EXPLORER_SCRIPTS)) {
  await browserBundle({ entry: `${ROOT}${source}`, outfile: `${DIST}/${name}`, root: ROOT, apart });
}

await writeThirdParty(inputs, ROOT, DIST);

const styles = EXPLORER_STYLES.map((path) => readFileSync(ROOT + path, 'utf8'));
writeFileSync(`${DIST}/explorer.css`, styles.join('\n'));
copyFileSync(`${ROOT}src/pages/shell/mark.svg`, `${DIST}/mark.svg`);

writeFileSync(ROOT + DOCUMENTS_FILE, JSON.stringify(renderDocuments(new URL('../', import.meta.url))));

writeSchema('node.config', configJsonSchema());
writeSchema('component', componentJsonSchema());
chmodSync(`${DIST}/main.js`, 0o755);

/** For completion in editors. */
function writeSchema(file: string, schema: object): void {
  writeFileSync(`${DIST}/${file}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}

async function browserBundle(of: Parameters<typeof bundle>[0]): Promise<void> {
  const { size, inputs: more } = await bundle(of);
  inputs.push(...more);
  if (!process.argv.includes('--quiet')) console.log(size);
}

function compile(project: string): void {
  const { status } = spawnSync(`${ROOT}node_modules/.bin/tsc`, ['-p', ROOT + project], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
