import { describe, expect, test } from 'vitest';
import { parseRdf } from '../../src/host/rdf.js';

const DOC = 'https://pod.example/data';
const JSON_LD = 'application/ld+json';
const named = JSON.stringify({ '@context': 'https://c.example/context', '@id': '#me', name: 'x' });

describe('JSON-LD', () => {
  test('that names its context, which is loaded apart', async () => {
    const loaded: string[] = [];
    const [quad] = await parseRdf(named, JSON_LD, DOC, async (url) => {
      loaded.push(url);
      return JSON.stringify({ '@context': { name: 'https://s.example/name' } });
    });
    expect(quad).toMatchObject({
      subject: { termType: 'NamedNode', value: `${DOC}#me` },
      predicate: { value: 'https://s.example/name' },
      object: { termType: 'Literal', value: 'x' },
    });
    expect(loaded).toEqual(['https://c.example/context']);
  });

  test('whose context cannot be loaded says why', async () => {
    const refuse = () => Promise.reject(new Error('not from here'));
    await expect(parseRdf(named, JSON_LD, DOC, refuse)).rejects.toMatchObject({
      reason: 'syntax',
      message: expect.stringMatching(/data is not valid application\/ld\+json: .*not from here/),
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
    const load = async () => JSON.stringify({ '@context': scoped });
    await expect(parseRdf(JSON.stringify(document), JSON_LD, DOC, load)).rejects.toThrow(
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
