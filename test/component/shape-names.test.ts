import { describe, expect, test } from 'vitest';
import { shapeFault, shapeIri, shapeName, shapesNamed } from '../../src/component/shape-names.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

describe('the name of a shape', () => {
  test.each([
    [`${FOAF}Person`, 'foaf:Person'],
    ['http://schema.org/Person', 'schema:Person'],
    ['https://schema.org/Person', 'schema:Person'],
    ['http://www.w3.org/2002/01/bookmark#Bookmark', 'bookmark:Bookmark'],
    ['https://shapes.example/person/', 'person'],
    ['https://shapes.example/%E6%97%A5%E8%A8%98', '日記'],
    ['https://shapes.example/%E6', '%E6'],
    ['https://shapes.example/%00a', '%00a'],
    ['urn:example:person', 'person'],
    ['x:', 'x:'],
  ])('of %s is %s', (iri, name) => expect(shapeName(iri)).toBe(name));
});

describe('a word', () => {
  test.each([
    ['foaf:Person', ['foaf:Person', `${FOAF}Person`]],
    ['FOAF:Person', ['FOAF:Person', `${FOAF}Person`]],
    ['schema:Person', ['schema:Person', 'https://schema.org/Person']],
    ['http://schema.org/Person', ['https://schema.org/Person']],
    [`${FOAF}Person`, [`${FOAF}Person`]],
    ['urn:example:person', ['urn:example:person']],
    ['constructor:x', ['constructor:x']],
    ['Person', []],
    ['foaf:', []],
    [':Person', []],
  ])('%s can stand for %j', (word, shapes) => expect(shapesNamed(word)).toEqual(shapes));
});

describe('a shape that somebody asks for', () => {
  test.each([
    ['foaf:Person', `${FOAF}Person`],
    ['oa:Annotation', 'http://www.w3.org/ns/oa#Annotation'],
    ['dcterms:Agent', 'http://purl.org/dc/terms/Agent'],
    ['http://schema.org/Person', 'http://schema.org/Person'],
    ['https://s.example/#A', 'https://s.example/#A'],
    ['unknown:A', 'unknown:A'],
  ])('%s means %s', (written, iri) => expect(shapeIri(written)).toBe(iri));

  test.each([
    [
      'Person',
      '"Person" is no shape: write the whole IRI, or a name like foaf:Person; the prefixes are acl, as, ',
    ],
    ['', '"" is no shape: '],
    [':Person', '":Person" is no shape: '],
    ['ex:Person', 'the prefix ex: is not known here: write the whole IRI, or a name like foaf:Person; '],
  ])('%j is told how to write it', (written, fault) => expect(shapeFault(written)).toContain(fault));

  test.each(['foaf:Person', 'urn:example:a', 'did:web:a.example', 'http://a.example/', 'x://y'])(
    '%s may be one',
    (written) => expect(shapeFault(written)).toBeUndefined(),
  );
});
