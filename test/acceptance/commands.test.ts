import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareEnv, exitOf } from '../support/child.js';
import { cleanup } from '../support/cleanup.js';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { hashesIn } from '../support/hashes-in.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { startInProcess } from './adapters/in-process-node.js';

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
    const patience = { describe: () => `${pattern} in ${text}` };
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

  it('says that it has samples', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'node.config.json'), '{ "listen": { "port": 0 } }');
    const node = start('script', ['-qec', `exec ${process.execPath} ${MAIN} --demo`, '/dev/null'], folder);
    const [, url = ''] = await node.says(
      /^Component registry node \S+ on (\S+) {2}\(3 components, with samples; write: off; Ctrl-C stops it\)\r$/m,
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

describe('rehearse', () => {
  it('says what a pod would add, ends with a code that says so, and leaves the data as it is', async () => {
    const server = await fakeServer();
    const pod = new FakePod(server);
    pod.put('/pod/one.ttl', turtle('one'));
    const folder = await tempDir();
    const config = { listen: { port: 0 }, write: 'open', dataDir: join(folder, 'data') };
    await writeFile(join(folder, 'node.config.json'), JSON.stringify(config));
    const node = await startInProcess({ config });
    const posted = { uri: 'https://c.example/one.js', label: 'Mine' };
    expect((await fetch(`${node.url}/component`, postJson(posted))).status).toBe(201);
    await node.stop();

    const before = await hashesIn(join(folder, 'data'));
    const rehearse = async (...args: string[]) => {
      const { ended, text } = start(process.execPath, [MAIN, 'rehearse', ...args], folder);
      return [(await ended).code, text()];
    };
    expect(await rehearse(server.url('/pod/'))).toEqual([
      3,
      expect.stringMatching(
        /^looking what it is …\nreading …\ncomparing …\n[\s\S]*changes 1 component:\n {2}one <[^>]*>: label would differ\nhides 1 description:\n {2}one <[^>]*>, as this node itself says: configured pods come before what was posted to the node\n/,
      ),
    ]);
    pod.delete('/pod/one.ttl');
    pod.put('/pod/two.ttl', turtle('two'));
    const [code, text = ''] = await rehearse(server.url('/pod/'), '--json');
    expect([code, JSON.parse(String(text).slice(String(text).indexOf('{'))).effects.adds.count]).toEqual([
      0, 1,
    ]);
    expect((await rehearse('http://127.0.0.1:9/pod/'))[0]).toBe(1);
    expect(await rehearse('pod')).toEqual([1, expect.stringContaining('Name a pod or a node by its URL')]);
    expect((await rehearse())[0]).toBe(2);
    expect(await hashesIn(join(folder, 'data'))).toEqual(before);
  });
});
