import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { getJson, listing, publish } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { listening, MAIN, runProgram, startCommand, startForTest } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { startInProcess } from './adapters/in-process-node.js';

/** Where the commands run. */
let folder: string;
beforeEach(async () => {
  folder = await tempDir();
});

/** Starts a command, until the test is over. */
function start(command: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  return startForTest(command, { cwd: folder, env: { TERM: 'xterm', ...variables }, stdin: 'pipe' });
}
const run = (...args: string[]) => runProgram(args, { cwd: folder });
const configure = (config: object) => writeFile(join(folder, 'node.config.json'), JSON.stringify(config));

describe('a command', () => {
  // What else cannot be understood: test/cli/program.test.ts.
  it('that cannot be understood exits with 2', async () => {
    const { code, stdout, stderr } = await run('chekc');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("error: unknown command 'chekc' (there is serve, check, ");
  });

  it('that checks a configuration prints all of its faults and exits with 1', async () => {
    await configure({ mode: 1, write: 2 });
    const { code, stderr } = await run('check');
    expect(code).toBe(1);
    expect(stderr).toMatch(/node\.config\.json cannot be used:\n {2}mode: .*\n {2}write: .*\n$/);
  });

  it('that lints says what to correct, and exits with 1 where there is something', async () => {
    const file = join(folder, 'card.ttl');
    await writeFile(file, '<card.js> <http://semcom.digita.ai/voc#label> "Card".');
    const { code, stdout } = await run('lint', file, '--base', (await fakeServer()).url('/card.ttl'));
    expect([code, stdout]).toEqual([1, expect.stringContaining('ERROR  the module answers 404')]);
  });

  it('that rehearses says what a pod would add, also by its exit code, and changes nothing', async () => {
    const config = { listen: { port: await heldPort() }, write: 'open' };
    await configure(config);
    const server = await fakeServer();
    new FakePod(server).put('/pod/one.ttl', turtle('one'));
    const node = await startInProcess({ config });
    await publish(node, { uri: 'https://c.example/one.js', label: 'Mine' });
    const before = (await listing(node)).etag;
    const asOperator = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const rehearsing = start([process.execPath, MAIN, 'rehearse', server.url('/pod/')], asOperator);
    expect(await rehearsing.ended).toMatchObject({
      code: 3,
      text: expect.stringMatching(
        /^the node at http:\S+ reads it, .* …\n[\s\S]*changes 1 component:\n {2}one <[^>]*>: label would differ\nhides 1 description:\n {2}one <[^>]*>, as this node its/,
      ),
    });
    expect((await listing(node)).etag).toBe(before);
  });
});

describe('a node', () => {
  it('on a terminal says in a line for people where it is, and ends with Ctrl-C', async () => {
    await configure({ listen: { port: 0 }, write: 'open' });
    // A pseudo-terminal between the node and this test.
    const node = start(['script', '-qec', `exec ${process.execPath} ${MAIN}`, '/dev/null']);
    const [, url = ''] = await node.says(/listening[\s\S]*?(http:\/\/localhost:\d+)/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    node.child.stdin?.write('\x03');
    expect((await node.exit).code).toBe(0);
  });

  it('shows samples without a configuration, and does not start without one otherwise', async () => {
    const node = start([process.execPath, MAIN, '--demo'], { REGISTRY_LISTEN_PORT: '0' });
    const { url } = await listening(node);
    expect((await getJson<object[]>(`${url}/component`)).length).toBeGreaterThan(2);
    node.child.kill('SIGTERM');
    expect((await node.exit).code).toBe(0);
    for (const args of [[], ['--demo', '--config', 'other.json']]) {
      const { code, text } = await run(...args);
      expect(code).toBe(1);
      expect(text).toMatch(/there is no such file: name one with --config/);
    }
  });

  it('that npm has started ends with npm, which passes SIGTERM on, and frees its port', async () => {
    // The scripts as they are shipped, without the build, which other tests would notice.
    const { scripts } = JSON.parse(await readFile(join(TOP, 'package.json'), 'utf8'));
    const manifest = { scripts: { ...scripts, build: 'node -e 0 --' } };
    await symlink(join(TOP, 'dist'), join(folder, 'dist'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await configure({ listen: { port: 0 } });
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
