import { describe, expect, it } from 'vitest';
import { parsedAs } from '../../../src/component/rdf/parsed-as.js';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../../src/component/reading/descriptions.js';
import { MalformedInput } from '../../../src/lib/faults.js';
import { VOCABULARY } from '../../support/registry.js';

const baseIri = 'https://pod.example/dir/doc';
const parse = (text: string, mediaType = 'text/turtle', strict = false) =>
  parseRdf({ text, mediaType, baseIri, namespace: VOCABULARY.namespace, strict });

describe('parsing RDF', () => {
  it('resolves relative IRIs against where the text was read', async () => {
    const [quad] = await parse('<#me> <../p> <.>.');
    expect([quad?.subject.value, quad?.predicate.value, quad?.object.value]).toEqual([
      'https://pod.example/dir/doc#me',
      'https://pod.example/p',
      'https://pod.example/dir/',
    ]);
    const [inJson] = await parse('{"@id":"#me","http://p":{"@id":"x"}}', 'application/ld+json');
    expect([inJson?.subject.value, inJson?.object.value]).toEqual([
      'https://pod.example/dir/doc#me',
      'https://pod.example/dir/x',
    ]);
  });

  it.each([
    ['cut Turtle', '<a> <b> "c', 'text/turtle', /Unexpected “"c” on line 1$/],
    ['Turtle without its last dot', '<a> <b> "c"', 'text/turtle', /Expected punctuation/],
    ['an undefined prefix', 'x:a x:b x:c.', 'text/turtle', /prefix/i],
    ['a named graph in Turtle', '<g> { <a> <b> <c> }', 'text/turtle', /./],
    ['quoted triples', '<a> <b> << <c> <d> <e> >>.', 'text/turtle', /./],
    ['HTML', '<!doctype html><p>not found', 'text/turtle', /./],
    ['cut JSON', '{"@id": ', 'application/ld+json', /Not JSON/],
    [
      'a remote context',
      '{"@context":"https://evil.example/c","a":1}',
      'application/ld+json',
      /evil\.example.*not fetched/,
    ],
    [
      'a context on this machine',
      '{"@context":"http://127.0.0.1/c","a":1}',
      'application/ld+json',
      /not fetched/,
    ],
    ['an invalid keyword', '{"@id": 3}', 'application/ld+json', /JSON-LD/],
  ])('refuses %s, and says why', async (_name, text, mediaType, why) => {
    const failure = await parse(text, mediaType).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MalformedInput);
    expect((failure as Error).message).toMatch(why);
  });

  it('refuses contexts that copy many terms, but neither many terms nor many contexts alone', async () => {
    const terms = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 'e:t']));
    const inContexts = (outer: number, contexts: number, around = (one: object): unknown => one) => {
      const nodes = Array.from({ length: contexts }, () => ({ '@context': { u: 'e:u' }, u: 'x' }));
      const document = { '@context': around(terms(outer)), '@graph': nodes };
      return parse(JSON.stringify(document), 'application/ld+json');
    };
    for (const [outer, contexts] of [
      [16_000, 1],
      [1, 2_000],
    ] as const)
      expect(await inContexts(outer, contexts)).toHaveLength(contexts);
    expect(await inContexts(2_500, 2_500, (one) => [one, null])).toHaveLength(2_500);
    for (const around of [(one: object) => one, (one: object) => [{}, one]])
      await expect(inContexts(2_500, 2_500, around)).rejects.toThrow('copy more than 5000000 terms');
  });

  it('knows the context of its own vocabulary', async () => {
    const said = { label: 'A', latest: true, shapes: ['http://s.example/S'] };
    const named = { '@context': 'http://semcom.digita.ai/voc', '@id': 'https://c.example/a.js' };
    const text = JSON.stringify({ ...named, '@type': 'component', ...said });
    const { components } = componentsFromQuads(await parse(text, 'application/ld+json'), VOCABULARY);
    expect(components).toMatchObject([{ uri: 'https://c.example/a.js', ...said }]);
  });

  it('expands long lists of JSON-LD in portions, and keeps blank nodes apart', async () => {
    const nodes = Array.from({ length: 2_500 }, (_, i) => ({ 'http://p': { 'http://q': i } }));
    const quads = await parse(JSON.stringify(nodes), 'application/ld+json');
    const objects = new Map(quads.map(({ subject, object }) => [subject.value, object]));
    expect([quads.length, objects.size]).toEqual([5_000, 5_000]);
    // From each outer node to its inner one, and to the number there.
    const outer = quads.filter(({ predicate }) => predicate.value === 'http://p');
    const found = outer.map(({ object }) => Number(objects.get(object.value)?.value));
    expect(found.sort((a, b) => a - b)).toEqual(nodes.map((_, i) => i));
  });

  it.each(['_:same', '\\u005f:same', '_\\u003Asame'])(
    'finds the same blank node in all of a long list of JSON-LD when it has a name: %s',
    async (name) => {
      const nodes = Array.from({ length: 2_500 }, (_, i) => `{"@id":"${name}","http://p":${i}}`);
      const quads = await parse(`[${nodes.join(',')}]`, 'application/ld+json');
      expect(new Set(quads.map(({ subject }) => subject.value)).size).toBe(1);
    },
  );
});

describe('as what a body is parsed', () => {
  it.each([
    ['text/turtle', '/a.html', 'text/turtle'],
    ['application/octet-stream', '/a.ttl', 'text/turtle'],
    ['text/plain', '/a.ttl?raw', 'text/turtle'],
    ['', '/a.jsonld', 'application/ld+json'],
    ['application/json', '/a.jsonld', 'application/ld+json'],
    ['application/octet-stream', '/a.exe', undefined],
    ['text/plain', '/', undefined],
    ['image/png', '/a.ttl', undefined],
    ['application/json', '/', undefined],
    ['text/html', '/a.ttl', undefined],
  ])('%s at %s is %s', (type, path, expected) => {
    expect(parsedAs(type, `https://host.example${path}`)).toBe(expected);
  });
});
