import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { hashesIn } from '../support/hashes-in.js';
import { tempDir } from '../support/temp-dir.js';
import { inTorture, rounds } from '../support/torture.js';

const execute = promisify(execFile);
const run = (cwd: string, command: string, ...args: string[]) =>
  execute(command, args, { cwd, env: bareEnv(), maxBuffer: 10_000_000 });

/** What the package is made of. */
const SOURCES = [
  ...['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'node.config.json'],
  ...['scripts', 'src', 'docs', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE'],
];

/** Releases that are made beside the first; each downloads packages of Debian and takes a minute. */
const MORE = rounds({ short: 0, full: 1 });

// In `npm test`, package.test.ts compares the one package that it makes with what was built beforehand.
describe.runIf(inTorture)('made twice', { timeout: 300_000 }, () => {
  it('two builds in two folders, of files of different ages, are the same package byte for byte', async () => {
    const [one, two] = [await packed('one', 0), await packed('another-folder', 86_400)];
    expect(two).toEqual(one);
  });

  it('releases of the last commit are the same byte for byte', { timeout: 900_000 }, async () => {
    const first = await released('first');
    expect([...first.keys()]).toEqual(expect.arrayContaining(['SHA256SUMS', 'NOTES.md', 'image/index.json']));
    for (let i = 0; i < MORE; i += 1) expect(await released(`again-${i}`)).toEqual(first);
  });
});

async function packed(name: string, age: number): Promise<string> {
  const folder = join(await tempDir(), name);
  await mkdir(folder);
  for (const path of SOURCES) await cp(TOP + path, join(folder, path), { recursive: true });
  const time = Date.now() / 1000 - age;
  for (const file of await readdir(folder, { recursive: true })) await utimes(join(folder, file), time, time);
  await symlink(`${TOP}node_modules`, join(folder, 'node_modules'));
  const { stdout } = await run(folder, 'npm', 'pack', '--json');
  const [{ integrity }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return integrity;
}

async function released(name: string): Promise<ReadonlyMap<string, string>> {
  const out = join(await tempDir(), name);
  await run(TOP, 'npm', 'run', '--silent', 'release', '--', '--dry', '--out', out);
  return hashesIn(out);
}
