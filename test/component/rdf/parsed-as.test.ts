import { describe, expect, it } from 'vitest';
import { mayHoldJsonLd, mendOfType, parsedAs } from '../../../src/component/rdf/parsed-as.js';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../../src/component/reading/descriptions.js';
import { VOCABULARY } from '../../support/registry.js';

const at = (path: string) => `https://host.example${path}`;

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
    expect(parsedAs(type, at(path), false)).toBe(expected);
  });

  it('may be JSON or a page where somebody has named the address', () => {
    expect(parsedAs('application/json', at('/'), true)).toBe('application/ld+json');
    expect(parsedAs('text/html', at('/'), true)).toBe('text/html');
    const body = (text: string) => new TextEncoder().encode(text);
    expect(mayHoldJsonLd('application/json', body('{"error": 1}'))).toBe(false);
    expect(mayHoldJsonLd('text/html', body('<form>Sign in</form>'))).toBe(false);
    expect(mayHoldJsonLd('text/turtle', body(''))).toBe(true);
  });

  it('comes with what mends the server', () => {
    expect(mendOfType('application/octet-stream', at('/a.ttl'))).toContain('types { text/turtle ttl;');
    expect(mendOfType('text/turtle', at('/a.ttl'))).toBeUndefined();
  });
});

describe('JSON-LD in a page', () => {
  const componentsIn = async (text: string) =>
    componentsFromQuads(
      await parseRdf({ text, mediaType: 'text/html', baseIri: at('/'), namespace: VOCABULARY.namespace }),
      VOCABULARY,
    ).components;
  const card = (path: string) =>
    JSON.stringify({ '@context': VOCABULARY.namespace.slice(0, -1), '@id': at(path), label: path });

  it('is read from its scripts, and those for search engines are left alone', async () => {
    const found = await componentsIn(`<!doctype html><SCRIPT>const tag = '<b';</SCRIPT>
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "WebSite"}</script>
<script id=one type=application/ld+json>${card('/a.js')}</script>
<script TYPE='application/ld+json'>[${card('/b.js')}, ${card('/c.js')}]</script>`);
    expect(found.map(({ uri }) => uri)).toEqual(['/a.js', '/b.js', '/c.js'].map(at));
  });

  it.each([
    '<p>',
    `<script type="text/javascript">${card('/a.js')}</script>`,
    `<script type="application/ld+json">${card('/a.js')}`,
  ])('is missing in %s', async (text) => {
    await expect(componentsIn(text)).rejects.toThrow('no script of type application/ld+json');
  });
});
