import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { getJson, listing, publish } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { listening, MAIN, startForTest } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { startInProcess } from './adapters/in-process-node.js';

/** Starts a command in a folder, until the test is over. */
function start(command: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}) {
  const started = startForTest(command, { cwd, env: { TERM: 'xterm', ...variables }, stdin: 'pipe' });
  return started;
}

describe('a node on a terminal', () => {
  it('says in a line for people where it is, once it answers, and ends with Ctrl-C', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'node.config.json'), '{ "listen": { "port": 0 }, "write": "open" }');
    // A pseudo-terminal between the node and this test.
    const node = start(['script', '-qec', `exec ${process.execPath} ${MAIN}`, '/dev/null'], folder);
    const [, url = ''] = await node.says(/listening[\s\S]*?(http:\/\/localhost:\d+)/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    node.child.stdin?.write('\x03');
    expect((await node.exit).code).toBe(0);
  });

  it('shows the samples where nobody has written a configuration, and no others do without one', async () => {
    const folder = await tempDir();
    const node = start([process.execPath, MAIN, '--demo'], folder, { REGISTRY_LISTEN_PORT: '0' });
    const { url } = await listening(node);
    expect((await getJson<object[]>(`${url}/component`)).length).toBeGreaterThan(2);
    node.child.kill('SIGTERM');
    expect((await node.exit).code).toBe(0);
    for (const args of [[], ['--demo', '--config', 'other.json']]) {
      const { exit, said } = start([process.execPath, MAIN, ...args], folder);
      expect((await exit).code).toBe(1);
      expect(said()).toMatch(/there is no such file: name one with --config/);
    }
  });
});

describe('rehearse', () => {
  /** A folder with the configuration of a node on a port of its own, and the command that runs in it. */
  async function folderOf(port: number, more: { baseUrl?: string } = {}) {
    const folder = await tempDir();
    const config = { listen: { port }, write: 'open', dataDir: join(folder, 'data'), ...more };
    await writeFile(join(folder, 'node.config.json'), JSON.stringify(config));
    const asOperator = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const rehearse = async (args: readonly string[], env: Record<string, string> = asOperator) => {
      const { exit, said } = start([process.execPath, MAIN, 'rehearse', ...args], folder, env);
      return { code: (await exit).code, text: said() };
    };
    return { config, rehearse };
  }

  it('says what a pod would add, ends with a code that says so, and changes nothing', async () => {
    const server = await fakeServer();
    const pod = new FakePod(server);
    pod.put('/pod/one.ttl', turtle('one'));
    const { config, rehearse } = await folderOf(await heldPort());
    const node = await startInProcess({ config });
    const posted = { uri: 'https://c.example/one.js', label: 'Mine' };
    await publish(node, posted);
    const before = (await listing(node)).etag;

    expect(await rehearse([server.url('/pod/')])).toEqual({
      code: 3,
      text: expect.stringMatching(
        /^the node at http:\S+ reads it, .* …\n[\s\S]*changes 1 component:\n {2}one <[^>]*>: label would differ\nhides 1 description:\n {2}one <[^>]*>, as this node its/,
      ),
    });
    expect((await listing(node)).etag).toBe(before);
  });

  it('says what to do when the node cannot be asked, or refuses', async () => {
    const { config, rehearse } = await folderOf(await heldPort());
    const url = 'http://127.0.0.1:9/pod/';
    const fails = (text: RegExp) => ({ code: 1, text: expect.stringMatching(text) });
    expect(await rehearse([url])).toEqual(fails(/no node answers at http:\S+ \(.*\): start the node/));
    await startInProcess({ config, env: { REGISTRY_OPERATOR_TOKEN: undefined } });
    expect(await rehearse([url])).toEqual(fails(/answers 403: This node has no operator token/));
    const proxy = await fakeServer();
    const behindIt = await folderOf(0, { baseUrl: proxy.url('/node') });
    expect(await behindIt.rehearse([url])).toEqual(fails(/the node at \S+\/node answers 404/));
    const nowhere = await folderOf(0);
    expect(await nowhere.rehearse([url])).toEqual(fails(/listen\.port is 0, so nobody knows/));
  });
});
