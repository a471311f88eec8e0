import { describe, expect, test } from 'vitest';
import type { Constraints } from '../../src/host/component-metadata.js';
import { RegistryClient } from '../../src/host/registry-client.js';

const [ONE, TWO] = ['https://one.example', 'https://two.example'] as const;

const component = (name: string, more: object = {}) => ({
  '@id': `x/${name}`,
  uri: `https://c.example/${name}.js`,
  label: name,
  shapes: [],
  ...more,
});

type Node = (body: Record<string, unknown>, request: Request) => Response | Promise<Response>;

/** Nodes by URL, and what they were asked, in order. */
function network(nodes: Record<string, Node>) {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    const { origin } = new URL(url);
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    const node = nodes[origin];
    if (!node) throw new TypeError('Failed to fetch');
    const request = new Request(url, init);
    const body = request.method === 'POST' ? await request.clone().json() : {};
    bodies.push(body);
    return node(body, request);
  };
  return { nodes, asked, bodies, fetch };
}

const listing =
  (components: readonly object[]): Node =>
  () =>
    Response.json(components);

const origin = (asked = '') => new URL(asked.replace(/^\w+ /, '')).origin;

const failing: Node = () => new Response('', { status: 503 });

function client(web: ReturnType<typeof network>, more: object = {}) {
  const clock = { now: 0 };
  const nodes = [`${ONE}/`, TWO];
  return { clock, registry: new RegistryClient({ nodes, fetch: web.fetch, now: () => clock.now, ...more }) };
}

describe('a query', () => {
  test('is what the specification has, and asks for one media type', async () => {
    const seen: Request[] = [];
    const web = network({
      [ONE]: (_body, request) => {
        seen.push(request);
        return Response.json([]);
      },
    });
    await client(web).registry.query({ tag: 'a' });
    expect(web.asked).toEqual([`POST ${ONE}/component/query`]);
    expect(seen[0]?.headers.get('accept')).toBe('application/json');
    expect(seen[0]?.headers.get('content-type')).toBe('application/json');
    expect(seen[0]?.credentials).toBe('omit');
  });

  test.each<[Constraints, object]>([
    [{ shapes: 'https://s.example/A' }, { shapes: ['https://s.example/A'] }],
    // Nodes of other makes know no prefixes.
    [{ shapes: 'foaf:Person' }, { shapes: ['http://xmlns.com/foaf/0.1/Person'] }],
    [
      { tag: ['a b', 'c'], author: 'Ann', version: '^1.0.0', q: 'profile', trust: 'own', latest: true },
      { tag: ['a b', 'c'], author: 'Ann', version: '^1.0.0', q: 'profile', trust: 'own', latest: true },
    ],
    [{ shapes: [] }, {}],
  ])('%j is sent as %j', async (constraints, body) => {
    const web = network({ [ONE]: listing([]) });
    await client(web).registry.query(constraints);
    expect(web.bodies).toEqual([body]);
  });

  test.each<[Constraints, boolean]>([
    [{ shapes: ['https://s.example/B'] }, true],
    [{ shapes: ['https://s.example/B', 'https://s.example/C'] }, false],
    // Everything else is the node's to judge.
    [{ label: 'other' }, true],
  ])('%j: %s of a component that the node did not filter', async (constraints, found) => {
    const rich = component('rich', { shapes: ['https://s.example/A', 'https://s.example/B'] });
    const { registry } = client(network({ [ONE]: listing([rich]) }));
    expect((await registry.query(constraints)).map(({ label }) => label)).toEqual(found ? ['rich'] : []);
  });

  test('is in the order of the uris, whatever that of the node is', async () => {
    const { registry } = client(network({ [ONE]: listing([component('b'), component('a')]) }));
    expect((await registry.query()).map(({ label }) => label)).toEqual(['a', 'b']);
  });

  test('that a node refuses is asked of the next, and the node keeps its place', async () => {
    const web = network({ [ONE]: () => new Response('', { status: 422 }), [TWO]: listing([component('a')]) });
    const { registry } = client(web);
    expect(await registry.query({ label: 'a' })).toHaveLength(1);
    expect(registry.nodes).toEqual([{ url: ONE }, { url: TWO }]);
    web.nodes[TWO] = () => new Response('', { status: 400 });
    await expect(registry.query({ tag: 'x' })).rejects.toMatchObject({ reason: 'status', status: 422 });
  });
});

