/** `npm run contract -- <url>`: does the contract of keeps hold on this database server? */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDatabaseAddress } from '../src/config/database-address.js';

const TOP = fileURLToPath(new URL('../', import.meta.url));
/** What is asked of every keep, and what several nodes on one database do. */
const TESTS = ['run', 'test/keep/postgres/postgres-keep.test.ts'];
const HELP = `npm run contract -- postgres://user:password@host:port/database

The user must be allowed to make databases; those of the tests are dropped at the end.`;

const [url = ''] = process.argv.slice(2);
if (readDatabaseAddress(url)) {
  const env = { ...process.env, CONTRACT_URL: url };
  const vitest = join(TOP, 'node_modules/.bin/vitest');
  process.exitCode = spawnSync(vitest, TESTS, { cwd: TOP, env, stdio: 'inherit' }).status ?? 1;
} else {
  console.error(HELP);
  process.exitCode = 2;
}
