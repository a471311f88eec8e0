import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseRdf, toJsonLd } from '../../src/host/rdf.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../support/fake-server.js';
import { processorTime } from '../support/processor-time.js';

const DOC = 'https://pod.example/data';
const JSON_LD = 'application/ld+json';
const HTML = { 'content-type': 'text/html' };
const context = (said: object): FakeAnswer => ({
  headers: { 'content-type': JSON_LD },
  body: JSON.stringify({ '@context': said }),
});

let server: FakeServer;
beforeAll(async () => {
  server = await fakeServer();
});
beforeEach(() => {
  server.requests.length = 0;
});

const parse = (document: object) => parseRdf(JSON.stringify(document), JSON_LD, DOC);
/** What is said in a document that names a context at this path. */
const named = (path: string) => parse({ '@context': server.url(path), '@id': '#me', name: 'x' });
const NAME = { name: 'https://s.example/name' };

describe('JSON-LD that names its context', () => {
  test('is read with it, which is loaded apart, without credentials and without a referrer', async () => {
    server.on('/context', context(NAME));
    expect(await named('/context')).toMatchObject([
      {
        subject: { termType: 'NamedNode', value: `${DOC}#me` },
        predicate: { value: NAME.name },
        object: { termType: 'Literal', value: 'x' },
      },
    ]);
    const [{ headers } = {}, ...others] = server.requests;
    expect([headers?.accept, others]).toEqual([expect.stringContaining(JSON_LD), []]);
    for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  });

  test('by a page that links to it is followed, once', async () => {
    const link = `</docs/context.jsonld>; rel="alternate"; type="${JSON_LD}"`;
    server.on('/', { headers: { ...HTML, link }, body: '<!doctype html>' });
    server.on('/docs/context.jsonld', context(NAME));
    expect((await named('/'))[0]?.predicate.value).toBe(NAME.name);
    server.on('/docs/context.jsonld', { headers: { ...HTML, link } });
    await expect(named('/')).rejects.toThrow(/is text\/html, and no JSON-LD/);
  });

  test.each<[string, FakeAnswer, RegExp]>([
    ['is not there', { status: 404 }, /data is not valid application\/ld\+json: .*answered with 404/],
    ['is no JSON', { headers: HTML, body: 'x' }, /is text\/html, and no JSON-LD/],
    ['has no end', { ...context({}), body: ' '.repeat(100_000), endless: true }, /larger than 1000000 bytes/],
  ])('which %s, says why it cannot be read', async (_what, answer, message) => {
    server.on('/bad', answer);
    await expect(named('/bad')).rejects.toMatchObject({
      reason: 'syntax',
      message: expect.stringMatching(message),
    });
  });
});

test('JSON-LD that would take too long to expand is refused, with a context that it has or that it names', async () => {
  const own = { '@context': { a: 'urn:a' } };
  const scoped = Object.fromEntries(
    Array.from({ length: 17 }, (_, i) => [`t${i}`, { '@id': `urn:${i}`, ...own }]),
  );
  server.on('/scoped', context(scoped));
  for (const costly of [parse({ '@context': scoped }), named('/scoped')])
    await expect(costly).rejects.toThrow(/takes too long to expand/);
});

test('JSON-LD has blank nodes and named graphs, as other formats have', async () => {
  const [quad] = await parse({ '@id': 'urn:g', '@graph': [{ 'urn:p': [{ '@id': '_:a' }] }] });
  const types = [quad?.subject.termType, quad?.object.termType];
  expect([quad?.graph.value, ...types]).toEqual(['urn:g', 'BlankNode', 'BlankNode']);
});

test('JSON-LD of one property with many values costs what that of many subjects costs', async () => {
  const cost = async (subjectOf: (i: number) => number) => {
    const triples = Array.from({ length: 16_000 }, (_, i) => `<urn:${subjectOf(i)}> <urn:p> <urn:v:${i}>.`);
    const quads = await parseRdf(triples.join(' '), 'text/turtle', DOC);
    const busyMs = processorTime();
    expect(JSON.parse(toJsonLd(quads)).at(-1)['urn:p'].at(-1)).toEqual({ '@id': 'urn:v:15999' });
    return busyMs();
  };
  // Copying the values for each of them took more than 6 s.
  expect(await cost(() => 0)).toBeLessThan(3 * (await cost((i) => i)) + 500);
});
