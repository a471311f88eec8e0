import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, configReference, listeningOn, loadConfig, parseConfig } from '../src/config.js';

const TOKEN = 'a-token-that-is-long-enough';
const DIRECTORY = resolve('/srv/node');

type Env = Record<string, string>;
const parse = (value: unknown, env: Env = {}) => parseConfig(value, { directory: DIRECTORY, env });

function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ key, detail }) => `${key}: ${detail}`);
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('a configuration without faults', () => {
  it('has the defaults of the design', () => {
    expect(parse({})).toEqual({
      baseUrl: 'http://localhost:3000',
      listen: { host: '127.0.0.1', port: 3000 },
      dataDir: join(DIRECTORY, 'data'),
      vocabulary: 'http://semcom.digita.ai/voc#',
      mode: 'registry',
      write: 'off',
      insecureOpenWrite: false,
      peers: [],
      pods: [],
      sync: {
        schedule: '*/5 * * * *',
        concurrency: 8,
        timeoutSeconds: 30,
        maxBytes: 10_000_000,
        maxDocuments: 10_000,
        maxComponents: 100_000,
        maxLearnedComponents: 100_000,
      },
      discovery: { depth: 3, allow: [], deny: [], maxPeers: 100, maxPods: 1000 },
      network: { allowPrivate: false },
      limits: { bodyBytes: 1_000_000, batch: 1000 },
      connection: { enabled: true, path: '/', issuers: [] },
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
    [{ dataDir: '../elsewhere' }, { dataDir: resolve('/srv/elsewhere') }],
    [{ write: 'open' }, { write: 'open' }],
    [{ write: 'open', listen: { host: '::1' } }, { write: 'open' }],
    [{ write: 'open', listen: { host: '0.0.0.0' }, insecureOpenWrite: true }, { write: 'open' }],
    [{ mode: 'mirror', peers: ['http://a.example'] }, { mode: 'mirror' }],
    [{ sync: { schedule: '*/10 * * * * *' } }, { sync: { schedule: '*/10 * * * * *' } }],
    [{ connection: { path: '/connections' } }, { connection: { path: '/connections' } }],
    [{ $schema: './dist/node.config.schema.json' }, { mode: 'registry' }],
    [{ pods: ['http://p.example/a', 'http://p.example/a/'] }, { pods: [{}, {}] }],
  ])('accepts %j', (value, expected) => {
    expect(parse(value)).toMatchObject(expected);
  });
});

describe('a fault', () => {
  const OPEN_URL = 'must be an http(s) URL without user name, password and fragment';
  it.each<[value: unknown, env: Env, fault: string]>([
    [{ listen: { port: '3000' } }, {}, 'listen.port: must be a whole number from 0 to 65535'],
    [{ listen: { port: 65536 } }, {}, 'listen.port: must be a whole number from 0 to 65535'],
    [{ listen: 3000 }, {}, 'listen: must be an object with the keys host, port'],
    [{ discovery: { depth: 17 } }, {}, 'discovery.depth: must be a whole number from 0 to 16'],
    [{ network: { allowPrivate: 'yes' } }, {}, 'network.allowPrivate: must be true or false'],
    [{ mode: 'relay' }, {}, 'mode: must be one of "registry", "mirror"'],
    [{ sync: { schedule: '61 * * * *' } }, {}, 'sync.schedule: must be a cron expression'],
    [{ vocabulary: 'http://x.example/voc' }, {}, 'vocabulary: must be an absolute IRI that ends in # or /'],
    [{ vocabulary: 'voc#' }, {}, 'vocabulary: must be an absolute IRI'],
    [{ baseUrl: 'https://x.example/' }, {}, 'baseUrl: must be an http(s) URL without trailing slash'],
    [{ baseUrl: 'ftp://x.example' }, {}, 'baseUrl: must be an http(s) URL'],
    [{ baseUrl: 'http://<port>' }, {}, 'baseUrl: must be an http(s) URL'],
    [{ peers: 'http://a.example' }, {}, 'peers: must be a list of URLs of nodes'],
    [{ peers: [3] }, {}, 'peers[0]: must be a URL string or { "url" }'],
    [{ peers: ['http://me:pass@a.example'] }, {}, `peers[0]: ${OPEN_URL}`],
    [{ peers: ['http://ok.example', 'http://a.example/#me'] }, {}, `peers[1]: ${OPEN_URL}`],
    [{ pods: [{ url: 'pod.example' }] }, {}, `pods[0].url: ${OPEN_URL}`],
    [{ pods: [{ url: 'http://p.example', auth: { id: 'A' } }] }, {}, 'pods[0].auth.secret: must be the name'],
    [
      { pods: [{ url: 'http://p.example', ahth: {} }] },
      {},
      'pods[0].ahth: unknown key, did you mean pods[0].auth?',
    ],
    [{ discovery: { allow: ['http://x'] } }, {}, 'discovery.allow[0]: must be a host name or a pattern'],
    [{ connection: { path: 'connect' } }, {}, 'connection.path: must be "/" or a path'],
    [{ connection: { path: '/c' } }, {}, 'connection.path: must be "/" or a path'],
    [{ connection: { path: '/status/x' } }, {}, 'connection.path: must be "/" or a path'],
    [{ connection: { path: '/a/../b' } }, {}, 'connection.path: must be "/" or a path'],
    [{ synk: {} }, {}, 'synk: unknown key, did you mean sync? Allowed here: baseUrl, listen,'],
    [{ port: 3000 }, {}, 'port: unknown key, did you mean listen.port?'],
    [{ sync: { zzz: 1 } }, {}, 'sync.zzz: unknown key; allowed here: schedule, concurrency,'],
    [{ operatorToken: TOKEN }, {}, 'operatorToken: is a secret and never read from a file'],
    [
      { write: 'open', listen: { host: '0.0.0.0' } },
      {},
      'write: "open" lets anyone who reaches 0.0.0.0 write',
    ],
    [{ write: 'operator' }, {}, 'write: "operator" needs the environment variable REGISTRY_OPERATOR_TOKEN'],
    [{ mode: 'mirror' }, {}, 'peers: a mirror replicates its peers'],
    [{ mode: 'mirror', peers: ['http://a.example'], write: 'open' }, {}, 'write: a mirror takes no writes'],
    [
      { mode: 'mirror', peers: ['http://a.example'], pods: ['http://p.example'] },
      {},
      'pods: a mirror polls no pods',
    ],
    [
      { peers: ['http://a.example', 'http://A.example/'] },
      {},
      'peers: http://A.example/ is listed more than once',
    ],
    [
      { pods: ['http://p.example', { url: 'http://p.example/' }] },
      {},
      'pods: http://p.example/ is listed more',
    ],
    [{ peers: ['http://localhost:3000/'] }, {}, 'peers: http://localhost:3000/ is this node itself'],
    [
      { pods: [{ url: 'http://p.example', auth: { id: 'POD_ID', secret: 'POD_SECRET' } }] },
      { POD_ID: 'x', POD_SECRET: '' },
      'pods: http://p.example needs the environment variable POD_SECRET, which is not set',
    ],
    [{}, { REGISTRY_LISTEN_PORT: '3000x' }, 'REGISTRY_LISTEN_PORT: must be a whole number from 0 to 65535'],
    [{}, { REGISTRY_LISTEN_PORT: '0x10' }, 'REGISTRY_LISTEN_PORT: must be a whole number from 0 to 65535'],
    [{}, { REGISTRY_LISTEN_PORT: '' }, 'REGISTRY_LISTEN_PORT: must be a whole number from 0 to 65535'],
    [{}, { REGISTRY_NETWORK_ALLOW_PRIVATE: '1' }, 'REGISTRY_NETWORK_ALLOW_PRIVATE: must be true or false'],
    [{}, { REGISTRY_PEERS: 'http://a.example,b' }, `REGISTRY_PEERS[1]: ${OPEN_URL}`],
    [{}, { REGISTRY_PODS: '["http://a.example"' }, 'REGISTRY_PODS: must be a list of URLs of pods'],
    [{}, { REGISTRY_WRITE: 'operator' }, 'REGISTRY_WRITE: "operator" needs the environment variable'],
    [
      {},
      { REGISTRY_LISTEN_PROT: '1' },
      'REGISTRY_LISTEN_PROT: no such variable; the nearest one is REGISTRY_LISTEN_PORT',
    ],
    [
      {},
      { REGISTRY_OPERATOR_TOKEN: 'too-short' },
      'REGISTRY_OPERATOR_TOKEN: must have at least 16 characters',
    ],
    [
      {},
      { REGISTRY_OPERATOR_TOKEN: 'sixteen letters and spaces' },
      'REGISTRY_OPERATOR_TOKEN: may hold letters',
    ],
    [[], {}, 'node.config.json: must be a JSON object'],
    ['{}', {}, 'node.config.json: must be a JSON object'],
  ])('in %j with %j names the key and what is allowed', (value, env, fault) => {
    const faults = faultsOf(() => parse(value, env));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  it('hides no other', () => {
    const value = {
      mode: 'mirror',
      write: 'operator',
      listen: { port: -1, prot: 1 },
      peers: ['nonsense', 'http://a.example', 'http://a.example'],
      pods: [{ url: 'http://p.example', auth: { id: 'UNSET_ID', secret: 'UNSET_SECRET' } }],
    };
    const faults = faultsOf(() => parse(value, { REGISTRY_SYNC_DEPTH: '1' }));
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'listen.port',
      'listen.prot',
      'peers[0]',
      'write',
      'write',
      'pods',
      'peers',
      'pods',
      'pods',
      'REGISTRY_SYNC_DEPTH',
    ]);
  });

  it('never repeats a secret', () => {
    const value = {
      operatorToken: 'hunter2-hunter2-hunter2',
      peers: ['http://me:hunter2@a.example'],
      pods: [{ url: 'http://p.example', auth: { id: 'ID', secret: 'hunter2' } }],
    };
    const faults = faultsOf(() => parse(value, { REGISTRY_OPERATOR_TOKEN: 'hunter2' }));
    expect(faults).toHaveLength(4);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('is printed on a line of its own', () => {
    const work = () => parse({ mode: 'x', write: 'y' });
    expect(work).toThrow(/^node\.config\.json cannot be used:\n {2}mode: .*\n {2}write: .*$/);
  });
});

/** For every key, values that the schema allows and that no other key forbids. */
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  baseUrl: fc.constantFrom(
    'https://node.example',
    'http://node.example:8080/registry',
    'http://x.test:<port>',
  ),
  'listen.host': fc.constantFrom('0.0.0.0', '::1', 'localhost'),
  'listen.port': fc.integer({ min: 0, max: 65535 }),
  dataDir: fc.constantFrom('/var/lib/node', './elsewhere', 'a b'),
  vocabulary: fc.constantFrom('https://vocabulary.example/terms#', 'https://vocabulary.example/terms/'),
  mode: fc.constant('registry'),
  write: fc.constantFrom('off', 'operator'),
  insecureOpenWrite: fc.boolean(),
  peers: fc.constantFrom([], ['http://a.example'], [{ url: 'http://a.example/x,y' }, 'http://b.example']),
  pods: fc.constantFrom(
    [],
    ['http://p.example/'],
    [{ url: 'http://p.example', auth: { id: 'ID', secret: 'SECRET' } }],
  ),
  'sync.schedule': fc.constantFrom('0 * * * *', '*/10 * * * * *', '0 3,15 * * *'),
  'sync.concurrency': fc.integer({ min: 1, max: 256 }),
  'sync.timeoutSeconds': fc.integer({ min: 1, max: 3600 }),
  'sync.maxBytes': fc.integer({ min: 1, max: 2_000_000_000 }),
  'sync.maxDocuments': fc.integer({ min: 1, max: 10_000_000 }),
  'sync.maxComponents': fc.integer({ min: 1, max: 10_000_000 }),
  'sync.maxLearnedComponents': fc.integer({ min: 0, max: 10_000_000 }),
  'discovery.depth': fc.integer({ min: 0, max: 16 }),
  'discovery.allow': fc.constantFrom([], ['*.example.org', 'b.example']),
  'discovery.deny': fc.constantFrom([], ['*.example.org', 'b.example']),
  'discovery.maxPeers': fc.integer({ min: 0, max: 100_000 }),
  'discovery.maxPods': fc.integer({ min: 0, max: 1_000_000 }),
  'network.allowPrivate': fc.boolean(),
  'limits.bodyBytes': fc.integer({ min: 1, max: 1_000_000_000 }),
  'limits.batch': fc.integer({ min: 1, max: 1_000_000 }),
  'connection.enabled': fc.boolean(),
  'connection.path': fc.constantFrom('/', '/connect', '/a/b'),
  'connection.issuers': fc.constantFrom([], ['https://id.example/', 'https://other.example']),
};

describe('the environment', () => {
  const SECRETS = { REGISTRY_OPERATOR_TOKEN: TOKEN, ID: 'id', SECRET: 'secret' };

  it('has a variable for every key', () => {
    expect(
      configReference()
        .map(({ key }) => key)
        .sort(),
    ).toEqual(Object.keys(VALUES).sort());
    expect(configReference().map(({ variable }) => variable)).toEqual(
      expect.arrayContaining([
        'REGISTRY_BASE_URL',
        'REGISTRY_LISTEN_PORT',
        'REGISTRY_SYNC_TIMEOUT_SECONDS',
        'REGISTRY_NETWORK_ALLOW_PRIVATE',
        'REGISTRY_INSECURE_OPEN_WRITE',
      ]),
    );
  });

  it('says the same as the file, key by key', () => {
    fc.assert(
      fc.property(fc.record(VALUES, { requiredKeys: [] }), (chosen) => {
        const byFile = parse(nested(chosen), SECRETS);
        const byEnvironment = parse({}, { ...SECRETS, ...variables(chosen) });
        expect(byEnvironment).toEqual(byFile);
      }),
    );
  });

  it('wins over the file', () => {
    fc.assert(
      fc.property(fc.record(VALUES), fc.record(VALUES), (inFile, inEnvironment) => {
        const config = parse(nested(inFile), { ...SECRETS, ...variables(inEnvironment) });
        expect(config).toEqual(parse(nested(inEnvironment), SECRETS));
      }),
    );
  });

  it('separates the items of lists by commas', () => {
    const env = { REGISTRY_PEERS: 'http://a.example, http://b.example', REGISTRY_DISCOVERY_DENY: '' };
    const config = parse({ discovery: { deny: ['x.example'] } }, env);
    expect(config.peers).toEqual([{ url: 'http://a.example' }, { url: 'http://b.example' }]);
    expect(config.discovery.deny).toEqual([]);
  });

  it('alone gives the operator token', () => {
    expect(parse({ write: 'operator' }, { REGISTRY_OPERATOR_TOKEN: TOKEN }).operatorToken).toBe(TOKEN);
  });
});

describe('the file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-config-'));
  afterAll(() => rmSync(directory, { recursive: true }));
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

  it('that is missing is refused with a way out', () => {
    const file = join(directory, 'none.json');
    expect(faultsOf(() => loadConfig({ file, env: {} }))).toEqual([
      `${file}: there is no such file; name one with --config, or make one: echo '{}' > ${file} takes all defaults`,
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

function nested(values: Record<string, unknown>): Record<string, unknown> {
  const root: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(values)) {
    const [section = '', name] = key.split('.');
    if (name === undefined) Object.assign(root, { [section]: value });
    else root[section] = { ...root[section], [name]: value };
  }
  return root;
}

function variables(values: Record<string, unknown>): Env {
  const nameOf = new Map(configReference().map(({ key, variable }) => [key, variable]));
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      nameOf.get(key) ?? key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
