import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configReference } from '../src/config/reference.js';
import { listeningOn, loadConfig, parseConfig } from '../src/config.js';
import { DIRECTORY, faultsOf, parse } from './acceptance/adapters/parsed-config.js';
import { tempDir } from './support/temp-dir.js';

describe('a configuration without faults', () => {
  it('has the defaults of the design', () => {
    expect(parse({})).toEqual({
      baseUrl: 'http://localhost:3000',
      listen: { host: '127.0.0.1', port: 3000 },
      dataDir: join(DIRECTORY, 'data'),
      store: { engine: 'disk', connections: 10, statementSeconds: 30 },
      vocabulary: 'http://semcom.digita.ai/voc#',
      mode: 'registry',
      write: 'off',
      insecureOpenWrite: false,
      peers: [],
      pins: 'configured',
      pods: [],
      sync: {
        schedule: '*/5 * * * *',
        concurrency: 8,
        timeoutSeconds: 30,
        maxBytes: 10_000_000,
        maxDocuments: 10_000,
        maxComponents: 100_000,
        streams: 200,
        maxLearnedComponents: 30_000,
      },
      discovery: {
        ...{ depth: 3, allow: [], deny: [], approve: false },
        ...{ maxPeers: 100, maxPods: 1000 },
      },
      network: { allowPrivate: false },
      limits: { bodyBytes: 1_000_000, batch: 1000, eventLines: 1000 },
      log: { level: 'info' },
      connection: { enabled: true, path: '/', issuers: [] },
      invites: { purposes: {} },
    });
  });

  it('is frozen to the last entry', () => {
    const config = parse({ peers: ['http://a.example'] });
    const parts = [config, config.listen, config.peers, config.peers[0], config.sync, config.discovery.allow];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('keeps the URLs of sources exactly as written', () => {
    const peers = ['http://A.example', { url: 'https://b.example/node/' }];
    const pods = ['https://pod.example', 'https://pod.example/x?y=%7e'];
    expect(parse({ peers, pods })).toMatchObject({
      peers: [{ url: 'http://A.example' }, { url: 'https://b.example/node/' }],
      pods: [{ url: 'https://pod.example' }, { url: 'https://pod.example/x?y=%7e' }],
    });
  });

  it('carries the credentials that a pod entry names', () => {
    const auth = { id: 'POD_ID', secret: 'REGISTRY_POD_SECRET' };
    const env = { POD_ID: 'id', REGISTRY_POD_SECRET: 'secret' };
    const pods = [
      { url: 'https://pod.example/a/', auth },
      { url: 'https://pod.example/b/', auth: { ...auth, issuer: 'https://id.example/' } },
    ];
    expect(parse({ pods }, env).pods.map(({ credentials }) => credentials)).toEqual([
      { id: 'id', secret: 'secret', issuer: 'https://pod.example' },
      { id: 'id', secret: 'secret', issuer: 'https://id.example/' },
    ]);
  });

  it('waits with the base URL until the port is known', () => {
    const config = parse({ listen: { port: 0 } });
    expect(config.baseUrl).toBe('http://localhost:<port>');
    expect(listeningOn(config, 4321)).toMatchObject({
      baseUrl: 'http://localhost:4321',
      listen: { port: 4321 },
    });
    expect(listeningOn(parse({ baseUrl: 'https://x.example/n' }), 4321).baseUrl).toBe('https://x.example/n');
  });

  it.each([
    [{ dataDir: '/var/lib/node' }, { dataDir: resolve('/var/lib/node') }],
    // Header fields with the name of the node are ASCII.
    [
      { baseUrl: 'https://Реестр.example:<port>/узел%20é' },
      { baseUrl: 'https://xn--e1aa5aceg.example:3000/%D1%83%D0%B7%D0%B5%D0%BB%20%C3%A9' },
    ],
    [
      { baseUrl: 'https://x.example/invite', connection: { path: '/a' } },
      { baseUrl: 'https://x.example/invite' },
    ],
    [{ dataDir: '../elsewhere' }, { dataDir: resolve('/srv/elsewhere') }],
    [{ write: 'open' }, { write: 'open' }],
    [{ write: 'open', listen: { host: '::1' } }, { write: 'open' }],
    [{ write: 'open', listen: { host: '0.0.0.0' }, insecureOpenWrite: true }, { write: 'open' }],
    [
      { mode: 'mirror', peers: ['http://a.example'] },
      { mode: 'mirror', connection: { enabled: false } },
    ],
    [
      { mode: 'mirror', peers: ['http://a.example'], connection: { enabled: true } },
      { mode: 'mirror', connection: { enabled: true } },
    ],
    [{ connection: { enabled: false } }, { connection: { enabled: false } }],
    [{ sync: { schedule: '*/10 * * * * *' } }, { sync: { schedule: '*/10 * * * * *' } }],
    [{ connection: { path: '/connections' } }, { connection: { path: '/connections' } }],
    [{ $schema: './dist/node.config.schema.json' }, { mode: 'registry' }],
    [{ pods: ['http://p.example/a', 'http://p.example/a/'] }, { pods: [{}, {}] }],
  ])('accepts %j', (value, expected) => {
    expect(parse(value)).toMatchObject(expected);
  });
});

describe('the file', async () => {
  const directory = await tempDir();
  const write = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };

  it('gives relative paths their place', () => {
    const file = write('good.json', '\uFEFF{ "dataDir": "here" }\n');
    expect(loadConfig({ file, env: {} }).dataDir).toBe(join(directory, 'here'));
  });

  it('that is not JSON is refused with the place of the fault', () => {
    const file = write('bad.json', '{\n  "mode": "registry"\n  "write": "off"\n}\n');
    expect(faultsOf(() => loadConfig({ file, env: {} }))).toEqual([
      expect.stringContaining('line 3, column 3: this is not JSON'),
    ]);
  });

  it('may have comments, and commas at the end', () => {
    const file = write(
      'commented.json',
      '{\n  // who may write\n  "write": "open", /* on loopback */\n  "pods": ["http://a.example/",],\n}\n',
    );
    const { write: policy, pods } = loadConfig({ file, env: {} });
    expect([policy, pods.map(({ url }) => url)]).toEqual(['open', ['http://a.example/']]);
  });

  it('that is missing is refused with a way out', () => {
    const file = join(directory, 'none.json');
    expect(faultsOf(() => loadConfig({ file, env: {} }))).toEqual([
      `${file}: there is no such file: name one with --config, or write one (docs/operators.md has every key; {} sets nothing but defaults)`,
    ]);
  });

  it('that cannot be read is refused with the reason', () => {
    expect(faultsOf(() => loadConfig({ file: directory, env: {} }))).toEqual([
      expect.stringContaining('cannot be read (EISDIR'),
    ]);
  });

  it('that is shipped loads, and shows every key', () => {
    const shipped = JSON.parse(readFileSync('node.config.json', 'utf8'));
    expect(loadConfig({ file: 'node.config.json', env: {} })).toEqual(
      parseConfig({ write: 'open' }, { directory: resolve('.'), env: {} }),
    );
    for (const { key } of configReference()) expect(shipped).toHaveProperty(key);
  });
});
