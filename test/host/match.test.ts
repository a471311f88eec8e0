import { afterEach, describe, expect, test, vi } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import { RegistryClient } from '../../src/host/registry-client.js';
import { createTestApp, component as described } from '../acceptance/adapters/registry-app.js';

const NODE = 'https://node.example';
const DATA = 'https://data.example/ann';
const SHAPES = 'https://shapes.example/person.ttl';
const FOAF = 'http://xmlns.com/foaf/0.1/';

const TURTLE = `@prefix foaf: <${FOAF}>. @prefix schema: <http://schema.org/>.
<#me> a foaf:Person, schema:Person; foaf:name "Ann Secret"; foaf:mbox <mailto:ann@secret.example>; schema:birthDate "1990-05-17".`;
const SHACL = `@prefix sh: <http://www.w3.org/ns/shacl#>. @prefix foaf: <${FOAF}>. @prefix schema: <https://schema.org/>.
<#Named> a sh:NodeShape; sh:targetClass foaf:Person; sh:property [ sh:path foaf:name; sh:minCount 1 ], [ sh:path schema:birthDate; sh:minCount 1 ].
<#Known> a sh:NodeShape; sh:property [ sh:path foaf:knows; sh:minCount 1 ].`;

const turtle = (text: string) => new Response(text, { headers: { 'content-type': 'text/turtle' } });

/** A client whose nodes are: the app of a node, and one of another make, which knows no matches. */
async function world(nodes: readonly string[] = [NODE]) {
  const { app, registry } = await createTestApp();
  const asked: { url: string; body: string }[] = [];
  const fetch = async (url: string, init: RequestInit = {}) => {
    if (url === DATA) return turtle(TURTLE);
    asked.push({ url, body: String(init.body) });
    const { origin, pathname } = new URL(url);
    if (origin !== NODE && pathname === '/match') return new Response('', { status: 404 });
    return app.request(pathname, init);
  };
  // The documents of shapes are read by the page itself, without the session's fetch.
  vi.stubGlobal('fetch', async (url: string) =>
    url === SHAPES ? turtle(SHACL) : new Response('', { status: 404 }),
  );
  const client = new RegistryClient({ nodes: [...nodes], fetch });
  return { asked, client, registry };
}

const withShape = (name: string, shape: string) =>
  described(`https://c.example/${name}.js`, {
    label: name,
    shapes: [`${FOAF}Person`],
    capability: [{ resourceType: [`${FOAF}Person`], shape: [shape] }],
  });

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('matches of a resource', () => {
  test('say why, and what is missing; the node hears no value', async () => {
    const { asked, client, registry } = await world();
    await registry.upsertLocal([
      described('https://c.example/person.js', { label: 'Person', shapes: [`${FOAF}Person`] }),
      described('https://c.example/any.js', {
        label: 'Anything',
        shapes: ['http://www.w3.org/2000/01/rdf-schema#Resource'],
      }),
    ]);
    const { matches } = await client.match(DATA);
    expect(matches.map(({ label, reasons }) => [label, reasons[0]?.code])).toEqual([
      ['Person', 'class'],
      ['Anything', 'generic'],
    ]);
    expect(matches[0]).toMatchObject({
      because: { shapes: [`${FOAF}Person`], trust: 'own' },
      missing: { types: ['http://schema.org/Person'], predicates: ['http://schema.org/birthDate'] },
    });
    expect(asked.map(({ url }) => url)).toEqual([`${NODE}/match`]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      types: [`${FOAF}Person`, 'http://schema.org/Person'],
      shapes: [],
      predicates: [
        'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
        `${FOAF}name`,
        `${FOAF}mbox`,
        'http://schema.org/birthDate',
      ],
      mediaType: 'text/turtle',
      trust: 'configured',
      limit: 100,
    });
    expect(asked[0]?.body).not.toMatch(/secret|1990/i);
  });

  test('are checked against their shapes in the page; what does not conform goes back', async () => {
    const { client, registry } = await world();
    await registry.upsertLocal([
      withShape('Broken', 'https://gone.example/shape'),
      withShape('Known', `${SHAPES}#Known`),
      withShape('Named', `${SHAPES}#Named`),
    ]);
    const { matches } = await client.match(DATA);
    expect(matches.map(({ label, conforms }) => [label, conforms])).toEqual([
      ['Broken', undefined],
      ['Named', true],
      ['Known', false],
    ]);
    expect(matches[1]?.reasons.at(-1)).toEqual({ code: 'conforms', text: 'the data conforms to its shape' });
    expect(matches[1]?.missing?.predicates).toEqual([`${FOAF}mbox`]);
    expect(matches[2]?.reasons.at(-1)?.text).toBe(`the data differs from its shape in ${FOAF}knows`);
  });

  test('that no host could run stay last, whether or not the others conform', async () => {
    const { client, registry } = await world();
    const gone = { ...withShape('Gone', `${SHAPES}#Named`), version: '1.0.0' };
    await registry.upsertLocal([gone, withShape('Known', `${SHAPES}#Known`)]);
    const seen = {
      uri: gone.uri,
      version: '1.0.0',
      source: LOCAL,
      document: LOCAL.url,
      since: 1,
      checked: 1,
    };
    await registry.pins.change(
      [{ ...seen, first: 'sha384-a', last: 'sha384-b', changedAt: 1 }],
      (one) => one,
    );
    const { matches } = await client.match(DATA);
    expect(matches.map(({ label }) => label)).toEqual(['Known', 'Gone']);
  });

  test('come from the first node that can say it, and else from queries', async () => {
    const other = 'https://other.example';
    const { asked, client, registry } = await world([other, NODE]);
    await registry.upsertLocal([
      described('https://c.example/person.js', { label: 'Person', shapes: [`${FOAF}Person`] }),
    ]);
    expect((await client.match(DATA)).matches[0]?.reasons[0]?.code).toBe('class');
    expect(asked.map(({ url }) => url)).toEqual([`${other}/match`, `${NODE}/match`]);
    expect(client.nodes.every(({ error }) => error === undefined)).toBe(true);
    const alone = await world([other]);
    await alone.registry.upsertLocal([
      described('https://c.example/person.js', { label: 'Person', shapes: [`${FOAF}Person`] }),
    ]);
    const { matches } = await alone.client.match(DATA);
    expect(matches.map(({ label, reasons }) => [label, reasons])).toEqual([['Person', []]]);
  });
});
