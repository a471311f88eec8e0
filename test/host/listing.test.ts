import { describe, expect, test } from 'vitest';
import { readListing } from '../../src/host/listing.js';

const VOC = 'http://semcom.digita.ai/voc#';
const full = (namespace: string, more: object = {}) => ({
  '@id': '/c/https://c.example/a.js',
  '@type': [`${namespace}component`],
  [`${namespace}label`]: [{ '@id': 'A' }],
  [`${namespace}author`]: [{ '@id': 'Ann' }, { '@id': 'Bob' }],
  [`${namespace}latest`]: [{ '@value': 'true', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' }],
  [`${namespace}tag`]: 'x',
  [`${namespace}shapes`]: ['https://s.example/A'],
  ...more,
});
const read = {
  uri: 'https://c.example/a.js',
  label: 'A',
  latest: true,
  author: ['Ann', 'Bob'],
  tag: ['x'],
  shapes: ['https://s.example/A'],
};

const PIN = { integrity: `sha384-${'A'.repeat(64)}` };

describe('a listing is read', () => {
  test.each<[string, object, object]>([
    ['with the keys of the specification', full(VOC), read],
    ['in another vocabulary, which its class names', full('https://v.example/w#'), read],
    [
      'with the address of the node, or of a proxy',
      full(VOC, { '@id': 'https://n.example/x/c/https://c.example/a.js' }),
      read,
    ],
    ['with the uri itself as @id', full(VOC, { '@id': 'https://c.example/a.js' }), read],
    [
      'whose modules lie below a path of that name',
      full(VOC, { '@id': 'https://n.example/c/https://n.example/c/001' }),
      { ...read, uri: 'https://n.example/c/001' },
    ],
    [
      'with a uri beside the @id',
      full(VOC, { '@id': 'urn:x', [`${VOC}uri`]: [{ '@id': 'https://c.example/a.js' }] }),
      read,
    ],
    [
      'in plain names, with single authors and tags, as the earlier implementation writes it',
      {
        uri: 'https://c.example/a.js',
        label: 'A',
        author: 'Ann',
        tag: 'x',
        latest: true,
        shapes: ['https://s.example/A'],
      },
      { ...read, author: ['Ann'] },
    ],
    ['in both, of which the plain ones count', { ...full(VOC), label: 'Plain' }, { ...read, label: 'Plain' }],
    [
      'with the older name of shapes',
      { uri: 'https://c.example/a.js', label: 'A', shape: 'https://s.example/A' },
      { uri: 'https://c.example/a.js', label: 'A', author: [], tag: [], shapes: ['https://s.example/A'] },
    ],
    [
      'with what the node has seen of the module',
      {
        ...full(VOC),
        pin: { ...PIN, files: [{ uri: 'https://c.example/b.js', ...PIN }], unpinned: ['lit'] },
      },
      { ...read, pin: { ...PIN, files: [{ uri: 'https://c.example/b.js', ...PIN }], unpinned: ['lit'] } },
    ],
  ])('%s', (_how, object, expected) => {
    expect(readListing(JSON.stringify([object]), 'https://n.example')).toEqual([expected]);
  });

  test('without what nobody could load', () => {
    const items = [{ uri: 'javascript:alert(1)', label: 'b' }, { '@id': '/c/foo' }, null, 'x', [], full(VOC)];
    expect(readListing(JSON.stringify(items), 'https://n.example')).toEqual([read]);
  });

  test.each(['<html>', '{"links":{}}', 'null'])('unless it is none: %s', (text) => {
    expect(() => readListing(text, 'https://n.example')).toThrow(
      /n.example (is not JSON|answered with something that is not a list)/,
    );
  });
});
