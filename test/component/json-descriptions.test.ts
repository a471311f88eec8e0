import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describedInJson,
  describedInPostedJson,
  MOST_FAULTS,
} from '../../src/component/reading/json-descriptions.js';
import { isAbsoluteIri } from '../../src/lib/iri.js';
import { NAMING, VOCABULARY } from '../support/registry.js';

const SEM = VOCABULARY.namespace;

/** What the addresses begin with that this node gives to components. */
const ADDRESS = 'http://node.example/c/';
const faultsOf = (body: unknown) =>
  describedInPostedJson(body, NAMING).invalid.flatMap(({ faults }) => faults);

describe('what JSON may look like', () => {
  const least = { uri: 'https://c.example/a.js', label: 'A' };

  it.each([
    ['strings for lists', { ...least, author: 'Ann', tag: 'x' }, { author: ['Ann'], tag: ['x'] }],
    ['text for truth', { ...least, latest: 'true' }, { latest: true }],
    ['lists, repeated values once, sorted', { ...least, tag: ['b', 'a', 'b'] }, { tag: ['a', 'b'] }],
    ['the singular shape', { ...least, shape: 'http://s.example/S' }, { shapes: ['http://s.example/S'] }],
    ['null for absent', { ...least, description: null }, {}],
    ['an @id for the uri', { '@id': 'http://node.example/c/https://c.example/a.js', label: 'A' }, {}],
    ['the address on this node for the uri', { ...least, uri: `${ADDRESS}${least.uri}` }, {}],
    ['that address, as Location has it', { ...least, uri: ADDRESS + encodeURIComponent(least.uri) }, {}],
    ['a module below /c/ of this node', { ...least, uri: `${ADDRESS}a.js` }, { uri: `${ADDRESS}a.js` }],
    ['the same under both names', { ...least, [`${SEM}label`]: [{ '@id': 'A' }] }, {}],
  ])('%s', (_name, body, expected) => {
    expect(describedInPostedJson(body, NAMING).components).toEqual([
      { ...least, author: [], tag: [], shapes: [], ...expected },
    ]);
  });

  it('of a document of others, plain names count more than terms that say something else', () => {
    const body = { ...least, [`${SEM}label`]: [{ '@id': 'Old' }] };
    expect(describedInJson(body, VOCABULARY).components).toMatchObject([least]);
  });

  /** Each fault as its pointer, and what its words match. */
  it.each<[what: string, body: unknown, ...faults: string[]]>([
    ['no object', 7, ' must be an object'],
    ['no object in an array', [least, 'x'], '/1 must be an object'],
    ['nothing said', [{}], '/0 uri is missing', '/0 label is missing'],
    [
      'wrong types',
      { ...least, label: 3, tag: ['ok', 4], latest: 'maybe' },
      ...['/label string', '/latest true or false', '/tag/1 string'],
    ],
    ['other schemes', { ...least, uri: 'javascript:alert(1)' }, '/uri http'],
    ['relative uris', { ...least, uri: '/a.js' }, '/uri http'],
    ['credentials in the uri', { ...least, uri: 'https://me:pw@c.example/a.js' }, '/uri password$'],
    ['a user behind more slashes', { ...least, uri: 'https:////me@c.example/a.js' }, '/uri user name'],
    ['spaces in the uri', { ...least, uri: 'https://c.example/a b.js' }, '/uri spaces'],
    ['relative shapes', { ...least, shapes: ['Person'] }, '/shapes/0 absolute IRI, and is Person$'],
    ['prefixed shapes', { ...least, shapes: 'foaf:Person' }, '/shapes whole IRI: http://xmlns.com/foaf/'],
    ['two labels', { ...least, label: ['A', 'B'] }, '/label/1 only one'],
    ['unknown fields', { ...least, 'la/bel~': 1 }, '/la~1bel~0 unknown field'],
    ['too long a label', { ...least, label: 'x'.repeat(1025) }, '/label 1024'],
    ['too long a uri', { ...least, uri: `https://c.example/${'x'.repeat(2048)}` }, '/uri 2048'],
    ['too long a description', { ...least, description: 'x'.repeat(16385) }, '/description 16384'],
    ['too many values', { ...least, tag: [...Array(65).keys()].map(String) }, '/tag/0 64 values$'],
    ['half a character', { ...least, label: '\ud83e' }, '/label valid text$'],
    ['a NUL', { ...least, label: 'a\0b' }, '/label valid text$'],
    ['what is cut within a character', { ...least, shapes: `a${'🙂'.repeat(60)}` }, '/shapes 🙂 …$'],
    ['lists in lists', { ...least, tag: [['a']] }, '/tag/0 string'],
    ['an empty label', { ...least, label: '' }, '/label empty'],
  ])('refuses %s', (_name, body, ...expected) => {
    const faults = faultsOf(body);
    expect(faults.map(({ pointer }) => pointer)).toEqual(expected.map((one) => one.replace(/ .*/s, '')));
    for (const [i, { detail }] of faults.entries())
      expect(detail).toMatch(new RegExp(expected[i]?.replace(/^\S* /, '') ?? 'never', 'u'));
  });

  it('takes for a user name what URL parsers take for one', () => {
    const rest = fc.stringMatching(/^[a@/?#.]{0,8}$/);
    fc.assert(
      fc.property(rest, (text) => {
        const uri = `https://${text}`;
        const taken = isAbsoluteIri(uri) && URL.canParse(uri) && new URL(uri).username === '';
        expect(describedInJson({ ...least, uri }, VOCABULARY).components).toHaveLength(taken ? 1 : 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('is not looked at to the end when nearly everything is wrong', () => {
    const { components, invalid, unnamed } = describedInPostedJson(Array(1000).fill({}), NAMING);
    // Two faults each: neither uri nor label.
    expect([components.length, invalid.length, unnamed]).toEqual([
      0,
      MOST_FAULTS / 2,
      1000 - MOST_FAULTS / 2,
    ]);
    const keys = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]));
    expect(faultsOf({ ...least, ...keys })).toHaveLength(MOST_FAULTS);
  });
});
