import fc from 'fast-check';
import { canonicalCapability } from '../../src/component/canonical-capability.js';
import { type Capability, shapesOf } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import { LIMITS } from '../../src/component/values.js';
import { compareText } from '../../src/lib/compare-text.js';
import { percentEncoded } from '../../src/lib/iri.js';

/** Text as strangers write it: any Unicode that has a UTF-8 form, quotes, escapes, newlines, right-to-left marks. */
const hostileText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom(
      ...['"', '\\', '\\"', '\n', '\r\n', '\t', '"""', "'", '<script>', '</script>'],
      ...['\u202e', '\ufeff', '\u2028'],
      ...['🦄', '@en', '^^', '<http://x>', '_:b0', 'true', '1', '\u007f', '\u0001', '\udbff\udfff'],
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
  .map(([start, tail]) => percentEncoded(start + tail));

export const iri = fc
  .tuple(fc.constantFrom('http://s.example/', 'urn:shape:', 'did:web:'), iriTail)
  .map((parts) => percentEncoded(parts.join('')));

const sortedList = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(value, { maxLength: 4 }).map((values) => values.sort(compareText));

const property = fc.constantFrom('ac:open', 'data', 'http://www.w3.org/ns/oa#exact');
const invocation = fc.oneof(
  fc.record(
    {
      id: iri,
      type: fc.constant('ElementInvocation' as const),
      element: fc.constantFrom('x-y', 'shacl-form', 'emotion-😍'),
      format: fc.constant('text/turtle'),
      fixed: fc.record({ 'data-a': hostileText, 'data-b': fc.constant('') }),
      mapping: fc.array(fc.record({ variable: fc.constantFrom('value', 'data-values'), property }), {
        maxLength: 2,
      }),
      write: fc.record({ event: hostileText, method: fc.constant('serialize') }),
    },
    { requiredKeys: ['type', 'element', 'mapping'] },
  ),
  fc.record({
    type: fc.constant('FragmentInvocation' as const),
    fragment: hostileText,
    module: fc.array(fc.record({ uri: moduleUrl }), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant('ac:UriTemplateInvocation' as const),
    template: fc.constantFrom('#open={open}', '{?a,b*}', ''.padEnd(3, 'x')),
    mapping: fc.array(fc.record({ variable: hostileText, property }), { minLength: 1, maxLength: 2 }),
  }),
);

const someOf = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 2 });

const capabilities = someOf(
  fc.record(
    {
      id: iri,
      action: fc.constantFrom('odrl:display', 'odrl:modify', 'https://other.example/act'),
      accept: someOf(fc.constantFrom('text/turtle', 'text/html')),
      resourceType: someOf(iri),
      shape: someOf(iri),
      summary: hostileText,
      invocation: fc.array(invocation, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
).map((all) => all.map((one) => canonicalCapability(one, 'http://semcom.digita.ai/voc#')) as Capability[]);

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
      capability: capabilities,
      example: moduleUrl,
    },
    { requiredKeys: ['uri', 'label', 'author', 'tag', 'shapes'] },
  )
  .map((component) => {
    const { capability, shapes } = component as Metadata;
    // What a description renders that names no shapes is what its capabilities name.
    return {
      ...component,
      shapes: capability && shapes.length === 0 ? shapesOf(capability) : shapes,
    } as Metadata;
  });

/** Components with different uris. */
export const metadataList = fc.uniqueArray(metadata, { selector: ({ uri }) => uri, maxLength: 5 });
