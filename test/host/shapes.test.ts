import { Parser } from 'n3';
import { describe, expect, test } from 'vitest';
import { conformsTo, shapesInGraph } from '../../src/host/graph-shapes.js';
import { kindOf, shapesOf } from '../../src/host/shapes.js';
import { growth } from '../support/growth.js';

const DOC = 'https://pod.example/card';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const PREFIXES = `@prefix f: <${FOAF}>. @prefix d: <http://purl.org/dc/terms/>. `;
const PROFILE = '<> a f:PersonalProfileDocument; f:primaryTopic <#me>. <#me> a f:Person, <urn:Agent>.';
const LIST = '<#list> a <urn:List>; <urn:has> <#item>. <#item> a <urn:Item>.';
const CRDT = 'https://vocab.noeldemartin.com/crdt/';
const SOUKAI = `<#it> a <urn:Recipe>. <#m> a <${CRDT}Metadata>; <${CRDT}resource> <#it>.`;
const CONFORMING =
  '<> d:conformsTo <urn:doc>; f:primaryTopic <#it>. <#it> a <urn:It>; d:conformsTo <urn:it>.';
const JSON_LD = JSON.stringify({ '@context': { '@vocab': FOAF }, '@id': '', '@type': 'Person', name: 'Ann' });
const LINK = `<http://www.w3.org/ns/ldp#Resource>; rel="type", <urn:List>; rel=type,
  <shapes#a,b>; rel="conformsTo up"; title="a, b", <x>; rel="acl"`.replace('\n ', '');

const LISTED = '<> a <urn:List>.';
const PHOTO = '<urn:Photo>; rel="type"';

/** A web of one document, and the URLs that it was asked for. */
function web(body: string, { type = 'text/turtle', link = '', status = 200 } = {}) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return new Response(body, { status, headers: { 'content-type': type, ...(link && { link }) } });
  };
  return { fetch, asked };
}

describe('the shapes of a resource are', () => {
  test.each<[what: string, turtle: string, expected: string[], fragment?: string]>([
    ['the classes of the primary topic', PROFILE, [`${FOAF}Person`, 'urn:Agent']],
    ['those of the fragment, whatever the topic is', `${PROFILE} <#a> a <urn:A>.`, ['urn:A'], '#a'],
    ['those of the document itself', '<> a <urn:List>. <#item> a <urn:Item>.', ['urn:List']],
    ['those of the subject that no other mentions', LIST, ['urn:List']],
    ['not those of what applications note about their own data', SOUKAI, ['urn:Recipe']],
    ['what the topic and the document conform to', CONFORMING, ['urn:It', 'urn:it', 'urn:doc']],
    ['none, when nothing is said', '<#a> <urn:p> "x".', []],
    ['none, for literals in the place of classes', '<> a "Person".', []],
  ])('%s', async (_what, turtle, expected, fragment = '') => {
    const { fetch, asked } = web(PREFIXES + turtle);
    expect(await shapesOf(DOC + fragment, { fetch })).toEqual(expected);
    expect(asked).toEqual([DOC]);
  });

  test.each([
    ['those of JSON-LD', JSON_LD, { type: 'application/ld+json; charset=utf-8' }, [`${FOAF}Person`]],
    ['in Link headers, each once', LISTED, { link: LINK }, ['urn:List', 'https://pod.example/shapes#a,b']],
    ['in Link headers of what is no RDF', 'PNG', { type: 'image/png', link: PHOTO }, ['urn:Photo']],
  ])('%s', async (_what, body, served, expected) => {
    expect(await shapesOf(DOC, web(body, served))).toEqual(expected);
  });
});

test.each([shapesInGraph, conformsTo])('%o looks at a statement a few times', (of) => {
  const things = (count: number) =>
    Array.from({ length: count }, (_, i) => `<#${i}> a <urn:T>; d:conformsTo <urn:S>.`);
  const quadsOf = (count: number) => new Parser({ baseIRI: DOC }).parse(PREFIXES + things(count).join(' '));
  expect(growth(quadsOf, (quads) => of(quads, DOC))).toBeLessThan(3);
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

describe('a resource that cannot be read', () => {
  test.each([
    ['not found', '', { status: 404 }, /answered with 404/],
    ['broken', '<a> <b>', {}, /not valid text\/turtle/],
    ['too large', `# ${'x'.repeat(5_000_000)}`, {}, /larger than 5000000 bytes/],
    ['broken JSON-LD', '{', { type: 'application/ld+json' }, /is not valid application\/ld\+json: Not JSON/],
  ])('%s is an error', async (_what, body, served, message) => {
    await expect(shapesOf(DOC, web(body, served))).rejects.toThrow(message);
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
