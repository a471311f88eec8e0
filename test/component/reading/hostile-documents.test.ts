import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { listIn } from '../../../src/component/network-list.js';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../../src/component/reading/descriptions.js';
import { AC } from '../../../src/component/vocabulary.js';
import { MalformedInput } from '../../../src/lib/faults.js';
import { growth } from '../../support/growth.js';
import { SMALL } from '../../support/hostile-documents.js';
import { VOCABULARY } from '../../support/registry.js';

const { namespace } = VOCABULARY;
const document = ({ type, body }: { type: string; body: string }) => ({
  text: body,
  mediaType: type,
  baseIri: 'http://pod.example/',
  namespace,
});

const REFUSED = {
  'contexts scoped to terms': /more than 16 contexts that are scoped to a term/,
  'lists of scoped contexts, 9 kB': /more than 16 contexts that are scoped to a term/,
  'lists of scoped contexts, 22 kB': /nested more than 100 deep/,
  'a base of 0.9 MB': /more than 2048 characters/,
  'a base of 0.9 MB in JSON-LD': /A base IRI or namespace has more than 2048 characters/,
  'a namespace of 0.9 MB': /more than 2048 characters/,
  'deep JSON': /nested more than 100 deep/,
};

test.each(Object.entries(REFUSED))('%s: refused before it costs anything', async (name, why) => {
  const hostile = SMALL[name];
  if (!hostile) throw new Error(`there is no document of this kind: ${name}`);
  const failure = await parseRdf(document(hostile)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MalformedInput);
  expect((failure as Error).message).toMatch(why);
});

test('a document whose own URL is too long is refused', async () => {
  const baseIri = `http://h.example/${'a'.repeat(2048)}`;
  await expect(parseRdf({ ...document(SMALL['deep JSON'] as never), baseIri })).rejects.toThrow(
    'more than 2048',
  );
});

test('the fault of a literal without an end does not repeat it', async () => {
  const body = `<http://c.example/x.js> <${namespace}label> """${'x'.repeat(100_000)}`;
  const failure = await parseRdf(document({ type: 'text/turtle', body })).catch((error: Error) => error);
  expect((failure as Error).message.length).toBeLessThan(400);
});

test('a node that many components name is looked at once, however much is said of it', () => {
  const said = (i: number) =>
    `<https://c.example/${i}> a s:component; s:label "x"; ac:capability <urn:c>. <urn:c> <urn:p> ${i}; ac:accept "a/b${i}".`;
  const quadsOf = (count: number) =>
    new Parser().parse(
      `@prefix s: <${namespace}>. @prefix ac: <${AC}>. ${Array.from({ length: count }, (_, i) => said(i)).join(' ')}`,
    );
  const read = (quads: Iterable<Quad>) => componentsFromQuads(quads, VOCABULARY);
  expect(read(quadsOf(9)).components[8]?.capability).toMatchObject([{}]);
  expect(growth(quadsOf, read)).toBeLessThan(3);
});

test('of many contradictions, some are named; of many invalid descriptions, too', async () => {
  const labels = Array.from({ length: 200 }, (_, i) => `"${i}"`).join();
  const subjects = Array.from(
    { length: 150 },
    (_, i) => `<http://c.example/${i}> <${namespace}label> ${labels}.`,
  );
  const quads = await parseRdf(document({ type: 'text/turtle', body: subjects.join('\n') }));
  const { invalid, unnamed } = componentsFromQuads(quads, VOCABULARY);
  expect([invalid.length, unnamed]).toEqual([100, 50]);
  expect(invalid[0]?.faults.length).toBeLessThanOrEqual(20);
});

test('of an address with 8,000 introducers, a few are kept', async () => {
  const introducers = Array.from({ length: 8000 }, (_, i) => `<x:${i}>`).join();
  const body = `<http://p.example> <${namespace}peer> <http://q.example>. <http://q.example> <${namespace}via> ${introducers}.`;
  const quads = await parseRdf(document({ type: 'text/turtle', body }));
  const [entry] = listIn(quads, 'peer', VOCABULARY).listed;
  expect(entry).toMatchObject({ url: 'http://q.example', hops: 0 });
  expect(entry?.via.length).toBeLessThan(100);
});
