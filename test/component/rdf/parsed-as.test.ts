import { describe, expect, it } from 'vitest';
import { parsedAs } from '../../../src/component/rdf/parsed-as.js';

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
    expect(parsedAs(type, at(path))).toBe(expected);
  });
});
