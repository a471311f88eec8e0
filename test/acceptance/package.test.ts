import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { listening, startForTest } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { inTorture } from '../support/torture.js';

const execute = promisify(execFile);
const run = (cwd: string, command: string, ...args: string[]) =>
  execute(command, args, { cwd, env: bareEnv(), maxBuffer: 10_000_000 });

/** What a clone of the repository has that matters to the package; no `dist`, which npm has to have made. */
const CLONED = [
  ...['.gitignore', '.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'node.config.json'],
  ...['scripts', 'src', 'docs', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE'],
];
const NAME = 'component-registry-node';
/** Slow in `npm run torture`: npm installs the dependencies there, from its cache where that has them. */
const SLOW = 300_000;
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'] as const;
const PACKAGE = JSON.parse(await readFile(`${TOP}package.json`, 'utf8'));

async function clone(): Promise<string> {
  const folder = join(await tempDir(), 'clone');
  await mkdir(folder);
  for (const name of CLONED) await cp(TOP + name, join(folder, name), { recursive: true });
  return folder;
}

async function emptyProject(): Promise<string> {
  const folder = join(await tempDir(), 'project');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  return folder;
}

/** Puts a tarball where npm installs it. Beside it are the packages of this repository that are no tools, and nothing else. */
async function unpack(tarball: string, project: string): Promise<void> {
  await run(project, 'tar', '-xzf', tarball);
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await rename(join(project, 'package'), join(modules, NAME));
  const { packages } = JSON.parse(await readFile(`${TOP}package-lock.json`, 'utf8'));
  for (const path of Object.keys(packages).filter((at) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(at))) {
    if (packages[path].dev || !existsSync(TOP + path)) continue;
    await mkdir(dirname(join(project, path)), { recursive: true });
    await symlink(TOP + path, join(project, path));
  }
  const program = join(modules, NAME, PACKAGE.bin[NAME]);
  await chmod(program, 0o755);
  await symlink(program, join(modules, '.bin', NAME));
}

describe('the packed tarball, in an empty project', () => {
  let project: string;
  let tarball: string;
  const bin = (...args: string[]) => run(project, `node_modules/.bin/${NAME}`, ...args);

  beforeAll(async () => {
    // In `npm test`, what has just been built here.
    const sources = inTorture ? await clone() : TOP;
    if (inTorture) await symlink(`${TOP}node_modules`, join(sources, 'node_modules'));
    const folder = await tempDir();
    const pack = ['pack', '--json', '--pack-destination', folder, ...(inTorture ? [] : ['--ignore-scripts'])];
    const { stdout } = await run(sources, 'npm', ...pack);
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    expect(files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining([
        'dist/main.js',
        'docs/samples/profile-card.js',
        'dist/host.js',
        'dist/host.d.ts',
        'dist/third-party.txt',
        'README.md',
        'docs/operators.md',
      ]),
    );
    project = await emptyProject();
    tarball = join(folder, filename);
    if (inTorture) await run(project, 'npm', ...INSTALL, tarball);
    else await unpack(tarball, project);
  }, SLOW);

  it('has a program that says what it is, judges the configuration beside it and answers queries', async () => {
    expect((await bin('--version')).stdout).toMatch(/^\d+\.\d+\.\d+/);
    await run(project, 'cp', `node_modules/${NAME}/node.config.json`, '.');
    expect((await bin('check')).stdout).toContain('ok: registry at http://localhost:3000');
    const options = { cwd: project, env: { REGISTRY_LISTEN_PORT: '0' } };
    const started = startForTest([`node_modules/.bin/${NAME}`, '--demo'], options);
    const { child, exit } = started;
    const { url } = await listening(started);
    const files = ['host.js', 'assets/shell.css', 'docs/operators', 'demo/profile-card.js'];
    for (const path of ['health', ...files])
      expect([path, (await fetch(`${url}/${path}`)).status]).toEqual([path, 200]);
    expect(await (await fetch(`${url}/component?q=profile+card`)).json()).toMatchObject([
      { label: 'Profile card', version: '1.0.0' },
    ]);
    child.kill('SIGTERM');
    expect((await exit).code).toBe(0);
  });

  it('has its packages beside it, where npm sees them, and the licences of what browsers get from it', async () => {
    const { dependencies, devDependencies } = PACKAGE;
    if (inTorture) {
      const { stdout } = await run(project, 'npm', 'ls', '--all', '--json');
      const { [NAME]: installed } = JSON.parse(stdout).dependencies;
      // What serves, what fetches, what checks tokens, what parses: all of it is loaded from there.
      expect(Object.keys(installed.dependencies).sort()).toEqual(Object.keys(dependencies).sort());
    }
    const texts = await readFile(join(project, 'node_modules', NAME, 'dist/third-party.txt'), 'utf8');
    for (const name of ['jsonld', 'n3', 'dompurify', 'shacl-engine']) {
      const { version } = JSON.parse(await readFile(`${TOP}node_modules/${name}/package.json`, 'utf8'));
      expect(texts).toContain(`${name}@${version} (`);
    }
    // Tools are neither installed nor part of what browsers get.
    for (const name of Object.keys(devDependencies).filter((one) => /^(esbuild|tsx|vitest)$/.test(one)))
      expect([name, existsSync(join(project, 'node_modules', name)), texts.includes(`${name}@`)]).toEqual([
        ...[name, false, false],
      ]);
  });

  it('has a library that can be imported', async () => {
    const code =
      "import * as host from 'component-registry-node/host'; console.log(Object.keys(host).join(' '))";
    const { stdout } = await run(project, process.execPath, '--input-type=module', '-e', code);
    const names = ['ComponentElement', 'RegistryClient', 'loadComponent', 'serveData', 'solidData'];
    expect(stdout.trim().split(' ')).toEqual(expect.arrayContaining(names));
  });
});
