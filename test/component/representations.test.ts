import fc from 'fast-check';
import { DataFactory } from 'n3';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { createQuadWriter } from '../../src/component/rdf/rdf-write.js';
import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { describedInPostedJson } from '../../src/component/reading/json-descriptions.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { jsonLdNodes } from '../../src/component/writing/json-ld-nodes.js';
import {
  inVocabulary,
  listingText,
  metadataOf,
  servedText,
} from '../../src/component/writing/listing-text.js';
import {
  metadataToQuads,
  STORED_VOCABULARY,
  storedQuads,
} from '../../src/component/writing/metadata-quads.js';
import { compareText } from '../../src/lib/compare-text.js';
import { metadata, metadataList } from '../support/arbitrary.js';
import { BASE_URL, NAMING, VOCABULARY } from '../support/registry.js';

const SEM = VOCABULARY.namespace;
const base = `${BASE_URL}/c/`;

const sorted = (components: readonly Metadata[]) => [...components].sort((a, b) => compareText(a.uri, b.uri));
const parse = (text: string, mediaType: string) =>
  parseRdf({
    text,
    mediaType,
    baseIri: 'https://pod.example/doc',
    namespace: VOCABULARY.namespace,
    strict: true,
  });
const componentsOf = (body: unknown) => describedInPostedJson(body, NAMING).components;
/** Each run of the tests draws others. */
const RUNS = { numRuns: 30 };
const MEDIA_TYPES = [
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
] as const;
/** A component in the JSON listing. */
const listed = (component: Metadata): Record<string, unknown> =>
  JSON.parse(servedText(listingText(component, VOCABULARY), BASE_URL, ''));
/** A component in expanded JSON-LD. */
const jsonLdOf = (component: Metadata) =>
  jsonLdNodes(metadataToQuads(component, VOCABULARY, base + component.uri))[0];

describe('metadata survives every representation', () => {
  it('the JSON listing, whole', () => {
    fc.assert(
      fc.property(metadataList, (components) => {
        expect(componentsOf(components.map(listed))).toEqual(components);
      }),
      RUNS,
    );
  });

  it("the JSON listing with the specification's keys alone", () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const keys = Object.entries(listed(component)).filter(
          ([key]) => key.startsWith('@') || key.startsWith(SEM),
        );
        // Capabilities have plain names only.
        const { capability: _none, ...told } = component;
        expect(componentsOf(Object.fromEntries(keys))).toEqual([told]);
      }),
    );
  });

  type Write = (components: readonly Metadata[]) => string;
  /** Bit by bit. */
  const written =
    (mediaType: (typeof MEDIA_TYPES)[number]): Write =>
    (components) => {
      const writer = createQuadWriter(mediaType, VOCABULARY);
      const all = components.map((c) => writer.write(metadataToQuads(c, VOCABULARY, base + c.uri)));
      return all.join('') + writer.end();
    };
  it.each<[string, Write]>([
    ['application/ld+json', (components) => JSON.stringify(components.map(jsonLdOf))],
    ...MEDIA_TYPES.map((type): [string, Write] => [type, written(type)]),
  ])('%s', async (mediaType, write) => {
    await fc.assert(
      fc.asyncProperty(metadataList, async (components) => {
        const quads = await parse(write(components), mediaType);
        const { components: read, invalid } = componentsFromQuads(quads, VOCABULARY, base);
        expect(invalid).toEqual([]);
        expect(sorted(read)).toEqual(sorted(components));
      }),
      RUNS,
    );
  });

  it.each(MEDIA_TYPES)('%s, with shapes that look like shortened IRIs', async (mediaType) => {
    const shapes = ['as:Note', 'feed:x', 'semcom:a:b', 'semcom:label', 'semcom:é', 'xsd:boolean'];
    const component: Metadata = { uri: 'https://c.example/a.js', label: 'A', author: [], tag: [], shapes };
    const own = createQuadWriter(mediaType, VOCABULARY, {
      as: 'https://as.example/#',
      feed: 'https://f.example/#',
    });
    for (const writer of [createQuadWriter(mediaType, VOCABULARY), own]) {
      const text = writer.write(metadataToQuads(component, VOCABULARY, base + component.uri)) + writer.end();
      const { components } = componentsFromQuads(await parse(text, mediaType), VOCABULARY, base);
      expect(components).toEqual([component]);
    }
  });
});

