import fc from 'fast-check';
import type { Metadata } from '../../src/component/metadata.js';
import { LIMITS } from '../../src/component/values.js';
import { compareText } from '../../src/lib/compare-text.js';

/** Text as strangers write it: any Unicode that has a UTF-8 form, quotes, escapes, newlines, right-to-left marks. */
export const hostileText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '\n',
      '\r\n',
      '\t',
      '"""',
      "'",
      '<script>',
      '</script>',
      '\u202e',
      '\ufeff',
      '\u2028',
      '🦄',
      '@en',
      '^^',
      '<http://x>',
      '_:b0',
      'true',
      '1',
      '\u007f',
      '\u0001',
      '\udbff\udfff',
    ),
  )
  .map((text) => text.toWellFormed().replaceAll('\0', ' '))
  .filter((text) => text.length > 0 && text.length <= LIMITS.text);

const iriTail = fc
  .string({
    unit: fc.constantFrom(..."abcXYZ019-._~:/?#[]@!$&'()*+,;=%20éß漢🦄"),
    minLength: 1,
    maxLength: 30,
  })
  .map((tail) => tail.toWellFormed());

export const moduleUrl = fc
  .tuple(
    fc.constantFrom('http://c.example/', 'https://components.example:8443/x/', 'HTTPS://Ünïcode.example/'),
    iriTail,
  )
  .map(([start, tail]) => start + tail);

export const iri = fc
  .tuple(fc.constantFrom('http://s.example/', 'urn:shape:', 'did:web:'), iriTail)
  .map((parts) => parts.join(''));

const sortedList = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(value, { maxLength: 4 }).map((values) => values.sort(compareText));

export const metadata: fc.Arbitrary<Metadata> = fc
  .record(
    {
      uri: moduleUrl,
      label: hostileText,
      description: fc.oneof(hostileText, fc.constant('')),
      version: fc.oneof(fc.constantFrom('1.0.0', '0.1.0-beta.1', '2', ''), hostileText),
      latest: fc.boolean(),
      author: sortedList(hostileText),
      tag: sortedList(hostileText),
      shapes: sortedList(iri),
    },
    { requiredKeys: ['uri', 'label', 'author', 'tag', 'shapes'] },
  )
  .map((component) => component as Metadata);

/** Components with different uris. */
export const metadataList = fc.uniqueArray(metadata, { selector: ({ uri }) => uri, maxLength: 5 });
