import { describe, expect, it } from 'vitest';
import { type Env, faultsOf, parse } from './acceptance/adapters/parsed-config.js';

describe('a fault', () => {
  const OPEN_URL = 'must be an http(s) URL without user name, password and fragment';
  it.each<[value: unknown, fault: string, env?: Env]>([
    [{ listen: { port: '3000' } }, 'listen.port: must be a whole number from 0 to 65535'],
    [{ listen: 3000 }, 'listen: must be an object with the keys host, port'],
    [{ limits: { batch: 10_001 } }, 'limits.batch: must be a whole number from 1 to 10000'],
    [{ network: { allowPrivate: 'yes' } }, 'network.allowPrivate: must be true or false'],
    [{ mode: 'relay' }, 'mode: must be one of "registry", "mirror"'],
    [{ sync: { schedule: '61 * * * *' } }, 'sync.schedule: must be a cron expression'],
    [{ vocabulary: 'http://x.example/voc' }, 'vocabulary: must be an absolute IRI that ends in # or /'],
    [{ baseUrl: 'https://x.example/' }, 'baseUrl: must be an http(s) URL without trailing slash'],
    [
      { baseUrl: 'https://x.example/docs/here' },
      'baseUrl: its path begins with /docs, where the node itself',
    ],
    [
      { baseUrl: 'https://x.example/a', connection: { path: '/a/b' } },
      'baseUrl: its path begins with /a, where the node itself',
    ],
    [{ baseUrl: 'https://x.example/invite' }, 'baseUrl: its path begins with /invite, where the node itself'],
    [{ peers: 'http://a.example' }, 'peers: must be a list of URLs of nodes'],
    [{ peers: [3] }, 'peers[0]: must be a URL string or { "url" }'],
    [{ peers: ['http://ok.example', 'http://a.example/#me'] }, `peers[1]: ${OPEN_URL}`],
    [{ pods: [{ url: 'pod.example' }] }, `pods[0].url: ${OPEN_URL}`],
    [{ pods: [{ url: 'http://p.example', auth: { id: 'A' } }] }, 'pods[0].auth.secret: must be the name'],
    [{ pods: [{ url: 'http://p.example', ahth: {} }] }, 'pods[0].ahth: unknown key; allowed here: url, auth'],
    [{ discovery: { allow: ['http://x'] } }, 'discovery.allow[0]: must be a host name or a pattern'],
    [{ connection: { path: 'connect' } }, 'connection.path: must be "/" or a path'],
    [{ connection: { path: '/c' } }, 'connection.path: "/c" is where the registry answers'],
    [{ invites: { purposes: { sleep: { name: 'S' } } } }, 'whose keys are absolute IRIs'],
    [{ synk: {} }, 'synk: unknown key; allowed here: baseUrl, listen,'],
    [{ write: 'open', listen: { host: '0.0.0.0' } }, 'write: "open" lets anyone who reaches 0.0.0.0 write'],
    [{ write: 'operator' }, 'write: "operator" needs the environment variable REGISTRY_OPERATOR_TOKEN'],
    [{ store: { url: 'postgres://x' } }, 'store.url: unknown key'],
    [{ store: { engine: 'mysql' } }, 'store.engine: must be one of "disk", "postgres"'],
    [
      { store: { engine: 'postgres' } },
      'store.engine: "postgres" needs the environment variable REGISTRY_STORE_URL',
    ],
    [
      {},
      'REGISTRY_STORE_URL: names a database, and store.engine is "disk"',
      { REGISTRY_STORE_URL: 'postgres://me:hunter2@db.example/registry' },
    ],
    [
      { store: { engine: 'postgres' } },
      'REGISTRY_STORE_URL: must have the form postgres://user:password@host:5432/database',
      { REGISTRY_STORE_URL: 'mysql://me:hunter2@db.example/registry' },
    ],
    [{ mode: 'mirror' }, 'peers: a mirror replicates its peers'],
    [{ mode: 'mirror', peers: ['http://a.example'], write: 'open' }, 'write: a mirror takes no writes'],
    [
      { mode: 'mirror', peers: ['http://a.example'], pods: ['http://p.example'] },
      'pods: a mirror polls no pods',
    ],
    [
      { peers: ['http://a.example', 'http://A.example/'] },
      'peers: http://A.example/ is listed more than once',
    ],
    [{ peers: ['http://localhost:3000/'] }, 'peers: http://localhost:3000/ is this node itself'],
    [
      { pods: [{ url: 'http://p.example', auth: { id: 'POD_ID', secret: 'POD_SECRET' } }] },
      'pods: http://p.example needs the environment variable POD_SECRET, which is not set',
      { POD_ID: 'x', POD_SECRET: '' },
    ],
    [{}, 'REGISTRY_LISTEN_PORT: must be a whole number from 0 to 65535', { REGISTRY_LISTEN_PORT: '3000x' }],
    [{}, 'REGISTRY_XYZZY_QUUX: no such variable; docs/operators.md', { REGISTRY_XYZZY_QUUX: 'x' }],
    [{}, `REGISTRY_PEERS[1]: ${OPEN_URL}`, { REGISTRY_PEERS: 'http://a.example,b' }],
    [{}, 'REGISTRY_PODS: must be a list of URLs of pods', { REGISTRY_PODS: '["http://a.example"' }],
    [{}, 'REGISTRY_WRITE: "operator" needs the environment variable', { REGISTRY_WRITE: 'operator' }],
    [
      {},
      'REGISTRY_OPERATOR_TOKEN: must have at least 16 characters',
      { REGISTRY_OPERATOR_TOKEN: 'too-short' },
    ],
    [[], 'node.config.json: must be a JSON object'],
  ])('in %j is told as %j with its key and what is allowed', (value, fault, env = {}) => {
    const faults = faultsOf(() => parse(value, env));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  it('hides no other: first those of single keys are told, then those of several together', () => {
    const value = {
      mode: 'mirror',
      write: 'operator',
      peers: ['http://a.example', 'http://a.example'],
      pods: [{ url: 'http://p.example', auth: { id: 'UNSET_ID', secret: 'UNSET_SECRET' } }],
    };
    const keysOf = (written: object) =>
      faultsOf(() => parse(written, { REGISTRY_SYNC_DEPTH: '1' })).map((fault) => fault.split(':')[0]);
    expect(keysOf({ ...value, listen: { port: -1, prot: 1 }, peers: ['nonsense'] })).toEqual([
      'listen.port',
      'listen.prot',
      'peers[0]',
    ]);
    expect(keysOf(value)).toEqual(['write', 'write', 'pods', 'peers', 'pods', 'pods', 'REGISTRY_SYNC_DEPTH']);
  });

  it('never repeats a secret', () => {
    const value = {
      operatorToken: 'hunter2-hunter2-hunter2',
      peers: ['http://me:hunter2@a.example'],
      pods: [{ url: 'http://p.example', auth: { id: 'ID', secret: 'hunter2' } }],
    };
    const faults = faultsOf(() => parse(value, { REGISTRY_OPERATOR_TOKEN: 'hunter2' }));
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('is printed on a line of its own', () => {
    const work = () => parse({ mode: 'x', write: 'y' });
    expect(work).toThrow(/^node\.config\.json cannot be used:\n {2}mode: .*\n {2}write: .*$/);
  });
});
