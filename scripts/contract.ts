/** `npm run contract -- <url>`: do the contracts of the engine postgres hold on this database server? */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDatabaseAddress } from '../src/config/database-address.js';

const TOP = fileURLToPath(new URL('../', import.meta.url));
/** What is asked of every keep, and what several nodes on one database do. */
const FILES = ['test/keep/postgres/postgres-keep.test.ts'];

const [url = ''] = process.argv.slice(2);
const address = readDatabaseAddress(url);
if (address) process.exitCode = run(url, address.described);
else {
  console.error(
    'npm run contract -- postgres://user:password@host:port/database\n\nThe user must be allowed to make databases; those of the tests are dropped at the end.',
  );
  process.exitCode = 2;
}

function run(contractUrl: string, described: string): number {
  console.log(`the contracts of the engine postgres on ${described}`);
  const { status } = spawnSync(
    join(TOP, 'node_modules/.bin/vitest'),
    ['run', '--project', 'database', ...FILES],
    { cwd: TOP, env: { ...process.env, CONTRACT_URL: contractUrl }, stdio: 'inherit' },
  );
  return status ?? 1;
}
