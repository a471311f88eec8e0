import { describe, expect, test } from 'vitest';
import { shapeName, shapesNamed } from '../../src/component/shape-names.js';

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
