import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authoredName, graphKind, graphTaken, takenFrom } from '../../src/component/provenance.js';
import { isAbsoluteIri } from '../../src/lib/iri.js';
import { iri } from '../support/arbitrary.js';

test('what is taken from a peer is named so that its graph can be told, also when that was taken itself', () => {
  fc.assert(
    fc.property(fc.webUrl(), iri, (peer, graph) => {
      const name = takenFrom(peer, graph);
      expect(graphTaken(name)).toBe(graph);
      expect(graphTaken(takenFrom('http://other', name))).toBe(name);
      expect(isAbsoluteIri(name)).toBe(true);
      expect(graphKind(name)).toBe('taken');
    }),
  );
});

test.each([
  ['urn:registry:local', 'own'],
  ['https://pod.example/x.ttl', 'document'],
  ['HTTP://pod.example/', 'document'],
  ['urn:registry:peer:x:y', 'taken'],
  ['urn:whatever', 'taken'],
])('%s is %s', (name, kind) => {
  expect(graphKind(name)).toBe(kind);
});

test.each([
  'urn:registry:peer:%:%E0%A4',
  'urn:registry:peer:a:%',
  'urn:registry:peer:',
  'urn:registry:peer:a',
])('%s, which no node has made, is a name like any other', (name) => {
  expect(authoredName(takenFrom('http://other', name))).toBe(name);
});
