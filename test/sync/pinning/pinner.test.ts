import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Catalog } from '../../../src/catalog/catalog.js';
import type { Metadata } from '../../../src/component/metadata.js';
import { SAMPLES, type Source } from '../../../src/component/source.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import { Pinner } from '../../../src/sync/pinning/pinner.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../../support/fake-server.js';
import { door } from '../../support/guarded-doors.js';
import { component, memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { waitFor } from '../../support/wait-for.js';

const POD: Source = { kind: 'pod', url: 'https://configured.example/' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const hash = (text: string, name = 'sha384') => `${name}-${createHash(name).update(text).digest('base64')}`;
const served = (body: string, more: FakeAnswer = {}): FakeAnswer => ({
  ...more,
  body,
  headers: { 'content-type': 'text/javascript', ...more.headers },
});

let server: FakeServer;
let registry: TestRegistry;
let now: number;
let logged: string[];
/** The `after` of each part of the registry that was looked at. */
let parts: (string | undefined)[];
beforeEach(async () => {
  server = await fakeServer();
  registry = await memoryRegistry({ order: { pods: [POD.url], peers: [] } });
  now = Date.UTC(2026, 0, 1);
  logged = [];
  parts = [];
});

interface Circumstances {
  scope?: 'configured' | 'all';
  allowPrivate?: boolean;
  pool?: TaskPool;
  /** Components that are looked at in one round. */
  part?: number;
}

/** One that only does what a test asks for, in time that passes only when the test says so. */
function createPinner({ scope = 'configured', allowPrivate = true, part, pool }: Circumstances = {}) {
  const line = (_fields: object, message: string) => logged.push(message);
  const catalog: Pick<Catalog, 'page'> = {
    page: (query, { limit = 1, ...request } = {}) => {
      parts.push(request.after);
      return registry.catalog.page(query, { ...request, limit: part ?? limit });
    },
  };
  return new Pinner({
    ...{ scope, catalog, pins: registry.pins, fetch: door({ allowPrivate }), pace: systemPace },
    ...{ pool: pool ?? inProcess, log: { info: line, warn: line } },
    clock: { now: () => now, sleep: async () => undefined },
    times: { round: 1, pause: 0, check: DAY },
  });
}

const say = (source: Source, ...components: Metadata[]) => registry.say(source, components);
const one = (more: Partial<Metadata> = {}): Metadata =>
  component('one', { uri: server.url('/one.js'), version: '1.0.0', ...more });
const pinned = async (uri = server.url('/one.js')) => (await registry.catalog.statements(uri))[0]?.pin;
const conditions = () =>
  server.requests.map(({ headers }) => headers['if-none-match'] ?? headers['if-modified-since']);

describe('the bytes of a module', () => {
  test('are fetched once, and asked for again a day later, with conditions', async () => {
    await say(POD, one());
    server.on('/one.js', served('1', { etag: '"a"' }));
    const pinner = createPinner();
    for (let i = 0; i < 3; i++) await pinner.round();
    expect(await pinned()).toEqual({ integrity: hash('1') });
    expect(conditions()).toEqual([undefined]);
    const state = await registry.state();
    now += DAY;
    for (let i = 0; i < 2; i++) await pinner.round();
    expect(conditions()).toEqual([undefined, '"a"']);
    expect(await registry.state()).toBe(state);
    expect(logged).toEqual([]);
  });

  test('are looked at once more when another promise is made of them, as soon as their server answers', async () => {
    await say(POD, one());
    const found = served('1', { etag: '"a"' });
    server.on('/one.js', [found, { status: 503 }, found]);
    const pinner = createPinner();
    await pinner.round();
    now += HOUR;
    await say(POD, one({ integrity: hash('2') }));
    // What follows from the promise counts, whether or not its server answers.
    await pinner.round();
    expect(await pinned()).toEqual({ integrity: hash('1'), changed: hash('2') });
    now += HOUR;
    for (let i = 0; i < 2; i++) await pinner.round();
    await say(POD, one({ integrity: hash('1', 'sha256') }));
    for (let i = 0; i < 2; i++) await pinner.round();
    expect(await pinned()).toEqual({ integrity: hash('1', 'sha256') });
    // What the tag says is not enough where the promise is made in another algorithm.
    expect(conditions()).toEqual([undefined, '"a"', '"a"', undefined]);
  });
});

describe('a walk through all components', () => {
  const post = (name: string) => {
    server.on(`/${name}`, served(name));
    return registry.upsertLocal([component(name, { uri: server.url(`/${name}`), version: '1' })]);
  };
  const all = async () => (await registry.pins.counts()).all;

  test('goes part by part, one in each round, and forgets in the end what nobody has described for long', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await post(name);
    const seen = { source: POD, last: hash('1'), since: 0, checked: 0, unusedSince: 0 };
    await registry.setPins([{ uri: server.url('/gone.js'), ...seen }]);
    const pinner = createPinner({ part: 2 });
    for (let i = 0; i < 2; i++) await pinner.round();
    expect(await all()).toBe(5);
    await pinner.round();
    expect(await all()).toBe(5);
    await post('0');
    await pinner.round();
    expect(await all()).toBe(6);
    expect(parts).toEqual([undefined, server.url('/b'), server.url('/d'), undefined]);
  });
});

describe('what is no module', () => {
  test.each<[string, FakeAnswer, RegExp]>([
    ['empty', served(''), /the module is empty/],
    ['not there', { status: 404 }, /answers 404/],
    ['a page', { headers: { 'content-type': 'text/html' }, body: 'coming soon' }, /served as text\/html/],
    ['of no type', { body: '1' }, /without a Content-Type/],
    ['larger than 5 MB', served('x'.repeat(1_000_000), { endless: true }), /5000000/],
  ])('is not pinned: %s; the status tells why', async (_what, answer, why) => {
    await say(POD, one(), one({ uri: server.url('/two.js') }));
    server.on('/one.js', answer).on('/two.js', served('2'));
    const pinner = createPinner();
    await pinner.round();
    expect(await pinned()).toBeUndefined();
    expect(pinner.failing).toMatchObject([
      { uri: server.url('/one.js'), error: expect.stringMatching(why), at: now },
    ]);
    const [, seen] = await registry.pins.get([one(), one({ uri: server.url('/two.js') })]);
    expect(seen?.size).toBe(1);
    // Nor is it taken for a change, when the module was there before.
    server.on('/one.js', served('1'));
    now += DAY;
    await pinner.round();
    server.on('/one.js', answer);
    now += DAY;
    await pinner.round();
    expect(await pinned()).toEqual({ integrity: hash('1') });
    expect(await pinned(server.url('/two.js'))).toEqual({ integrity: hash('2') });
  });

  test('is left alone for an hour, and then for longer', async () => {
    await say(POD, one());
    const pinner = createPinner();
    const tries: number[] = [];
    for (let hour = 0; hour < 16; hour++) {
      await pinner.round();
      if (server.requests.splice(0).length > 0) tries.push(hour);
      now += HOUR;
    }
    expect(tries).toEqual([0, 1, 3, 7, 15]);
  });

  test('a module at a private address is never asked for', async () => {
    await say(POD, one());
    server.on('/one.js', served('1'));
    const pinner = createPinner({ allowPrivate: false });
    await pinner.round();
    expect(server.accepted).toBe(0);
    expect(pinner.failing).toMatchObject([{ error: expect.stringContaining('not on the public internet') }]);
  });
});

test.each([
  ['configured', ['configured', 'posted']],
  // The samples come with the software.
  ['all', ['configured', 'learned', 'posted']],
] as const)('modules are fetched of sources that are %s', async (scope, asked) => {
  const [posted, ...said] = ['posted', 'configured', 'learned', 'sample'].map((name) => {
    server.on(`/${name}`, served(name));
    return component(name, { uri: server.url(`/${name}`) });
  }) as [Metadata, ...Metadata[]];
  for (const [i, source] of [POD, LEARNED, SAMPLES].entries()) await say(source, ...said.slice(i, i + 1));
  await registry.upsertLocal([posted]);
  await createPinner({ scope }).round();
  expect(server.requests.map(({ url }) => url.slice(1)).sort()).toEqual(asked);
});

describe('servers', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => component(`m${i}`, { uri: server.url(`/m${i}.js`) }));

  test('that are down are asked once in a round, each time for another module, and keep nobody from the others', async () => {
    const down = await fakeServer();
    await say(POD, ...many(3).map((one, i) => ({ ...one, uri: down.url(`/${i}`) })), one());
    down.on('/0', { status: 503 }).on('/1', { status: 500 }).on('/2', served('2'));
    server.on('/one.js', served('1'));
    const pinner = createPinner();
    await pinner.round();
    expect(down.requests).toHaveLength(1);
    expect(await pinned()).toEqual({ integrity: hash('1') });
    // A status of one module is nothing to the others.
    await pinner.round();
    expect(down.requests.map(({ url }) => url)).toEqual(['/0', '/1', '/2']);
    expect(await pinned(down.url('/2'))).toEqual({ integrity: hash('2') });
  });

  test('of a module that this node stumbles over are asked for the others: that module alone is failing', async () => {
    await say(POD, one(), component('two', { uri: server.url('/two.js') }));
    server.on('/one.js', served('1')).on('/two.js', served('2'));
    const pool: TaskPool = {
      run: async (task, input, options) => {
        if ((input as { text: string }).text === '1') throw new TypeError('a fault of this node');
        return inProcess.run(task, input, options);
      },
    };
    const pinner = createPinner({ pool });
    await pinner.round();
    expect(pinner.failing).toMatchObject([
      { uri: server.url('/one.js'), error: expect.stringContaining('a fault of this node') },
    ]);
    expect(logged).toEqual(['this node stumbled over a module']);
    expect(await pinned(server.url('/two.js'))).toEqual({ integrity: hash('2') });
  });

  test('that say nothing do not keep others waiting', async () => {
    const servers = [server, await fakeServer()].sort((a, b) => (a.origin < b.origin ? -1 : 1));
    const [silent, other] = servers as [FakeServer, FakeServer];
    await say(POD, ...servers.map((one, i) => component(`on${i}`, { uri: one.url('/one.js') })));
    silent.on('/one.js', { hang: 'answer' });
    other.on('/one.js', served('1'));
    const pinner = createPinner();
    const round = pinner.round();
    await waitFor(() => silent.requests.length === 1 && other.requests.length === 1);
    await pinner.stop();
    await round;
  });
});

