import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import type { Constraints } from '../../src/host/component-metadata.js';
import { type MatchOptions, RegistryClient } from '../../src/host/registry-client.js';
import { createTestApp, component as described } from '../acceptance/adapters/registry-app.js';
import { postJson } from '../support/node/post-json.js';

const [ONE, TWO, OWN] = ['https://one.example', 'https://two.example', 'https://node.example'] as const;
const [DATA, SHAPES] = ['https://data.example/ann', 'https://shapes.example/person.ttl'] as const;
const FOAF = 'http://xmlns.com/foaf/0.1/';
const PERSON = `${FOAF}Person`;
const SOURCE = { url: 'https://ann.example/', kind: 'pod', trust: 'configured' };

const turtle = (body: string) => new Response(body, { headers: { 'content-type': 'text/turtle' } });
const uriOf = (name: string) => `https://c.example/${name}.js`;
const component = (name: string, more: object = {}) => ({
  ...{ uri: uriOf(name), label: name, shapes: [PERSON] },
  ...more,
});

type Node = (body: Record<string, unknown>, path: string) => Response | Promise<Response>;

/** Nodes of other makes, which know no matches; what they were asked; and a client of them. */
function network(nodes: Record<string, Node>, data = `<> a <${PERSON}>.`) {
  const asked: { origin: string; path: string; body: unknown; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit = {}) => {
    if (url === DATA) return turtle(data);
    const { origin, pathname: path, searchParams } = new URL(url);
    const body = init.body === undefined ? constraintsIn(searchParams) : JSON.parse(String(init.body));
    asked.push({ origin, path, body, init });
    const node = nodes[origin];
    if (!node) throw new TypeError('Failed to fetch');
    return node(body, path);
  };
  const client = (more: object = {}) => new RegistryClient({ nodes: [`${ONE}/`, TWO], fetch, ...more });
  return { nodes, asked, client };
}
const listing =
  (...components: readonly object[]): Node =>
  (_body, path) =>
    path === '/match' ? new Response('', { status: 404 }) : Response.json(components);
const constraintsIn = (parameters: URLSearchParams) =>
  Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
const failing: Node = () => new Response('', { status: 503 });
const labels = (found: readonly { label: string }[]) => found.map(({ label }) => label);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** One constraint of each type. */
const RICH = { tag: ['a b', 'c'], version: '^1.0.0', trust: 'own', latest: true } as const;

describe('a query', () => {
  test.each<[Constraints, object]>([
    // Nodes of other makes know no prefixes.
    [{ shapes: 'foaf:Person' }, { shapes: [PERSON] }],
    [RICH, RICH],
    [{ shapes: [] }, {}],
  ])('%j is sent as %j, without credentials, and asks for one media type', async (constraints, body) => {
    const web = network({ [ONE]: listing(component('without a source')) });
    const client = web.client();
    await client.query(constraints);
    await client.query(constraints);
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const init = { method: 'POST', credentials: 'omit', headers };
    const asked = { path: '/component/query', body, init };
    // By its answer to the first request, the node is known as one of another make.
    expect(web.asked).toMatchObject([{ path: '/component', init: { credentials: 'omit' } }, asked, asked]);
  });

  test('is asked by a URL, so that browsers reuse the answer, unless that would be too long', async () => {
    const web = network({ [ONE]: listing(component('a', { source: SOURCE })) });
    const client = web.client();
    await client.query({ tag: ['a b', 'c'], latest: true, shapes: 'foaf:Person' });
    const [{ init, ...asked } = { init: {} }] = web.asked;
    expect(asked).toMatchObject({
      path: '/component',
      body: { tag: ['a b', 'c'], latest: ['true'], shapes: [PERSON] },
    });
    // A request without anything else goes to another origin without a preflight.
    expect(init).toMatchObject({ headers: { accept: 'application/json' } });
    expect(init.method).toBeUndefined();
    await client.query({ tag: 'x'.repeat(2_000) });
    expect(web.asked[1]).toMatchObject({ path: '/component/query' });
  });

  test.each<[Constraints, boolean]>([
    [{ shapes: ['https://s.example/B'] }, true],
    [{ shapes: ['https://s.example/B', 'https://s.example/C'] }, false],
    // Everything else is the node's to judge.
    [{ label: 'other' }, true],
  ])('%j: %s of a component that the node did not filter', async (constraints, isFound) => {
    const rich = component('rich', { shapes: ['https://s.example/A', 'https://s.example/B'] });
    const { client } = network({ [ONE]: listing(rich) });
    expect(await client().query(constraints)).toHaveLength(isFound ? 1 : 0);
  });

  test('that a node refuses is asked of the next, and the node keeps its place', async () => {
    const web = network({ [ONE]: () => new Response('', { status: 422 }), [TWO]: listing(component('a')) });
    const client = web.client();
    expect(await client.query({ label: 'a' })).toHaveLength(1);
    web.nodes[TWO] = () => new Response('', { status: 400 });
    await expect(client.query({ tag: 'x' })).rejects.toMatchObject({ reason: 'status', status: 422 });
  });
});

