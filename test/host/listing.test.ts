import { describe, expect, test } from 'vitest';
import { readListing } from '../../src/host/listing.js';

const NODE = 'https://n.example';
const VOC = 'http://semcom.digita.ai/voc#';
const URI = 'https://c.example/a.js';
const SHAPES = ['https://s.example/A'];
/** A component with the keys of the specification. */
const full = (more: object = {}, namespace = VOC) => ({
  '@id': `/c/${URI}`,
  '@type': [`${namespace}component`],
  [`${namespace}label`]: [{ '@id': 'A' }],
  [`${namespace}author`]: [{ '@id': 'Ann' }, { '@id': 'Bob' }],
  [`${namespace}latest`]: [{ '@value': 'true', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' }],
  [`${namespace}tag`]: 'x',
  [`${namespace}shapes`]: SHAPES,
  ...more,
});
const read = { uri: URI, label: 'A', latest: true, author: ['Ann', 'Bob'], tag: ['x'], shapes: SHAPES };
const least = { uri: URI, label: 'A' };
const BELOW = `${NODE}/c/001`;
const hash = (letter: string) => `sha384-${letter.repeat(64)}`;
const PIN = { integrity: hash('A'), files: [{ uri: 'https://c.example/b.js', integrity: hash('B') }] };
const SOURCE = {
  url: 'https://p.example/',
  document: 'https://p.example/a',
  kind: 'pod',
  trust: 'configured',
};
const SINCE = '2026-11-22T00:00:00.000Z';

describe('a listing is read', () => {
  test.each<[string, object, object]>([
    ['with the keys of the specification', full(), read],
    ['in another vocabulary, which its class names', full({}, 'https://v.example/w#'), read],
    ['with the address of the node, or of a proxy', full({ '@id': `${NODE}/x/c/${URI}` }), read],
    ['with the uri itself as @id', full({ '@id': URI }), read],
    ['of modules below such a path', full({ '@id': `${NODE}/c/${BELOW}` }), { ...read, uri: BELOW }],
    ['with a uri beside the @id', full({ '@id': 'urn:x', [`${VOC}uri`]: [{ '@id': URI }] }), read],
    [
      'in plain names, with single authors and tags, as the earlier implementation writes it',
      { ...read, author: 'Ann', tag: 'x' },
      { ...read, author: ['Ann'] },
    ],
    ['in both, of which the plain ones count', full({ label: 'Plain' }), { ...read, label: 'Plain' }],
    [
      'with the older name of shapes',
      { ...least, shape: SHAPES[0] },
      { ...least, author: [], tag: [], shapes: SHAPES },
    ],
    [
      'with what is said of its bytes, and by whom',
      full({ integrity: hash('C'), pin: { ...PIN, unpinned: ['lit'] }, source: SOURCE, since: SINCE }),
      { ...read, integrity: hash('C'), pin: { ...PIN, unpinned: ['lit'] }, source: SOURCE, since: SINCE },
    ],
    [
      'with a promise of the vocabulary',
      full({ [`${VOC}integrity`]: [{ '@id': hash('C') }] }),
      { ...read, integrity: hash('C') },
    ],
  ])('%s', (_how, object, expected) => {
    expect(readListing(JSON.stringify([object]), NODE)).toEqual([expected]);
  });

  test('without what nobody could load', () => {
    const items = [{ uri: 'javascript:alert(1)', label: 'b' }, { '@id': '/c/foo' }, null, 'x', [], full()];
    expect(readListing(JSON.stringify(items), NODE)).toEqual([read]);
  });

  test.each(['<html>', '{"links":{}}', 'null'])('unless it is none: %s', (text) => {
    expect(() => readListing(text, NODE)).toThrow(
      /n.example (is not JSON|answered with something that is not a list)/,
    );
  });
});

const NOTHING = { integrity: undefined, pin: undefined, source: undefined, since: undefined };
/** What is said of a source and not understood makes it the least trusted one. */
const STRANGER = { url: '', kind: 'peer', trust: 'learned' };

test.each<[object, object]>([
  [{}, {}],
  [{ integrity: 'sha1-x' }, {}],
  [{ integrity: 7, pin: 'sha384', since: 3 }, {}],
  [{ pin: { integrity: 'rubbish' } }, {}],
  [{ pin: { integrity: hash('A'), changed: 1 } }, { pin: { integrity: hash('A') } }],
  [{ source: 'own' }, { source: STRANGER }],
  [{ source: null }, { source: STRANGER }],
  [{ source: { ...SOURCE, trust: 'best', kind: 'king' } }, { source: { trust: 'learned' } }],
])('of bytes and sources, what has another form is not believed: %j', (said, expected) => {
  const { integrity, pin, source, since } =
    readListing(JSON.stringify([{ ...least, ...said }]), NODE)[0] ?? {};
  expect({ integrity, pin, source, since }).toMatchObject({ ...NOTHING, ...expected });
});
