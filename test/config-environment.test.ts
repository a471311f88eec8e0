import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configReference } from '../src/config.js';
import { type Env, parse, TOKEN } from './acceptance/adapters/parsed-config.js';

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
  'store.engine': fc.constant('disk'),
  'store.connections': fc.integer({ min: 4, max: 1000 }),
  'store.statementSeconds': fc.integer({ min: 1, max: 3600 }),
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
  'sync.streams': fc.integer({ min: 0, max: 10_000 }),
  'sync.maxLearnedComponents': fc.integer({ min: 0, max: 10_000_000 }),
  'discovery.depth': fc.integer({ min: 0, max: 16 }),
  'discovery.allow': fc.constantFrom([], ['*.example.org', 'b.example']),
  'discovery.deny': fc.constantFrom([], ['*.example.org', 'b.example']),
  'discovery.approve': fc.boolean(),
  'discovery.maxPeers': fc.integer({ min: 0, max: 100_000 }),
  'discovery.maxPods': fc.integer({ min: 0, max: 1_000_000 }),
  pins: fc.constantFrom('configured', 'all', 'off'),
  'network.allowPrivate': fc.boolean(),
  'limits.bodyBytes': fc.integer({ min: 1, max: 1_000_000_000 }),
  'limits.batch': fc.integer({ min: 1, max: 10_000 }),
  'limits.eventLines': fc.integer({ min: 0, max: 100_000 }),
  'log.level': fc.constantFrom('error', 'warn', 'info', 'debug', 'silent'),
  'connection.enabled': fc.boolean(),
  'connection.path': fc.constantFrom('/', '/connect', '/a/b'),
  'connection.issuers': fc.constantFrom([], ['https://id.example/', 'https://other.example']),
  'invites.purposes': fc.constantFrom(
    {},
    { 'urn:sleep': { name: 'Sleep', contact: 'a@b.example' }, 'https://a.example/#b': { name: 'B' } },
  ),
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
