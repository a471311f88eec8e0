import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareEnv, exitOf } from '../support/child.js';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const MAIN = `${TOP}dist/main.js`;

/** Starts a command and gives all that it has printed so far. */
function start(command: string, args: readonly string[], cwd: string) {
  const child: ChildProcess = spawn(command, args, { cwd, env: bareEnv({ TERM: 'xterm' }), stdio: 'pipe' });
  cleanup(() => child.kill('SIGKILL'));
  const ended = exitOf(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  const says = async (pattern: RegExp): Promise<readonly string[]> => {
    const patience = { timeoutMs: 30_000, describe: () => `${pattern} in ${text}` };
    return (await waitFor(() => pattern.exec(text), patience)) ?? [];
  };
  return { child, ended, says, text: () => text };
}

describe('a node on a terminal', () => {
  it('says in one line where it is and how it is stopped, once it answers', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'node.config.json'), '{ "listen": { "port": 0 }, "write": "open" }');
    // A pseudo-terminal between the node and this test.
    const node = start('script', ['-qec', `exec ${process.execPath} ${MAIN}`, '/dev/null'], folder);
    const [, url = ''] = await node.says(
      /^Component registry node \d\S+ on (http:\/\/localhost:\d+) {2}\(no components yet; write: open; Ctrl-C stops it\)\r$/m,
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
    node.child.stdin?.write('\x03');
    expect((await node.ended).code).toBe(0);
  });

  it('says where its samples are', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'node.config.json'), '{ "listen": { "port": 0 } }');
    const node = start('script', ['-qec', `exec ${process.execPath} ${MAIN} --demo`, '/dev/null'], folder);
    const [, url = ''] = await node.says(
      /^Component registry node \S+ on (\S+\/demo) {2}\(3 components, with samples; write: off; Ctrl-C stops it\)\r$/m,
    );
    expect((await fetch(url)).status).toBe(200);
    node.child.stdin?.write('\x03');
    expect((await node.ended).code).toBe(0);
  });

  it('has no samples as a mirror', async () => {
    const folder = await tempDir();
    await writeFile(
      join(folder, 'node.config.json'),
      '{ "mode": "mirror", "peers": ["http://127.0.0.1:9"] }',
    );
    const node = start(process.execPath, [MAIN, '--demo'], folder);
    expect((await node.ended).code).toBe(1);
    expect(node.text()).toBe(
      'a mirror shows what its peers show: start it without --demo, or set mode to "registry"\n',
    );
  });

  it('says nothing but log lines to programs', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'node.config.json'), '{ "listen": { "port": 0 } }');
    const node = start(process.execPath, [MAIN], folder);
    await node.says(/"msg":"listening"/);
    node.child.kill('SIGTERM');
    await node.ended;
    for (const line of node.text().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
  });
});

describe('lint --watch', () => {
  it('checks a file again whenever it is saved', async () => {
    const modules = await fakeServer();
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    modules.on('/card.js', { headers, body: 'export default class extends HTMLElement {}' });
    const folder = await tempDir();
    const file = join(folder, 'card.ttl');
    await writeFile(file, '<card.js> <http://semcom.digita.ai/voc#label> "Card"');
    const lint = start(
      process.execPath,
      [MAIN, 'lint', 'card.ttl', '--watch', '--base', modules.url('/')],
      folder,
    );
    await lint.says(/ERROR {2}it cannot be read[\s\S]*watching card\.ttl; Ctrl-C ends it/);
    await writeFile(file, '<card.js> <http://semcom.digita.ai/voc#label> "Card".');
    await lint.says(/ok {5}its default export is an element class[\s\S]*watching card\.ttl/);
    lint.child.kill('SIGINT');
    expect((await lint.ended).signal).toBe('SIGINT');
  });

  it('is for files', async () => {
    const lint = start(process.execPath, [MAIN, 'lint', 'https://a.example/card.ttl', '--watch'], TOP);
    expect((await lint.ended).code).toBe(1);
    expect(lint.text()).toBe(
      '--watch follows files; for a URL, run node dist/main.js lint https://a.example/card.ttl again\n',
    );
  });
});

describe('a configuration from nothing', () => {
  it('is written by init, judged by check, and runs', async () => {
    const folder = await tempDir();
    const run = async (...args: string[]) => {
      const { ended, text } = start(process.execPath, [MAIN, ...args], folder);
      return [(await ended).code, text()];
    };
    expect(await run()).toEqual([
      1,
      expect.stringMatching(/there is no such file; .*with the command init\n$/),
    ]);
    expect(await run('init')).toEqual([
      0,
      expect.stringMatching(/^wrote node\.config\.json\. Next: node .* check says/),
    ]);
    expect(await run('init')).toEqual([1, expect.stringContaining('is there already and stays as it is')]);
    expect(await run('check')).toEqual([
      0,
      `ok: registry at http://localhost:3000, write off, 0 pods, 0 peers, data in ${join(folder, 'data')}\n`,
    ]);
  });
});
