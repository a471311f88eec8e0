import type { Quad } from '@rdfjs/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { createQuadWriter, WRITTEN_MEDIA_TYPES } from '../../src/component/rdf/rdf-write.js';
import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { componentsFromJson, describedInJson } from '../../src/component/reading/json-descriptions.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { jsonLdObject } from '../../src/component/writing/json-ld-object.js';
import { metadataToQuads } from '../../src/component/writing/metadata-quads.js';
import { compareText } from '../../src/lib/compare-text.js';
import { InvalidInput } from '../../src/lib/faults.js';
import { metadata, metadataList } from '../support/arbitrary.js';
import { listingObject } from '../support/listing-object.js';

const vocabulary = createVocabulary('http://semcom.digita.ai/voc#');
const baseUrl = 'https://node.example';
const base = `${baseUrl}/c/`;
const naming = { baseUrl, vocabulary };
const SEM = vocabulary.namespace;

const sorted = (components: readonly Metadata[]) => [...components].sort((a, b) => compareText(a.uri, b.uri));
const parse = (text: string, mediaType: string) =>
  parseRdf({
    text,
    mediaType,
    baseIri: 'https://pod.example/doc',
    namespace: vocabulary.namespace,
    strict: true,
  });
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('metadata survives every representation', () => {
  it('the JSON listing, whole', () => {
    fc.assert(
      fc.property(metadataList, (components) => {
        const listing = throughJson(components.map((component) => listingObject(component, naming)));
        expect(componentsFromJson(listing, naming)).toEqual(components);
      }),
    );
  });

  it("the JSON listing with the specification's keys alone", () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const object = throughJson(listingObject(component, naming)) as Record<string, unknown>;
        const keys = Object.entries(object).filter(([key]) => key.startsWith('@') || key.startsWith(SEM));
        expect(componentsFromJson(Object.fromEntries(keys), naming)).toEqual([component]);
      }),
    );
  });

  it('plain JSON', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        expect(componentsFromJson(throughJson(component), naming)).toEqual([component]);
      }),
    );
  });

  it('JSON-LD', async () => {
    await fc.assert(
      fc.asyncProperty(metadataList, async (components) => {
        const text = JSON.stringify(components.map((component) => jsonLdObject(component, naming)));
        const { components: read, invalid } = componentsFromQuads(
          await parse(text, 'application/ld+json'),
          vocabulary,
          base,
        );
        expect(invalid).toEqual([]);
        expect(sorted(read)).toEqual(sorted(components));
      }),
      { numRuns: 60 },
    );
  });

  it.each(WRITTEN_MEDIA_TYPES)('%s, written bit by bit', async (mediaType) => {
    await fc.assert(
      fc.asyncProperty(metadataList, async (components) => {
        const writer = createQuadWriter(mediaType, vocabulary);
        const text =
          components.map((c) => writer.write(metadataToQuads(c, vocabulary, base + c.uri))).join('') +
          writer.end();
        const described = componentsFromQuads(await parse(text, mediaType), vocabulary, base);
        expect(described.invalid).toEqual([]);
        expect(sorted(described.components)).toEqual(sorted(components));
      }),
    );
  });

  it('quads in any order', () => {
    fc.assert(
      fc.property(metadataList, fc.infiniteStream(fc.nat()), (components, chance) => {
        const quads = components
          .flatMap((component) => metadataToQuads(component, vocabulary))
          .map((quad): [number, Quad] => [chance.next().value as number, quad])
          .sort(([a], [b]) => a - b)
          .map(([, quad]) => quad);
        expect(sorted(componentsFromQuads(quads, vocabulary).components)).toEqual(sorted(components));
      }),
    );
  });
});