describe('when a node fails', () => {
  test.each<[string, Node | undefined]>([
    ['is unreachable', undefined],
    ['answers 503', failing],
    ['sends a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['sends no list', () => Response.json({ links: {} })],
  ])('because it %s, the next one is asked, and first from then on', async (_why, node) => {
    const { client, asked } = network({
      ...(node ? { [ONE]: node } : {}),
      [TWO]: listing(component('a', { source: SOURCE })),
    });
    const registry = client();
    const origins = () => [...new Set(asked.splice(0).map(({ origin }) => origin))];
    expect(await registry.query()).toHaveLength(1);
    expect(origins()).toEqual([ONE, TWO]);
    await registry.query();
    expect(origins()).toEqual([TWO]);
    vi.setSystemTime(30_000);
    await registry.query();
    expect(origins()).toEqual([ONE, TWO]);
  });

  test('and all others too, the last good answer is given; the least recently used is forgotten', async () => {
    const { nodes, client } = network({ [ONE]: listing(component('a')) });
    const registry = client();
    for (let i = 0; i <= 100; i++) await registry.query({ tag: `tag ${i}` });
    delete nodes[ONE];
    for (const i of [1, 100]) expect(labels(await registry.query({ tag: `tag ${i}` }))).toEqual(['a']);
    await expect(registry.query({ tag: 'tag 0' })).rejects.toThrow(/no registry node answers: https:\/\/one/);
  });
});

test('a node that is asked too much is asked once; one that sent a page is asked by URL again after a while', async () => {
  const web = network({
    [ONE]: () => new Response('', { status: 429 }),
    [TWO]: () => new Response('<html>'),
  });
  const paths = () => web.asked.splice(0).map(({ origin, path }) => origin + path);
  const client = web.client();
  await expect(client.query()).rejects.toThrow();
  expect(paths()).toEqual([`${ONE}/component`, `${TWO}/component`, `${TWO}/component/query`]);
  vi.setSystemTime(600_000);
  await expect(client.query()).rejects.toThrow();
  expect(paths()).toContain(`${TWO}/component`);
});

describe('from nodes of other makes', () => {
  test.each<[string, () => Response]>([
    ['fails', () => new Response('', { status: 500 })],
    ['is no list', () => new Response('<html>')],
  ])('components come though all that is listed %s', async (_what, list) => {
    const node: Node = (body, path) => (path === '/component' ? list() : listing(component('a'))(body, path));
    const { client } = network({ [ONE]: node });
    expect(labels(await client().query({ tag: 'x' }))).toEqual(['a']);
  });

  test('the spellings of schema.org are one shape', async () => {
    const stored = ['http', 'https'].map((scheme) =>
      component(scheme, { shapes: [`${scheme}://schema.org/Person`] }),
    );
    const node: Node = (body, path) => {
      const [wanted] = (body.shapes as string[] | undefined) ?? [];
      return listing(...stored.filter(({ shapes: [shape] }) => shape === wanted))(body, path);
    };
    const { client } = network({ [ONE]: node }, '<> a <http://schema.org/Person>.');
    expect(labels(await client().componentsFor(DATA)).sort()).toEqual(['http', 'https']);
  });

  test('all are trusted as what the page has named: the node itself is the source', async () => {
    const { client } = network({ [ONE]: listing(component('Card')) });
    const found = (options: MatchOptions) => client().componentsFor(DATA, options);
    expect(await found({})).toHaveLength(1);
    expect(labels(await found({ sources: [ONE] }))).toEqual(['Card']);
    expect(await found({ trust: 'own' })).toEqual([]);
  });
});

describe('whom a page listens to', () => {
  const from = (trust: string, url: string, kind = 'pod') => ({ source: { url, kind, trust } });
  const node = listing(
    component('AAA', from('learned', 'https://stranger.example/')),
    component('Card', from('configured', 'https://ann.example/')),
    component('Own', from('own', 'urn:registry:local', 'local')),
  );
  test.each<[MatchOptions, string[]]>([
    [{}, ['Card', 'Own']],
    [{ trust: 'own' }, ['Own']],
    [{ trust: 'any' }, ['AAA', 'Card', 'Own']],
    [{ sources: ['https://stranger.example'] }, ['AAA']],
    [{ sources: ['https://stranger.example/'], trust: 'configured' }, []],
    [{ sources: ['HTTPS://ann.example:443/', `${ONE}/`] }, ['Card', 'Own']],
    [{ sources: [] }, []],
  ])('%j: %j', async (options, expected) => {
    const { client } = network({ [ONE]: node });
    expect(labels(await client().match(DATA, options))).toEqual(expected);
  });

  test('a trust that there is not, and a client without nodes, are mistakes', async () => {
    const { client } = network({ [ONE]: node });
    const found = client().match(DATA, { trust: 'learned' as 'any' });
    await expect(found).rejects.toThrow('no trust learned; there are own, configured, any');
    expect(() => new RegistryClient({ nodes: [] })).toThrow(/at least one node/);
  });
});

describe('what a node of ours says that fits', () => {
  const TURTLE = `@prefix foaf: <${FOAF}>. @prefix schema: <http://schema.org/>.
<#me> a foaf:Person, schema:Person; foaf:name "Ann Secret"; foaf:mbox <mailto:ann@secret.example>; schema:birthDate "1990-05-17".`;
  const SHACL = `@prefix sh: <http://www.w3.org/ns/shacl#>. @prefix foaf: <${FOAF}>. @prefix schema: <https://schema.org/>.
<#Named> a sh:NodeShape; sh:targetClass foaf:Person; sh:property [ sh:path foaf:name; sh:minCount 1 ], [ sh:path schema:birthDate; sh:minCount 1 ].
<#Known> a sh:NodeShape; sh:property [ sh:path foaf:knows; sh:minCount 1 ].`;

  /** The app of a node that has these components, behind a node of another make. */
  async function world(components: Parameters<typeof described>[]) {
    const { app, registry } = await createTestApp();
    await registry.upsertLocal(components.map((one) => described(...one)));
    // The documents of shapes are read by the page itself, without the session's fetch.
    vi.stubGlobal('fetch', async (url: string) =>
      url === SHAPES ? turtle(SHACL) : new Response('', { status: 404 }),
    );
    const own: Node = (body, path) => app.request(path, postJson(body));
    const web = network({ [ONE]: listing(), [OWN]: own }, TURTLE);
    return { ...web, registry, client: web.client({ nodes: [ONE, OWN] }) };
  }
  const withShape = (name: string, shape: string): Parameters<typeof described> => [
    uriOf(name),
    { label: name, shapes: [PERSON], capability: [{ resourceType: [PERSON], shape: [shape] }] },
  ];

  test('has reasons, and what is missing; the node hears no value, and one of another make keeps its place', async () => {
    const anything = ['http://www.w3.org/2000/01/rdf-schema#Resource'];
    const { asked, client } = await world([
      [uriOf('person'), { label: 'Person', shapes: [PERSON] }],
      [uriOf('any'), { label: 'Anything', shapes: anything }],
    ]);
    const matches = await client.match(DATA);
    expect(matches.map(({ label, reasons }) => [label, reasons[0]?.code])).toEqual([
      ['Person', 'class'],
      ['Anything', 'generic'],
    ]);
    expect(matches[0]).toMatchObject({
      shown: [PERSON],
      missing: { types: ['https://schema.org/Person'], predicates: ['https://schema.org/birthDate'] },
    });
    expect(asked.map(({ origin, path }) => origin + path)).toEqual([`${ONE}/match`, `${OWN}/match`]);
    const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
    expect(asked[0]?.body).toEqual({
      types: [PERSON, 'http://schema.org/Person'],
      shapes: [],
      predicates: [`${rdf}type`, `${FOAF}name`, `${FOAF}mbox`, 'http://schema.org/birthDate'],
      mediaType: 'text/turtle',
      trust: 'configured',
      limit: 100,
    });
  });

  test('is checked against its shapes in the page; what does not conform goes back', async () => {
    const { client, registry } = await world([
      withShape('Broken', 'https://gone.example/shape'),
      withShape('Gone', `${SHAPES}#Named`),
      withShape('Known', `${SHAPES}#Known`),
      withShape('Named', `${SHAPES}#Named`),
    ]);
    const seen = { uri: uriOf('Gone'), source: LOCAL, since: 1, checked: 1 };
    await registry.setPins([{ ...seen, first: 'sha384-a', last: 'sha384-b', changedAt: 1 }]);
    const matches = await client.match(DATA);
    expect(matches.map(({ label, conforms }) => [label, conforms])).toEqual([
      ['Broken', undefined],
      ['Named', true],
      ['Gone', true],
      ['Known', false],
    ]);
    const said = matches.map(({ reasons, missing }) => [reasons.at(-1)?.text, missing?.predicates]);
    expect(said[1]).toEqual(['the data conforms to its shape', [`${FOAF}mbox`]]);
    expect(said[3]?.[0]).toBe(`the data differs from its shape in ${FOAF}knows`);
  });
});
