import { Parser } from 'n3';
import { describe, expect, it } from 'vitest';
import { isAbsoluteIri, percentEncoded } from '../../src/lib/iri.js';
import { processorTime } from '../support/processor-time.js';

const IRIS = [
  'http://c.example/x.js?a=/?&b=%7B#f/?',
  "https://user@c.example:80/~a/!$&'()*+,;=:@-._",
  'http://[2001:db8::1]:80/',
  'http://c.example/\u00e4/\u4e2d\u6587/\u{20000}',
  'urn:registry:local',
  'mailto:a@c.example',
];

/** What is none, and what becomes of it. */
const OTHERS: readonly (readonly [text: string, encoded: string])[] = [
  ['http://c.example/?{x}', 'http://c.example/?%7Bx%7D'],
  ['http://c.example/a|b^c`d"<>\\', 'http://c.example/a%7Cb%5Ec%60d%22%3C%3E%5C'],
  ['http://c.example/a b\n\0', 'http://c.example/a%20b%0A%00'],
  ['http://c.example/[a]?[b]', 'http://c.example/%5Ba%5D?%5Bb%5D'],
  ['http://c.example/100%?%zz', 'http://c.example/100%25?%25zz'],
  ['http://c.example/#a#b', 'http://c.example/#a%23b'],
  ['http://c.example/\ufffe\ue000', 'http://c.example/%EF%BF%BE%EE%80%80'],
  ['http://c.example/\ud800', 'http://c.example/%EF%BF%BD'],
];

describe('an IRI', () => {
  it.each(IRIS)('is %s, which stays as it is', (iri) => {
    expect(isAbsoluteIri(iri)).toBe(true);
    expect(percentEncoded(iri)).toBe(iri);
    expect(readBack(iri)).toBe(iri);
  });

  it.each(OTHERS)('is not %j, which is encoded once', (text, encoded) => {
    expect(isAbsoluteIri(text)).toBe(false);
    expect(percentEncoded(text)).toBe(encoded);
    expect(percentEncoded(encoded)).toBe(encoded);
    expect(isAbsoluteIri(encoded)).toBe(true);
    expect(readBack(encoded)).toBe(encoded);
  });

  it.each(['', 'x', 'http:', '//c.example/', '1a:b', 'a b:c', '\nhttp://c.example/'])('is not %j', (text) => {
    expect(isAbsoluteIri(text)).toBe(false);
  });

  it('has characters for private use in its query only', () => {
    expect(isAbsoluteIri('http://c.example/?\ue000')).toBe(true);
    expect(isAbsoluteIri('http://c.example/\ue000')).toBe(false);
  });

  it('is told in time that is linear in its length', () => {
    const long = ['a', '%41', '[:', '?', '#'].map((part) => `http://${part.repeat(100_000)}{`);
    const busyMs = processorTime();
    for (const text of long) expect(isAbsoluteIri(text)).toBe(false);
    expect(busyMs()).toBeLessThan(2000);
  });
});

/** As another program reads it in Turtle. */
function readBack(iri: string): string | undefined {
  return new Parser({ format: 'text/turtle' }).parse(`<${iri}> a <${iri}>.`)[0]?.subject.value;
}
