import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_URI, meantUris, readUri } from '../../src/connection/uri.js';

const COLLECTION = 'https://node.example/connection';

/** URIs as people have them: escapes, queries, fragments, other scripts, other schemes. */
const uri = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'urn:', 'did:', 'https://alice.example/'),
    fc.webSegment().filter((text) => text !== '' && !/^[.]+$|^\d/.test(text)),
    fc.constantFrom('', '/', '/a/b', '?q=1&r=%20', '#me', '/100%25', '/日記', '/a%2Fb#%C3%A9', '/🦄'),
  )
  .map((parts) => parts.join(''))
  .filter((text) => readUri(text) === text);

describe('a URI', () => {
  test('is the same, plain, encoded, and encoded twice', () => {
    fc.assert(
      fc.property(uri, (plain) => {
        expect(readUri(encodeURIComponent(plain))).toBe(plain);
        expect(readUri(encodeURIComponent(encodeURIComponent(plain)))).toBe(plain);
      }),
    );
  });

  test('in a path is found by each of these', () => {
    fc.assert(
      fc.property(uri, (plain) => {
        const once = encodeURIComponent(plain);
        for (const written of [once, encodeURIComponent(once), `${once}/`, `${once}?limit=1`])
          expect(meantUris(written, COLLECTION)).toEqual([plain]);
        // A browser never sends a fragment, and encodes what is not ASCII.
        const bare = plain.replace(/#.*$/, '');
        if (/%[89a-f]/i.test(bare)) return;
        const raw = bare.replace(/[^\0-\x7f]+/gu, encodeURIComponent);
        expect(meantUris(raw, COLLECTION)).toContain(bare);
      }),
    );
  });

  test('that stands raw in a path may have an encoded fragment, a merged slash, or a slash too many', () => {
    expect(meantUris('https://alice.example/card%23me', COLLECTION)).toContain(
      'https://alice.example/card#me',
    );
    expect(meantUris('https:/alice.example/card', COLLECTION)).toContain('https://alice.example/card');
    expect(meantUris('https://alice.example/card/', COLLECTION)).toEqual([
      'https://alice.example/card/',
      'https://alice.example/card',
    ]);
  });

  test.each([
    ['', 'nothing'],
    ['alice', 'no scheme'],
    ['https://', 'no host'],
    ['http:x', 'no host'],
    ['https://x.example/a b', 'a space'],
    ['https://x.example/"', 'a quote'],
    ['https://x.example/%zz', 'a broken escape'],
    ['https%3A%2F%2Fx.example%2F%', 'a broken outer escape'],
    ['urn:\ud800', 'half a character'],
    [`urn:${'x'.repeat(MAX_URI)}`, 'too long'],
  ])('is not %j: %s', (text) => {
    expect(readUri(text)).toBeUndefined();
  });

  test('anything at all is read or refused, and what is read stays what it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        const read = readUri(text);
        for (const meant of meantUris(text, COLLECTION)) expect(readUri(meant)).toBe(meant);
        if (read !== undefined) expect(readUri(read)).toBe(read);
      }),
    );
  });
});
