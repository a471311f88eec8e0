import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseRdf } from '../../src/host/rdf.js';

const DOC = 'https://pod.example/data';
const JSON_LD = 'application/ld+json';
const named = JSON.stringify({ '@context': 'https://c.example/context', '@id': '#me', name: 'x' });

/** Whatever is asked for is this context. @returns what was */
function serving(context: object): string[] {
  const loaded: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    loaded.push(url);
    return Response.json(context, { headers: { 'content-type': JSON_LD } });
  });
  return loaded;
}
afterEach(() => vi.unstubAllGlobals());

describe('JSON-LD', () => {
  test('that names its context, which is loaded apart', async () => {
    const loaded = serving({ '@context': { name: 'https://s.example/name' } });
    const [quad] = await parseRdf(named, JSON_LD, DOC);
    expect(quad).toMatchObject({
      subject: { termType: 'NamedNode', value: `${DOC}#me` },
      predicate: { value: 'https://s.example/name' },
      object: { termType: 'Literal', value: 'x' },
    });
    expect(loaded).toEqual(['https://c.example/context']);
  });

  test('whose context cannot be loaded says why', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
    await expect(parseRdf(named, JSON_LD, DOC)).rejects.toMatchObject({
      reason: 'syntax',
      message: expect.stringMatching(/data is not valid application\/ld\+json: .*answered with 404/),
    });
  });

  /** A context with so many contexts that belong to one term each. */
  const scoped = Object.fromEntries(
    Array.from({ length: 17 }, (_, i) => [`t${i}`, { '@id': `urn:${i}`, '@context': { a: 'urn:a' } }]),
  );
  test.each([
    ['by itself', { '@context': scoped }],
    ['with a context that it names', { '@context': 'https://c.example/other', a: 'x' }],
  ])('that would take too long to expand, %s, is refused', async (_how, document) => {
    serving({ '@context': scoped });
    await expect(parseRdf(JSON.stringify(document), JSON_LD, DOC)).rejects.toThrow(
      /takes too long to expand/,
    );
  });

  test('has blank nodes and named graphs, as other formats have', async () => {
    const text = JSON.stringify({ '@id': 'urn:g', '@graph': [{ 'urn:p': [{ '@id': '_:a' }] }] });
    const [quad] = await parseRdf(text, JSON_LD, DOC);
    expect([quad?.graph.value, quad?.subject.termType, quad?.object.termType]).toEqual([
      'urn:g',
      'BlankNode',
      'BlankNode',
    ]);
  });
});

test.each([
  ['text/html', /is text\/html; quads are read from text\/turtle, .*application\/ld\+json/],
  ['', /is of no type/],
])('other formats are named: %j', async (type, message) => {
  await expect(parseRdf('', type, DOC)).rejects.toThrow(message);
});