describe('the shape of a listing', () => {
  const component: Metadata = {
    uri: 'https://c.example/card.js',
    label: 'Card',
    latest: true,
    author: ['Ann'],
    tag: ['card'],
    shapes: ['http://schema.org/Person'],
  };

  it('follows the specification, and repeats itself under plain names', () => {
    expect(listingObject(component, naming)).toEqual({
      '@id': 'https://node.example/c/https://c.example/card.js',
      '@type': [`${SEM}component`],
      [`${SEM}uri`]: [{ '@id': 'https://c.example/card.js' }],
      [`${SEM}label`]: [{ '@id': 'Card' }],
      [`${SEM}latest`]: [{ '@value': 'true', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' }],
      [`${SEM}author`]: [{ '@id': 'Ann' }],
      [`${SEM}tag`]: [{ '@id': 'card' }],
      [`${SEM}shapes`]: [{ '@id': 'http://schema.org/Person' }],
      ...component,
    });
  });

  it('leaves out what is absent', () => {
    const least = { uri: 'https://c.example/a.js', label: 'A', author: [], tag: [], shapes: [] };
    expect(Object.keys(listingObject(least, naming))).toEqual([
      '@id',
      '@type',
      `${SEM}uri`,
      `${SEM}label`,
      'uri',
      'label',
    ]);
  });

  it('is honest in JSON-LD', () => {
    expect(jsonLdObject(component, naming)).toMatchObject({
      [`${SEM}label`]: [{ '@value': 'Card' }],
      [`${SEM}shapes`]: [{ '@id': 'http://schema.org/Person' }],
    });
  });
});

describe('what JSON may look like', () => {
  const least = { uri: 'https://c.example/a.js', label: 'A' };

  it.each([
    [
      'strings where lists may stand',
      { ...least, author: 'Ann', tag: 'x', latest: 'true' },
      { author: ['Ann'], tag: ['x'], latest: true },
    ],
    ['lists, repeated values once, sorted', { ...least, tag: ['b', 'a', 'b'] }, { tag: ['a', 'b'] }],
    ['the singular shape', { ...least, shape: 'http://s.example/S' }, { shapes: ['http://s.example/S'] }],
    ['null for absent', { ...least, description: null }, {}],
    ['an @id for the uri', { '@id': 'https://node.example/c/https://c.example/a.js', label: 'A' }, {}],
    ['plain names over the others', { ...least, [`${SEM}label`]: [{ '@id': 'Old' }] }, {}],
  ])('%s', (_name, body, expected) => {
    expect(componentsFromJson(body, naming)).toEqual([
      { ...least, author: [], tag: [], shapes: [], ...expected },
    ]);
  });

  it.each<[string, unknown, [string, RegExp][]]>([
    ['no object', 7, [['', /must be an object/]]],
    ['no object in an array', [least, 'x'], [['/1', /must be an object/]]],
    [
      'nothing said',
      [{}],
      [
        ['/0', /uri is missing/],
        ['/0', /label is missing/],
      ],
    ],
    [
      'wrong types',
      { ...least, label: 3, tag: ['ok', 4], latest: 'maybe' },
      [
        ['/label', /string/],
        ['/latest', /true or false/],
        ['/tag/1', /string/],
      ],
    ],
    ['other schemes', { ...least, uri: 'javascript:alert(1)' }, [['/uri', /http/]]],
    ['relative uris', { ...least, uri: '/a.js' }, [['/uri', /http/]]],
    ['credentials in the uri', { ...least, uri: 'https://me:pw@c.example/a.js' }, [['/uri', /password/]]],
    ['a user behind more slashes', { ...least, uri: 'https:////me@c.example/a.js' }, [['/uri', /user name/]]],
    ['spaces in the uri', { ...least, uri: 'https://c.example/a b.js' }, [['/uri', /spaces/]]],
    ['relative shapes', { ...least, shapes: ['Person'] }, [['/shapes/0', /absolute IRI/]]],
    ['two labels', { ...least, label: ['A', 'B'] }, [['/label/1', /only one/]]],
    ['unknown fields', { ...least, 'la/bel~': 1 }, [['/la~1bel~0', /unknown field/]]],
    ['too long a label', { ...least, label: 'x'.repeat(1025) }, [['/label', /1024/]]],
    ['too long a uri', { ...least, uri: `https://c.example/${'x'.repeat(2048)}` }, [['/uri', /2048/]]],
    ['too long a description', { ...least, description: 'x'.repeat(16385) }, [['/description', /16384/]]],
    ['too many values', { ...least, tag: Array.from({ length: 65 }, (_, i) => `${i}`) }, [['/tag/0', /64/]]],
    ['half a character', { ...least, label: '\ud83e' }, [['/label', /valid text/]]],
    ['a NUL', { ...least, label: 'a\0b' }, [['/label', /valid text/]]],
    ['lists in lists', { ...least, tag: [['a']] }, [['/tag/0', /string/]]],
    ['an empty label', { ...least, label: '' }, [['/label', /empty/]]],
  ])('refuses %s', (_name, body, expected) => {
    const refusal = catchInvalid(() => componentsFromJson(body, naming));
    expect(refusal.faults.map(({ pointer }) => pointer)).toEqual(expected.map(([pointer]) => pointer));
    for (const [i, fault] of refusal.faults.entries())
      expect(fault.detail).toMatch(expected[i]?.[1] ?? /never/);
  });

  it('takes for a user name what URL parsers take for one', () => {
    const rest = fc.stringMatching(/^[a@/?#.]{0,8}$/);
    fc.assert(
      fc.property(rest, (text) => {
        const uri = `https://${text}`;
        const taken = URL.canParse(uri) && new URL(uri).username === '';
        expect(describedInJson({ ...least, uri }, vocabulary).components).toHaveLength(taken ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('names the faults of every component at once', () => {
    const refusal = catchInvalid(() =>
      componentsFromJson([{ ...least, label: 1 }, least, { uri: 'x', label: 'B' }], naming),
    );
    expect(refusal.faults.map(({ pointer }) => pointer)).toEqual(['/0/label', '/2/uri']);
  });

  it('is read leniently from others, with the broken set apart', () => {
    const described = describedInJson(
      [{ ...least, checksum: 'abc' }, { uri: 'https://c.example/b.js' }],
      vocabulary,
    );
    expect(described.components.map(({ uri }) => uri)).toEqual([least.uri]);
    expect(described.invalid).toMatchObject([
      { subject: 'https://c.example/b.js', faults: [{ pointer: '/1' }] },
    ]);
  });
});

describe('what pods write', () => {
  const read = async (turtle: string) =>
    componentsFromQuads(await parse(`@prefix s: <${SEM}>. ${turtle}`, 'text/turtle'), vocabulary);

  it('the old form: subject as uri, singular shape, latest as a string', async () => {
    const { components } = await read(
      '<https://c.example/a.js> a s:component; s:label "A"; s:latest "true"; s:shape <http://s.example/S>, <http://s.example/T>.',
    );
    expect(components).toMatchObject([
      { uri: 'https://c.example/a.js', latest: true, shapes: ['http://s.example/S', 'http://s.example/T'] },
    ]);
  });

  it('a fragment or blank node with a uri, as IRI or text', async () => {
    const { components, invalid } = await read(
      '<#it> s:uri "https://c.example/a.js"; s:label "A". [] s:uri <https://c.example/b.js>; s:label "B".',
    );
    expect(invalid).toEqual([]);
    expect(components.map(({ uri }) => uri).sort()).toEqual([
      'https://c.example/a.js',
      'https://c.example/b.js',
    ]);
  });

  it('two values of a single field break that component alone', async () => {
    const { components, invalid } = await read(
      '<https://c.example/a.js> s:label "A", "B". <https://c.example/b.js> s:label "B".',
    );
    expect(components.map(({ uri }) => uri)).toEqual(['https://c.example/b.js']);
    expect(invalid).toMatchObject([{ subject: 'https://c.example/a.js', faults: [{ pointer: '/0/label' }] }]);
  });

  it('subjects that name the same uri have to agree', async () => {
    const { components, invalid } = await read(
      '<#a> s:uri <https://c.example/a.js>; s:label "A". <#b> s:uri <https://c.example/a.js>; s:label "B".',
    );
    expect(components).toEqual([]);
    expect(invalid).toHaveLength(1);
  });

  it('a blank node without a uri, and a value that is no text, are named', async () => {
    const { invalid } = await read('_:x s:label "A". <https://c.example/a.js> s:label [].');
    expect(invalid.map(({ faults }) => faults[0]?.detail)).toEqual([
      'uri is missing',
      'label must be a string',
    ]);
  });

  it('what speaks of other things is passed over', async () => {
    expect(await read('<#me> a <http://xmlns.com/foaf/0.1/Person>.')).toEqual({
      components: [],
      invalid: [],
    });
  });
});

function catchInvalid(task: () => unknown): InvalidInput {
  try {
    task();
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
