/**
 * Makes dist: the program, the JSON Schemas that editors find through node.config.json and component.json, the pages of
 * the documentation, and what browsers load from a node.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../src/config/reference.js';
import { DOCUMENTS_FILE } from '../src/pages/docs/documentation.js';
import { componentJsonSchema } from '../src/publish/manifests.js';
import { buildBrowserBundles } from './build/browser-bundles.js';
import { renderDocuments } from './build/documents.js';
import { buildNodeProgram } from './build/node-program.js';
import { writeThirdParty } from './build/third-party.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = `${ROOT}dist`;

// What is left of deleted sources would still be imported, packed and shipped.
rmSync(DIST, { recursive: true, force: true });

const ofProgram = await buildNodeProgram(ROOT, DIST);
compile('src/host/tsconfig.json');
compile('src/pages/browser/tsconfig.json');
writeFileSync(`${DIST}/host.d.ts`, "export * from './host/host.js';\n");
writeThirdParty([...ofProgram, ...(await buildBrowserBundles(ROOT, DIST))], ROOT, DIST);

writeFileSync(ROOT + DOCUMENTS_FILE, JSON.stringify(renderDocuments(new URL('../', import.meta.url))));
// For completion in editors.
for (const [file, schema] of [
  ['node.config', configJsonSchema()],
  ['component', componentJsonSchema()],
] as const)
  writeFileSync(`${DIST}/${file}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
chmodSync(`${DIST}/main.js`, 0o755);

function compile(project: string): void {
  const { status } = spawnSync(`${ROOT}node_modules/.bin/tsc`, ['-p', ROOT + project], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
