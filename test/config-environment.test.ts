import { describe, expect, it } from 'vitest';
import { configReference } from '../src/config/reference.js';
import { parse, TOKEN } from './acceptance/adapters/parsed-config.js';

/** For every key, a value that is not its default, as the file has it. */
const VALUES: Readonly<Record<string, unknown>> = {
  baseUrl: 'http://x.test:<port>',
  'listen.host': '::1',
  'listen.port': 8080,
  dataDir: '/var/lib/node',
  'store.engine': 'postgres',
  'store.connections': 4,
  'store.statementSeconds': 1,
  vocabulary: 'https://vocabulary.example/terms/',
  mode: 'mirror',
  write: 'operator',
  insecureOpenWrite: true,
  peers: [{ url: 'http://a.example/x,y' }, 'http://b.example'],
  pods: [{ url: 'http://p.example', auth: { id: 'ID', secret: 'SECRET' } }],
  'sync.schedule': '0 3,15 * * *',
  'sync.concurrency': 1,
  'sync.timeoutSeconds': 1,
  'sync.maxBytes': 1,
  'sync.maxDocuments': 1,
  'sync.maxComponents': 1,
  'sync.streams': 0,
  'sync.maxLearnedComponents': 0,
  'discovery.depth': 0,
  'discovery.allow': ['*.example.org', 'b.example'],
  'discovery.deny': ['b.example'],
  'discovery.approve': true,
  'discovery.maxPeers': 0,
  'discovery.maxPods': 0,
  pins: 'all',
  'network.allowPrivate': true,
  'limits.bodyBytes': 1,
  'limits.batch': 1,
  'limits.eventLines': 0,
  'log.level': 'silent',
  'connection.enabled': false,
  'connection.path': '/a/b',
  'connection.issuers': ['https://id.example/'],
  'invites.purposes': { 'urn:sleep': { name: 'Sleep', contact: 'a@b.example' } },
};
describe('the environment', () => {
  const SECRETS = { REGISTRY_OPERATOR_TOKEN: TOKEN, ID: 'id', SECRET: 'secret' };

  it('has a variable for every key', () => {
    const reference = configReference();
    expect(reference.map(({ key }) => key).sort()).toEqual(Object.keys(VALUES).sort());
    expect(reference.map(({ variable }) => variable)).toEqual(
      expect.arrayContaining(['REGISTRY_BASE_URL', 'REGISTRY_SYNC_TIMEOUT_SECONDS', 'REGISTRY_PEERS']),
    );
  });

  it.each(configReference())('$variable says the same as the file', ({ key, variable }) => {
    const value = VALUES[key];
    const secrets = key === 'store.engine' ? { ...SECRETS, REGISTRY_STORE_URL: 'postgres://a/b' } : SECRETS;
    const beside = key === 'mode' ? { peers: ['http://a.example'] } : {};
    const env = { ...secrets, [variable]: typeof value === 'string' ? value : JSON.stringify(value) };
    const [section = '', name] = key.split('.');
    const inFile = { ...beside, [section]: name === undefined ? value : { [name]: value } };
    const byFile = parse(inFile, secrets);
    expect(parse(beside, env)).toEqual(byFile);
    expect(byFile).not.toEqual(parse(beside, SECRETS));
  });

  it('wins over the file', () => {
    const file = { write: 'open', sync: { streams: 3, concurrency: 2 } };
    expect(parse(file, { REGISTRY_WRITE: 'off', REGISTRY_SYNC_STREAMS: '4' })).toMatchObject({
      ...{ write: 'off', sync: { streams: 4, concurrency: 2 } },
    });
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
