import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TOP } from '../support/docs.js';
import { heldPort } from '../support/held-port.js';
import { MAIN } from '../support/run-program.js';
import {
  allServe,
  arrivesAt,
  copyOf,
  EXAMPLES,
  OFTEN,
  publish,
  runCommand,
  servicesOf,
  standIn,
} from '../support/shipped-examples.js';
import { tempDir } from '../support/temp-dir.js';

const TOKEN = 'the-operators-own-token';
const NAMES = ['alpha', 'beta', 'gamma', 'mirror'];

const compose = (variables: Readonly<Record<string, string>>, ports = {}) =>
  servicesOf('containers', variables, ports);

/** What the image sets, as the Dockerfile says. */
async function imageEnvironment(): Promise<Record<string, string>> {
  const [, , last = ''] = (await readFile(`${TOP}Dockerfile`, 'utf8')).split(/^FROM /m);
  return Object.fromEntries(
    [...last.matchAll(/(REGISTRY_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe('docs/examples/containers/compose.yaml', () => {
  let services: Awaited<ReturnType<typeof compose>>;
  beforeAll(async () => {
    services = await compose({ OPERATOR_TOKEN: TOKEN });
  });
  const settings = () => Object.values(services).map(({ environment }) => environment);

  test('has addresses that mean the same node inside of the containers and outside', () => {
    expect(Object.keys(services)).toEqual(NAMES);
    for (const { environment, ports, extra_hosts } of Object.values(services)) {
      const { hostname, port } = new URL(environment.REGISTRY_BASE_URL ?? '');
      expect(environment.REGISTRY_LISTEN_PORT).toBe(port);
      expect(ports).toEqual([`${port}:${port}`]);
      expect(extra_hosts).toEqual([`${hostname}:host-gateway`]);
    }
    const own = settings().map(({ REGISTRY_BASE_URL }) => REGISTRY_BASE_URL);
    expect(new Set(own).size).toBe(NAMES.length);
    for (const { REGISTRY_PEERS } of settings()) if (REGISTRY_PEERS) expect(own).toContain(REGISTRY_PEERS);
  });

  test.each([
    ['containers', ['OPERATOR_TOKEN']],
    ['one-database', ['OPERATOR_TOKEN', 'DATABASE_PASSWORD']],
  ])('is started by one script, as %s is, with secrets that stay the same', async (folder, secrets) => {
    const docker = await standIn('docker');
    const cwd = await copyOf(folder, {});
    const start = (...args: string[]) =>
      runCommand(['./start.sh', ...args], { cwd, env: { PATH: docker.path } }).exit;
    expect(await start()).toEqual({ code: 0, signal: null });
    const made = await readFile(join(cwd, '.env'), 'utf8');
    expect(made).toMatch(new RegExp(`^${secrets.map((name) => `${name}=[0-9a-f]{64}\n`).join('')}$`));
    expect((await stat(join(cwd, '.env'))).mode & 0o777).toBe(0o600);
    await start('--detach');
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(made);
    expect(await docker.calls()).toEqual(['compose up --build', 'compose up --build --detach']);
    // What compose builds is this repository, without these secrets.
    const context = (await readFile(`${TOP}.dockerignore`, 'utf8')).trim().split('\n');
    expect(context.slice(context.indexOf('!docs'))).toContain('docs/examples/**/.env');
    const { 'x-node': node } = parse(await readFile(join(cwd, 'compose.yaml'), 'utf8'));
    expect(await readFile(join(EXAMPLES, folder, node.build, 'Dockerfile'), 'utf8')).toContain('FROM ');
  });

  test('asks for the operator token, and takes the name of the machine', async () => {
    await expect(compose({})).rejects.toThrow('OPERATOR_TOKEN: at least 16 characters');
    const named = await compose({ OPERATOR_TOKEN: TOKEN, PUBLIC_HOST: 'registry.example' });
    expect(JSON.stringify(named)).not.toContain('registry.localhost');
  });

  test('with its settings, four processes are a network whose links lead somewhere', async () => {
    const held = async (port: string) => [port, `${await heldPort()}`] as const;
    const ports = await Promise.all(['3001', '3002', '3003', '3004'].map(held));
    const variables = { OPERATOR_TOKEN: TOKEN, PUBLIC_HOST: 'localhost' };
    const network = await compose(variables, Object.fromEntries(ports));
    const root = await tempDir();
    const image = await imageEnvironment();
    const nodes = await Promise.all(
      Object.entries(network).map(async ([name, { environment }]) => {
        // The image listens on all addresses, which a container needs and a test must not.
        const own = { REGISTRY_DATA_DIR: join(root, name), REGISTRY_LISTEN_HOST: '127.0.0.1' };
        const cwd = await tempDir();
        await writeFile(join(cwd, 'node.config.json'), '{}');
        return runCommand([process.execPath, MAIN], {
          cwd,
          env: { ...image, ...environment, ...own, ...OFTEN },
        });
      }),
    );
    const urls = Object.values(network).map(({ environment }) => environment.REGISTRY_BASE_URL ?? '');
    await allServe(urls, nodes);
    const [alpha = '', beta = '', gamma = '', mirror = ''] = urls;
    await publish(alpha, TOKEN);
    const address = await arrivesAt(mirror);
    expect(address.startsWith(`${mirror}/c/`)).toBe(true);
    expect((await fetch(address)).status).toBe(200);
    // gamma was told of beta, and has learned of alpha.
    const peers = (await (await fetch(`${gamma}/peers`)).json()) as string[];
    expect([...peers].sort()).toEqual([alpha, beta].sort());
    for (const peer of peers) expect((await fetch(`${peer}/component`)).status).toBe(200);
    // A mirror keeps nobody's connections.
    expect((await fetch(`${mirror}/connection/`)).status).toBe(404);
    for (const node of nodes) expect(await node.stop()).toEqual({ code: 0, signal: null });
  });
});
