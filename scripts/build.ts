/** Makes dist: the compiled sources and the JSON Schema that editors find through node.config.json. */
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = `${ROOT}dist`;

// What is left of deleted sources would still be imported, packed and shipped.
rmSync(DIST, { recursive: true, force: true });

const { status } = spawnSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}tsconfig.json`], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

const { configJsonSchema } = await import(pathToFileURL(`${DIST}/config.js`).href);
writeFileSync(`${DIST}/node.config.schema.json`, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
chmodSync(`${DIST}/main.js`, 0o755);
