import { describe, expect, test } from 'vitest';
import { kindOf, shapesOf } from '../../src/host/shapes.js';

const DOC = 'https://pod.example/card';
const FOAF = 'http://xmlns.com/foaf/0.1/';

interface Page {
  body: string;
  type?: string;
  link?: string;
  status?: number;
}

/** A web of these pages. */
function web(pages: Record<string, Page>) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    const { body, type = 'text/turtle', link, status = 200 } = pages[url] ?? { body: '', status: 404 };
    return new Response(body, { status, headers: { 'content-type': type, ...(link ? { link } : {}) } });
  };
  return { fetch, asked };
}

const cases: readonly (readonly [string, string, Page, readonly string[]])[] = [
  [
    'the classes of the primary topic',
    DOC,
    {
      body: `<> a <${FOAF}PersonalProfileDocument>; <${FOAF}primaryTopic> <#me>. <#me> a <${FOAF}Person>, <urn:Agent>. <#other> a <urn:Other>.`,
    },
    [`${FOAF}Person`, 'urn:Agent'],
  ],
  [
    'what JSON-LD says',
    DOC,
    {
      body: JSON.stringify({ '@context': { '@vocab': FOAF }, '@id': '', '@type': 'Person', name: 'Ann' }),
      type: 'application/ld+json; charset=utf-8',
    },
    [`${FOAF}Person`],
  ],
  [
    'the classes of the fragment, whatever the primary topic is',
    `${DOC}#other`,
    { body: `<> <${FOAF}primaryTopic> <#me>. <#me> a <${FOAF}Person>. <#other> a <urn:Other>.` },
    ['urn:Other'],
  ],
  [
    'the classes of the document itself',
    DOC,
    { body: '<> a <urn:List>. <#item> a <urn:Item>.' },
    ['urn:List'],
  ],
  [
    'the classes of the subject that no other mentions',
    DOC,
    { body: '<#list> a <urn:List>; <urn:has> <#item>. <#item> a <urn:Item>.' },
    ['urn:List'],
  ],
  [
    'not of what applications note about their own data (Soukai)',
    DOC,
    {
      body: '<#it> a <urn:Recipe>. <#m> a <https://vocab.noeldemartin.com/crdt/Metadata>; <https://vocab.noeldemartin.com/crdt/resource> <#it>.',
    },
    ['urn:Recipe'],
  ],
  [
    'what the topic and the document conform to',
    DOC,
    {
      body: `<> <http://purl.org/dc/terms/conformsTo> <urn:shape:doc>; <${FOAF}primaryTopic> <#it>. <#it> a <urn:It>; <http://purl.org/dc/terms/conformsTo> <urn:shape:it>.`,
    },
    ['urn:It', 'urn:shape:it', 'urn:shape:doc'],
  ],
  [
    'types and shapes in Link headers, last and each once',
    DOC,
    {
      body: '<> a <urn:List>.',
      link: '<http://www.w3.org/ns/ldp#Resource>; rel="type", <urn:List>; rel=type, <shapes#a,b>; rel="conformsTo up"; title="a, b", <x>; rel="acl"',
    },
    ['urn:List', 'https://pod.example/shapes#a,b'],
  ],
  ['nothing, when nothing is said', DOC, { body: '<#a> <urn:p> "x".' }, []],
  ['nothing, for literals in the place of classes', DOC, { body: '<> a "Person".' }, []],
];

describe('the shapes of a resource are', () => {
  test.each(cases)('%s', async (_what, resource, page, expected) => {
    const { fetch, asked } = web({ [DOC]: page });
    expect(await shapesOf(resource, { fetch })).toEqual(expected);
    expect(asked).toEqual([DOC]);
  });

  test('asked for with a header that needs no preflight (Fetch Standard, "CORS-safelisted request-header")', async () => {
    const accepts: string[] = [];
    await shapesOf(DOC, {
      fetch: async (_url, init) => {
        accepts.push(new Headers(init?.headers).get('accept') ?? '');
        return new Response('', { headers: { 'content-type': 'text/turtle' } });
      },
    });
    expect(accepts[0]?.length).toBeLessThanOrEqual(128);
    expect(accepts[0]).toMatch(/^text\/turtle,.*,application\/ld\+json;q=0.5,\*\/\*;q=0.1$/);
  });
});

test('of what a pod server would make RDF of, the media type counts', async () => {
  const fetch = async (_url: string, init?: RequestInit) => {
    const asIs = init?.method === 'HEAD' && new Headers(init.headers).get('accept') === '*/*';
    const headers = { 'content-type': asIs ? 'image/svg+xml' : 'text/turtle' };
    return new Response(asIs ? null : '', { headers });
  };
  const known = { shapes: [], mediaType: 'image/svg+xml' };
  expect(await kindOf('https://pod.example/cat.svg', { fetch })).toMatchObject(known);
});

test('a resource that is no RDF has the shapes of its Link header', async () => {
  const { fetch } = web({ [DOC]: { body: 'PNG', type: 'image/png', link: '<urn:Photo>; rel="type"' } });
  expect(await shapesOf(DOC, { fetch })).toEqual(['urn:Photo']);
});

describe('a resource that cannot be read', () => {
  test.each([
    ['not found', { body: '', status: 404 }, /answered with 404/],
    ['broken', { body: '<a> <b>' }, /not valid text\/turtle/],
    ['too large', { body: `# ${'x'.repeat(5_000_000)}` }, /larger than 5000000 bytes/],
    [
      'JSON-LD that is broken',
      { body: '{', type: 'application/ld+json' },
      /is not valid application\/ld\+json: Not JSON/,
    ],
  ])('%s is an error', async (_what, page, message) => {
    const { fetch } = web({ [DOC]: page });
    await expect(shapesOf(DOC, { fetch })).rejects.toThrow(message);
  });

  test.each(['card', 'javascript:alert(1)', ''])('because it is no URL is an error: %j', async (resource) => {
    await expect(shapesOf(resource)).rejects.toMatchObject({
      reason: 'request',
      message: expect.stringContaining('is no http or https URL'),
    });
  });

  test('because nobody answers, says what it may be', async () => {
    const fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(shapesOf(DOC, { fetch })).rejects.toMatchObject({
      reason: 'network',
      message: expect.stringContaining('does not let pages of other origins read it'),
    });
  });
});