it('JSON-LD is honest: text is a value, and a shape is an IRI', () => {
  const shapes = ['http://schema.org/Person'];
  const component = { uri: 'https://c.example/card.js', label: 'Card', author: [], tag: [], shapes };
  expect(jsonLdOf(component)).toMatchObject({
    [`${SEM}label`]: [{ '@value': 'Card' }],
    [`${SEM}shapes`]: [{ '@id': 'http://schema.org/Person' }],
  });
});

describe('the text of a listing', () => {
  it('can be read back, and so can the triples of one subject that engines store', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        expect(metadataOf(listingText(component, VOCABULARY))).toEqual(component);
        const stored = storedQuads(component, DataFactory.defaultGraph());
        expect(new Set(stored.map(({ subject }) => subject.value))).toEqual(new Set([component.uri]));
        expect(componentsFromQuads(stored, STORED_VOCABULARY)).toMatchObject({
          components: [component],
          invalid: [],
        });
      }),
      RUNS,
    );
  });

  const other = createVocabulary('http://other.example/voc#');
  it('is written anew in another vocabulary, and in the same one it stays as it is', () => {
    fc.assert(
      fc.property(metadata, (component) => {
        const listed = listingText(component, VOCABULARY);
        expect(inVocabulary(listed, VOCABULARY)).toBe(listed);
        expect(inVocabulary(listed, other)).toEqual(listingText(component, other));
      }),
      RUNS,
    );
  });
});

describe('what pods write', () => {
  const read = async (turtle: string) =>
    componentsFromQuads(await parse(`@prefix s: <${SEM}>. ${turtle}`, 'text/turtle'), VOCABULARY);

  const [A, B] = ['https://c.example/a.js', 'https://c.example/b.js'];
  const shapes = ['http://s.example/S', 'http://s.example/T'];
  it.each<[what: string, turtle: string, components: object[], invalid: object[]]>([
    [
      'the old form: subject as uri, singular shape, latest as a string',
      `<${A}> a s:component; s:label "A"; s:latest "true"; s:shape <${shapes[0]}>, <${shapes[1]}>.`,
      [{ uri: A, latest: true, shapes }],
      [],
    ],
    [
      'a fragment or blank node with a uri, as IRI or text',
      `<#it> s:uri "${A}"; s:label "A". [] s:uri <${B}>; s:label "B".`,
      [{ uri: A }, { uri: B }],
      [],
    ],
    [
      'two values of a single field break that component alone',
      `<${A}> s:label "A", "B". <${B}> s:label "B".`,
      [{ uri: B }],
      [{ subject: A, faults: [{ pointer: '/0/label' }] }],
    ],
    [
      'subjects that name the same uri have to agree',
      `<#a> s:uri <${A}>; s:label "A". <#b> s:uri <${A}>; s:label "B".`,
      [],
      [{}],
    ],
    [
      'a blank node without a uri, and a value that is no text, are named',
      `_:x s:label "A". <${A}> s:label [].`,
      [],
      [{ faults: [{ detail: 'uri is missing' }] }, { faults: [{ detail: 'label must be a string' }] }],
    ],
    ['what speaks of other things is passed over', '<#me> a <http://xmlns.com/foaf/0.1/Person>.', [], []],
  ])('%s', async (_, turtle, components, invalid) => {
    const described = await read(turtle);
    expect(sorted(described.components)).toMatchObject(components);
    expect(described.invalid).toMatchObject(invalid);
  });
});
