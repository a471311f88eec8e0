import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bareEnv } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { getJson, publish } from '../support/node/node-reader.js';
import { MAIN } from '../support/run-program.js';
import {
  allServe,
  copyOf,
  EXAMPLES,
  OFTEN,
  replaced,
  runCommand,
  standIn,
} from '../support/shipped-examples.js';
import { tempDir } from '../support/temp-dir.js';
import { parse } from './adapters/parsed-config.js';

const AS_OPERATOR = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
const HELLO = { uri: 'https://c.example/hello.js' };
const STOPPED = { code: 0, signal: null };

test('docs/examples/one-machine: one script starts four nodes, and stops them', async () => {
  const held = async (port: string) => [port, `${await heldPort()}`] as const;
  const ports = await Promise.all(['3001', '3002', '3003', '3004'].map(held));
  const cwd = await copyOf('one-machine', Object.fromEntries(ports));
  const network = runCommand(['./start.sh'], { cwd, env: { NODE_MAIN: MAIN, ...OFTEN } });
  const urls = ports.map(([, port]) => `http://localhost:${port}`);
  await allServe(urls, network);
  const [alpha = '', , , mirror = ''] = urls;
  await publish({ url: alpha }, HELLO);
  // Through two nodes to the mirror of the last one.
  const atMirror = { '@id': `${mirror}/c/${HELLO.uri}` };
  await expect.poll(() => getJson(`${mirror}/component`)).toMatchObject([atMirror]);
  expect(await network.stop()).toEqual(STOPPED);
  for (const url of urls) await expect(fetch(`${url}/health`)).rejects.toThrow();
  // Each had the time to stop as it should.
  expect(network.said().match(/"msg":"stopping"/g)).toHaveLength(4);
  expect(await readdir(join(cwd, 'data'))).toEqual(['alpha', 'beta', 'gamma', 'mirror']);
});

test('docs/examples/three-machines: one script on each starts a node and what is before it', async () => {
  const caddies = await standIn('caddy', { notes: ['HOST'], stays: true });
  const port = `${await heldPort()}`;
  const url = `http://127.0.0.2:${port}`;
  // This machine has neither these names nor certificates for them.
  const cwd = await copyOf('three-machines', {
    ...{ 'https://beta.example': url, '127.0.0.1': '127.0.0.2', '"port": 3000': `"port": ${port}` },
    ...{ '/var/lib/component-registry-node': './data', '"https://ann.pod.example/components/"': '' },
  });
  const env = { PATH: caddies.path, NODE_MAIN: MAIN, ...AS_OPERATOR };
  const node = runCommand(['./start.sh', 'beta'], { cwd, env });
  await allServe([url], node);
  await publish({ url }, HELLO);
  expect(await caddies.calls()).toEqual([`HOST=127.0.0.2:${port} run --config Caddyfile`]);
  expect(await node.stop()).toEqual(STOPPED);
  for (const name of ['alpha', 'mirror']) {
    const config = JSON.parse(await readFile(`${EXAMPLES}three-machines/${name}.json`, 'utf8'));
    expect(() => parse(config, AS_OPERATOR)).not.toThrow();
  }
});

test('docs/examples/three-machines: Caddy takes its file, and passes requests on to the node', async () => {
  const { stdout } = await promisify(execFile)(
    'caddy',
    ['adapt', '--config', `${EXAMPLES}three-machines/Caddyfile`],
    { env: bareEnv({ HOST: 'alpha.example' }) },
  );
  const { listen } = JSON.parse(await readFile(`${EXAMPLES}three-machines/alpha.json`, 'utf8'));
  expect(stdout).toContain('"host":["alpha.example"]');
  expect(stdout).toContain(`"dial":"${listen.host}:${listen.port}"`);
});

describe('docs/examples/systemd', () => {
  const UNIT = 'component-registry-node@.service';
  /** The values of a key of the unit, without comments. */
  const valuesOf = (text: string, key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  test.each([UNIT, '../sparql/component-registry-sparql@.service'])(
    '%s is a unit that systemd takes as it is',
    async (path) => {
      const directory = await tempDir();
      const name = basename(path);
      // systemd looks whether the programs are there.
      const here = { '/usr/bin/node': process.execPath, '/opt/component-registry-node/': TOP };
      await writeFile(
        join(directory, name),
        replaced(await readFile(`${EXAMPLES}systemd/${path}`, 'utf8'), here),
      );
      const analyze = (...args: string[]) => promisify(execFile)('systemd-analyze', args, { cwd: directory });
      expect(await analyze('verify', '--man=no', `./${name}`)).toEqual({ stdout: '', stderr: '' });
      const { stdout } = await analyze('security', '--offline=yes', '--no-pager', `./${name}`);
      // Of 10, where 10 is a service without any protection.
      const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure)).toBeLessThan(2.5);
    },
  );

  test('is installed by one script, and runs a node with its configuration, data and secrets', async () => {
    const [root, port] = [await tempDir(), await heldPort()];
    const installed = runCommand([`${EXAMPLES}systemd/start.sh`, 'alpha'], {
      cwd: root,
      env: { DESTDIR: root },
    });
    expect(await installed.exit).toEqual(STOPPED);
    expect(installed.said()).toBe('');
    const etc = join(root, 'etc/component-registry-node');
    const copied = await readFile(join(etc, 'alpha.json'), 'utf8');
    expect(copied).toBe(await readFile(`${EXAMPLES}one-machine/alpha.json`, 'utf8'));
    const named = await readFile(join(root, 'etc/systemd/system', UNIT), 'utf8');
    expect(named).toContain(`ExecStart=${process.execPath} /opt/`);
    const text = replaced(named, {
      '%i': 'alpha',
      '/opt/': `${root}/opt/`,
      '/etc/': `${root}/etc/`,
      '/var/lib/': `${root}/lib/`,
    });
    await writeFile(join(etc, 'alpha.json'), JSON.stringify({ listen: { port }, write: 'operator' }));
    await writeFile(join(etc, 'alpha.env'), `REGISTRY_OPERATOR_TOKEN=${OPERATOR_TOKEN}\n`);
    const [file = ''] = valuesOf(text, 'EnvironmentFile');
    const given = [
      ...valuesOf(text, 'Environment'),
      ...(await readFile(file.replace(/^-/, ''), 'utf8')).split('\n'),
    ];
    const env = Object.fromEntries(given.filter(Boolean).map((line) => line.split(/=(.*)/s, 2)));
    const [command = ''] = valuesOf(text, 'ExecStart');
    const node = runCommand(command.split(' '), { cwd: root, env });
    const url = `http://localhost:${port}`;
    await allServe([url], node);
    await publish({ url }, HELLO);
    for (const page of ['', '/docs', '/docs/operators', '/docs/changelog', '/network', '/publish'])
      expect([page, (await fetch(url + page, { headers: { accept: 'text/html' } })).status]).toEqual([
        page,
        200,
      ]);
    expect(await readdir(join(root, 'lib/component-registry-node/alpha'))).toContain('store');
    expect(await node.stop()).toEqual(STOPPED);
  });
});
