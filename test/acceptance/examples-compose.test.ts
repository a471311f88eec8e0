import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TOP } from '../support/docs.js';
import { copyOf, EXAMPLES, runCommand, servicesOf, standIn } from '../support/shipped-examples.js';
import { parse as parseConfig } from './adapters/parsed-config.js';

const TOKEN = 'the-operators-own-token';
const NAMES = ['alpha', 'beta', 'gamma', 'mirror'];

const compose = (variables: Readonly<Record<string, string>>) => servicesOf('containers', variables);

/** What the image sets, as the Dockerfile says. */
const [, , LAST_STAGE = ''] = (await readFile(`${TOP}Dockerfile`, 'utf8')).split(/^FROM /m);
const IMAGE = Object.fromEntries(
  [...LAST_STAGE.matchAll(/(REGISTRY_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
);

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

  test('has settings that nodes take: three that know one another in a row, and a mirror of the last', async () => {
    const parsed = settings().map((own) => parseConfig({}, { ...IMAGE, ...own }));
    expect(parsed.map(({ mode }) => mode)).toEqual(['registry', 'registry', 'registry', 'mirror']);
    const urls = parsed.map(({ baseUrl }) => baseUrl);
    const peers = parsed.map((one) => one.peers.map(({ url }) => url).join());
    expect(peers).toEqual(['', ...urls.slice(0, 3)]);
  });
});

test('docs/examples/one-database: its nodes are one registry behind one address', async () => {
  const services = await servicesOf('one-database', { OPERATOR_TOKEN: TOKEN, DATABASE_PASSWORD: 'secret' });
  const nodes = ['one', 'two', 'three'].map((name) =>
    parseConfig({}, { ...IMAGE, ...services[name]?.environment, REGISTRY_PODS: '' }),
  );
  for (const node of nodes) expect(node).toMatchObject({ store: { engine: 'postgres' }, write: 'operator' });
  expect(new Set(nodes.map(({ baseUrl, storeUrl }) => `${baseUrl} ${storeUrl}`)).size).toBe(1);
});

test('docs/examples/high-availability: files that fit together', async () => {
  const [machines, proxy, patroni] = await Promise.all(
    ['cluster.env', 'haproxy.cfg', 'patroni.yml'].map((name) =>
      readFile(`${EXAMPLES}high-availability/${name}`, 'utf8'),
    ),
  );
  for (const [, name] of proxy?.matchAll(/\$(\w+)/g) ?? []) expect(machines).toMatch(`\n${name}=`);
  const { dcs } = parse(patroni ?? '').bootstrap;
  expect(dcs.synchronous_mode).toBe(true);
  // What Patroni asks for, so that a primary gives up before another one is promoted.
  expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl);
});
