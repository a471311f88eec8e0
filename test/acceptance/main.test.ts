import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { listening, runProgram, startCommand } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

const directory = await tempDir();

function configFile(name: string, config: unknown): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const run = (...args: string[]) => runProgram(args);

describe.concurrent('commands that end by themselves', () => {
  it('--help names every command, and the options of none', async ({ expect }) => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(commands).toEqual([
      ...['serve', 'check', 'token', 'lint', 'publish', 'export', 'import', 'rehearse', 'repair'],
    ]);
    expect(stdout).not.toContain('--config');
  });

  it.each([
    [['chekc'], "unknown command 'chekc' (there is serve, check, "],
    [['serve', 'now'], "unknown command 'now'"],
    [['--confg', 'x'], "unknown option '--confg'\n(Did you mean --config?)"],
    [['token', '--config'], "option '--config <file>' argument missing"],
    [['lint'], "missing required argument 'url or file'"],
    [
      ['publish', '--to', 'x', '--wait', '2 minutes'],
      "option '--wait <time>' argument '2 minutes' is invalid",
    ],
    [['token', '--holder', 'alice'], "option '--holder <uri>' argument 'alice' is invalid"],
    [['token', '--holder', 'urn:a', '--expires', '0d'], "option '--expires <time>' argument '0d' is invalid"],
  ])('%j cannot be understood: says why, and exits 2', async (args, why) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${why}`);
  });

  it('check prints all faults of a bad one and exits 1', async ({ expect }) => {
    const { code, stderr } = await run('check', '--config', configFile('bad.json', { mode: 1, write: 2 }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/bad\.json cannot be used:\n {2}mode: .*\n {2}write: .*\n$/);
  });

  it('lint says what to correct and exits 1; with nothing to correct it exits 0', async ({ expect }) => {
    const modules = await fakeServer();
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    modules.on('/card.js', { headers, body: 'export default class extends HTMLElement {}' });
    const file = join(directory, 'card.ttl');
    writeFileSync(file, '<card.js> <http://semcom.digita.ai/voc#label> "Card".');
    const [good, bad] = await Promise.all([
      run('lint', file, '--base', modules.url('/card.ttl')),
      run('lint', file, '--base', modules.url('/elsewhere/card.ttl')),
    ]);
    await modules.close();
    expect(good.stdout).toContain('ok     its default export is an element class');
    expect(good.code).toBe(0);
    expect(bad.stdout).toContain('ERROR  the module answers 404');
    expect(bad.code).toBe(1);
  });
});

describe('npm start', () => {
  it('passes SIGTERM on, so that the node ends with npm and frees its port', async () => {
    // The scripts as they are shipped, without the build, which other tests would notice.
    const { scripts } = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8'));
    const folder = join(directory, 'npm-start');
    mkdirSync(folder);
    symlinkSync(join(TOP, 'dist'), join(folder, 'dist'));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { ...scripts, build: 'node -e 0 --' } }),
    );
    writeFileSync(join(folder, 'node.config.json'), JSON.stringify({ listen: { port: 0 } }));
    const npm = startCommand(['npm', 'start', '--silent'], { cwd: folder });
    const { url, pid } = await listening(npm);
    cleanup(() => endIfRunning(pid));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    npm.child.kill('SIGTERM');
    await npm.exit;
    await expect.poll(() => fetch(`${url}/health`).catch(() => 'gone')).toBe('gone');
  });
});

/** Whatever npm has left behind. */
function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
