import type { Quad } from '@rdfjs/types';
import fc from 'fast-check';
import { MemoryLevel } from 'memory-level';
import { DataFactory } from 'n3';
import { expect, it } from 'vitest';
import { componentsFromQuads } from '../../../src/component/reading/descriptions.js';
import { storedQuads } from '../../../src/component/writing/metadata-quads.js';
import type { Level } from '../../../src/store/disk/database/level.js';
import { storedMetadata } from '../../../src/store/disk/loading/stored-metadata.js';
import { metadata } from '../../support/arbitrary.js';
import { component, VOCABULARY } from '../../support/registry.js';
import { openQuadStore } from '../../support/stores.js';

const { namedNode, literal, quad } = DataFactory;
const GRAPH = namedNode('http://g');

/** What the keys of quads say, as they are written in a database. */
async function readBack(uri: string, quads: readonly Quad[]) {
  const store = await openQuadStore(new MemoryLevel<string, string>() as unknown as Level);
  await store.write({ add: quads, durable: false });
  const cursor = store.cursor(GRAPH.value);
  const keys = await cursor.about(uri);
  const read = storedMetadata({ uri, keys, predicateAt: cursor.predicateAt(uri) }, VOCABULARY);
  await cursor.close();
  await store.close();
  return read;
}

it('what is stored of a component is read back from the keys of its quads', async () => {
  await fc.assert(
    fc.asyncProperty(metadata, async (one) => {
      expect(await readBack(one.uri, storedQuads(one, VOCABULARY, GRAPH))).toEqual(one);
    }),
    { numRuns: 60 },
  );
});

const URI = component('a').uri;
const about = (name: string, object: Quad['object']) =>
  quad(namedNode(URI), namedNode(VOCABULARY.namespace + name), object as never, GRAPH) as Quad;
const PLAIN = storedQuads(component('a', { latest: true, tag: ['x'] }), VOCABULARY, GRAPH);

it.each([
  ['a text in a language', [about('tag', literal('é', 'de'))]],
  ['a number', [about('tag', literal('1.5', namedNode('http://www.w3.org/2001/XMLSchema#decimal')))]],
  [
    'a time',
    [
      about(
        'version',
        literal('2020-01-01T00:00:00Z', namedNode('http://www.w3.org/2001/XMLSchema#dateTime')),
      ),
    ],
  ],
  [
    'the same as text and as an IRI',
    [about('author', literal('urn:a')), about('author', namedNode('urn:a'))],
  ],
  [
    'two texts whose order in UTF-16 is another one than in UTF-8',
    [about('tag', literal('\u{1f984}')), about('tag', literal('\uffee'))],
  ],
  ['the other name of shapes', [about('shape', namedNode('urn:b')), about('shapes', namedNode('urn:a'))]],
  ['two labels', [about('label', literal('another'))]],
  ['a term of others', [quad(namedNode(URI), namedNode('urn:p'), literal('x'), GRAPH) as Quad]],
  [
    'a capability that cannot be read',
    [quad(namedNode(URI), namedNode(VOCABULARY.predicates.capability), literal('x'), GRAPH) as Quad],
  ],
])('with %s, too, it is what the rules for documents make of it', async (_what, more) => {
  const quads = [...PLAIN, ...more];
  const [expected] = componentsFromQuads(quads, VOCABULARY).components;
  expect(await readBack(URI, quads)).toEqual(expected);
});

it.each(['uri', 'label'])('nothing is said where the %s is lost', async (name) => {
  const left = PLAIN.filter(({ predicate }) => predicate.value !== VOCABULARY.namespace + name);
  const [expected] = componentsFromQuads(left, VOCABULARY).components;
  expect(await readBack(URI, left)).toEqual(expected);
});