describe('when a node fails', () => {
  test.each<[string, Node | undefined]>([
    ['is unreachable', undefined],
    ['answers 503', failing],
    ['sends a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['sends no list', () => Response.json({ links: {} })],
  ])('because it %s, the next one is asked, and first from then on', async (_why, node) => {
    const web = network({ ...(node ? { [ONE]: node } : {}), [TWO]: listing([component('a')]) });
    const { registry, clock } = client(web);
    expect(await registry.query()).toHaveLength(1);
    await registry.query();
    expect(web.asked.map(origin)).toEqual([ONE, TWO, TWO]);
    expect(registry.nodes).toMatchObject([
      { url: ONE, failingSince: 0, error: expect.any(String) },
      { url: TWO },
    ]);
    clock.now += 10_000;
    await registry.query();
    expect(origin(web.asked[3])).toBe(ONE);
  });

  test('again and again, it is left alone for longer, but five minutes at most', async () => {
    const web = network({ [ONE]: failing, [TWO]: listing([]) });
    const { registry, clock } = client(web);
    const rests: number[] = [];
    for (let failure = 1; failure <= 7; failure++) {
      await registry.query();
      web.asked.length = 0;
      const before = clock.now;
      while (web.asked[0] === undefined || origin(web.asked[0]) === TWO) {
        web.asked.length = 0;
        clock.now += 5_000;
        await registry.query();
      }
      rests.push(clock.now - before);
    }
    expect(rests).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  test('and comes back, it is preferred again', async () => {
    const web = network({ [ONE]: failing, [TWO]: listing([]) });
    const { registry, clock } = client(web);
    await registry.query();
    web.nodes[ONE] = listing([component('a')]);
    clock.now += 10_000;
    expect(await registry.query()).toHaveLength(1);
    expect(registry.nodes).toEqual([{ url: ONE }, { url: TWO }]);
  });

  test('and all others too, the last good answer is given', async () => {
    const web = network({ [ONE]: listing([component('a')]) });
    const { registry } = client(web);
    const before = await registry.query();
    delete web.nodes[ONE];
    expect(await registry.query()).toEqual(before);
    await expect(registry.query({ tag: 'never asked' })).rejects.toThrow(
      /no registry node answers: https:\/\/one/,
    );
  });
});

test('no more answers are kept than allowed, the least recently used goes', async () => {
  const web = network({ [ONE]: listing([]) });
  const { registry } = client(web, { maxAnswers: 2 });
  for (const tag of ['a', 'b', 'a', 'c']) await registry.query({ tag });
  delete web.nodes[ONE];
  await registry.query({ tag: 'a' });
  await registry.query({ tag: 'c' });
  await expect(registry.query({ tag: 'b' })).rejects.toThrow(/no registry node answers/);
});

test('components for a resource: those that know more of its shapes first, then the latest', async () => {
  const shape = { a: 'https://s.example/A', b: 'https://s.example/B' };
  const all = [
    component('old', { shapes: [shape.a], latest: false }),
    component('plain', { shapes: [shape.a] }),
    component('new', { shapes: [shape.a], latest: true }),
    component('both', { shapes: [shape.a, shape.b] }),
  ];
  const web = network({
    [ONE]: listing(all),
    'https://pod.example': () =>
      new Response(`<> a <${shape.a}>, <${shape.b}>.`, { headers: { 'content-type': 'text/turtle' } }),
  });
  const { registry } = client(web);
  const found = await registry.componentsFor('https://pod.example/data');
  expect(found.map(({ label }) => label)).toEqual(['both', 'new', 'plain', 'old']);
});

test('components for a profile document are offered when there is none for what it is about', async () => {
  const FOAF = 'http://xmlns.com/foaf/0.1/';
  const profile = component('profile', { shapes: [`${FOAF}PersonalProfileDocument`] });
  const person = component('person', { shapes: [`${FOAF}Person`] });
  const both = component('both', { shapes: [`${FOAF}PersonalProfileDocument`, `${FOAF}Person`] });
  const found = async (...all: object[]) => {
    const web = network({
      [ONE]: listing(all),
      'https://pod.example': () =>
        new Response(
          `<> a <${FOAF}PersonalProfileDocument>; <${FOAF}primaryTopic> <#me>. <#me> a <${FOAF}Person>.`,
          { headers: { 'content-type': 'text/turtle' } },
        ),
    });
    const components = await client(web).registry.componentsFor('https://pod.example/card#me');
    return components.map(({ label }) => label);
  };
  expect(await found(profile)).toEqual(['profile']);
  expect(await found(profile, person)).toEqual(['person']);
  // One shape more of the document is no reason to come first.
  expect(await found(profile, both, person)).toEqual(['both', 'person']);
  expect(await found()).toEqual([]);
});

test('a client without nodes is a mistake', () => {
  expect(() => new RegistryClient({ nodes: [] })).toThrow(/at least one node/);
});
