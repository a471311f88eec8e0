import { describe, expect, test } from 'vitest';
import { RegistryClient } from '../../src/host/registry-client.js';

const [ONE, TWO] = ['https://one.example', 'https://two.example'] as const;

const component = (name: string, more: object = {}) => ({
  '@id': `x/${name}`,
  uri: `https://c.example/${name}.js`,
  label: name,
  shapes: [],
  ...more,
});

type Node = (path: string, headers: Headers) => Response | Promise<Response>;

/** Nodes by URL, and what they were asked, in order. */
function network(nodes: Record<string, Node>) {
  const asked: string[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    const { origin, pathname, search } = new URL(url);
    asked.push(url);
    const node = nodes[origin];
    if (!node) throw new TypeError('Failed to fetch');
    return node(pathname + search, new Headers(init?.headers));
  };
  return { nodes, asked, fetch };
}

const listing =
  (components: readonly object[], etag = '"1"'): Node =>
  (_path, headers) =>
    headers.get('if-none-match') === etag
      ? new Response(null, { status: 304 })
      : Response.json(components, { headers: { etag } });

const failing: Node = () => new Response('', { status: 503 });

function client(web: ReturnType<typeof network>, more: object = {}) {
  const clock = { now: 0 };
  const nodes = [`${ONE}/`, TWO];
  return { clock, registry: new RegistryClient({ nodes, fetch: web.fetch, now: () => clock.now, ...more }) };
}

describe('a query', () => {
  test('is a URL that is the same for the same constraints', async () => {
    const web = network({ [ONE]: listing([]) });
    const { registry } = client(web);
    await registry.query({ tag: ['a b', 'c'], latest: true });
    await registry.query({ latest: true, tag: ['a b', 'c'] });
    expect(web.asked).toEqual(Array(2).fill(`${ONE}/component?latest=true&tag=a+b&tag=c`));
  });

  test('reads plain names, lone values of other nodes, and passes over what nobody could load', async () => {
    const items = [
      component('a', { tag: 'x', latest: 'true' }),
      { uri: 'javascript:alert(1)', label: 'b' },
      null,
    ];
    const { registry } = client(network({ [ONE]: listing(items as object[]) }));
    expect(await registry.query()).toEqual([
      { uri: 'https://c.example/a.js', label: 'a', tag: ['x'], author: [], shapes: [], latest: true },
    ]);
  });

  test('answered with 304 gives what was there before', async () => {
    const web = network({ [ONE]: listing([component('a')]) });
    const { registry } = client(web);
    const first = await registry.query();
    expect(await registry.query()).toBe(first);
  });

  test('that a node refuses is not asked of the next', async () => {
    const web = network({ [ONE]: () => new Response('', { status: 422 }), [TWO]: listing([]) });
    const { registry } = client(web);
    await expect(registry.query({ tag: 'x' })).rejects.toMatchObject({ reason: 'status', status: 422 });
    expect(web.asked).toHaveLength(1);
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
    expect(web.asked.map((url) => new URL(url).origin)).toEqual([ONE, TWO, TWO]);
    expect(registry.nodes).toMatchObject([
      { url: ONE, failingSince: 0, error: expect.any(String) },
      { url: TWO },
    ]);
    clock.now += 10_000;
    await registry.query();
    expect(new URL(web.asked[3] ?? '').origin).toBe(ONE);
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
    expect(await registry.query()).toBe(before);
    await expect(registry.query({ tag: 'never asked' })).rejects.toThrow(
      /no registry node answers: https:\/\/one/,
    );
  });

  test('its tags are not shown to another', async () => {
    const seen: (string | null)[] = [];
    const web = network({ [ONE]: listing([component('a')]) });
    const { registry } = client(web);
    await registry.query();
    delete web.nodes[ONE];
    web.nodes[TWO] = (_path, headers) => {
      seen.push(headers.get('if-none-match'));
      return Response.json([]);
    };
    expect(await registry.query()).toEqual([]);
    expect(seen).toEqual([null]);
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
    [ONE]: (path) => {
      const wanted = new URL(path, ONE).searchParams.get('shapes') ?? '';
      return Response.json(all.filter(({ shapes }) => (shapes as string[]).includes(wanted)));
    },
    'https://pod.example': () =>
      new Response(`<> a <${shape.a}>, <${shape.b}>.`, { headers: { 'content-type': 'text/turtle' } }),
  });
  const { registry } = client(web);
  const found = await registry.componentsFor('https://pod.example/data');
  expect(found.map(({ label }) => label)).toEqual(['both', 'new', 'plain', 'old']);
});

test('a client without nodes is a mistake', () => {
  expect(() => new RegistryClient({ nodes: [] })).toThrow(/at least one node/);
});