describe('a module with several files', () => {
  const file = (path: string, body: string) => {
    server.on(path, served(body));
    return { uri: server.url(path), integrity: hash(body) };
  };

  test('is pinned with all that it imports, each file once', async () => {
    await say(POD, one());
    server.on('/one.js', served("import './lib/a.js'; export * from '/b.js'; import('./lib/a.js');"));
    const a = file('/lib/a.js', "import '../b.js'; import './c.js';");
    const b = file('/b.js', "import '/one.js'; export const b = 1;");
    const c = file('/lib/c.js', 'export {};');
    await createPinner().round();
    expect(await pinned()).toEqual({ integrity: expect.any(String), files: [a, b, c] });
  });

  test('says what cannot be pinned: names of packages, what is worked out, and what cannot be had', async () => {
    await say(POD, one());
    server.on('/one.js', served("import 'lit'; import(where); import './gone.js'; import './a.js';"));
    const a = file('/a.js', 'export {};');
    server.on('/gone.js', { status: 404, body: '' });
    await createPinner().round();
    expect(await pinned()).toMatchObject({ files: [a], unpinned: ['import(…)', 'lit', './gone.js'] });
  });

  test('is looked at again with all its files, and it is told once when one of them is another, or what it was', async () => {
    await say(POD, one());
    server.on('/one.js', served("import './a.js';", { etag: '"one"' }));
    const a = file('/a.js', '1');
    const pinner = createPinner();
    const next = async (answer: FakeAnswer) => {
      server.on('/a.js', answer);
      now += DAY;
      await pinner.round();
      return (await pinned())?.files;
    };
    const [first, other] = ['1', '2'].map((body) => served(body, { etag: `"${body}"` })) as [
      FakeAnswer,
      FakeAnswer,
    ];
    const changed = { ...a, changed: hash('2') };
    expect(await next(first)).toEqual([a]);
    const state = await registry.state();
    expect(await next(first)).toEqual([a]);
    expect(await registry.state()).toBe(state);
    // What cannot be had is what it was.
    for (const answer of [other, other, { status: 500, body: '' }])
      expect(await next(answer)).toEqual([changed]);
    expect(await next(first)).toEqual([a]);
    expect(logged).toEqual([
      'the bytes of a module have changed under the same version; hosts do not run them',
      'the bytes of a module are again what they were',
    ]);
  });

  test('that imports what cannot be had is asked for so often', async () => {
    await say(POD, one());
    // Of one host, strangers can have 60 things asked at once.
    const hosts = [server, await fakeServer()];
    const imports = Array.from(
      { length: 3_000 },
      (_, i) => `import '${hosts[i % 2]?.url(`/gone-${i}.js`)}';`,
    );
    server.on('/one.js', served(imports.join('')));
    await createPinner().round();
    // The module itself, and 64 files.
    expect(hosts.flatMap(({ requests }) => requests)).toHaveLength(65);
    expect((await pinned())?.unpinned).toHaveLength(10);
  });

  test('takes its own time, and no more: what is slow beyond it is not pinned', async () => {
    await say(POD, one());
    server.on('/one.js', served("import './a.js'; import './b.js'; import './c.js';"));
    const a = file('/a.js', 'export {};');
    server.on('/b.js', () => {
      now += 60_000;
      return served('export {};');
    });
    file('/c.js', 'export {};');
    await createPinner().round();
    expect(await pinned()).toMatchObject({ files: [a, { uri: server.url('/b.js') }], unpinned: ['./c.js'] });
  });

  test('stays alone where nobody imports it: an application that is opened by links', async () => {
    const invocation = [{ type: 'ac:UriTemplateInvocation' as const, template: '#open={open}' }];
    await say(POD, one({ capability: [{ action: 'odrl:display', invocation }] }));
    await createPinner().round();
    expect(server.requests).toEqual([]);
  });
});
