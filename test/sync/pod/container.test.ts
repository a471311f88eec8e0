import type { Quad } from '@rdfjs/types';
import { DataFactory, Parser } from 'n3';
import { describe, expect, it } from 'vitest';
import { DCT_MODIFIED, IANA_MEDIA_TYPE, RDF_TYPE } from '../../../src/component/vocabulary.js';
import { ContainerReader, linksToContainerType } from '../../../src/sync/pod/container.js';

const { namedNode, quad } = DataFactory;
const POD = 'https://pod.example/alice/';
function reader(quads: readonly Quad[]) {
  const container = new ContainerReader(POD, 10_000);
  for (const quad of quads) container.add(quad);
  return container;
}
function listing(turtle: string) {
  return reader(
    new Parser({ format: 'text/turtle', baseIRI: POD }).parse(`
      @prefix ldp: <http://www.w3.org/ns/ldp#>. @prefix dct: <${DCT_MODIFIED.replace('modified', '')}>.
      ${turtle}`) as Quad[],
  ).read();
}
const urls = (turtle: string) => listing(turtle).map(({ url }) => url.replace(POD, ''));

describe('a listing', () => {
  it('tells documents, containers and other things apart', () => {
    const members = listing(`
      <> ldp:contains <a.ttl>, <plain>, <b.jsonld>, <stored.nt>, <photo.png>, <page>, <sub/>, <typed>.
      <a.ttl> a <${IANA_MEDIA_TYPE}text/turtle#Resource>, ldp:Resource.
      <b.jsonld> a <${IANA_MEDIA_TYPE}application/ld+json#Resource>.
      <stored.nt> a <${IANA_MEDIA_TYPE}application/n-triples#Resource>.
      <photo.png> a <${IANA_MEDIA_TYPE}image/png#Resource>.
      <page> a <${IANA_MEDIA_TYPE}text/html#Resource>.
      <typed> a ldp:BasicContainer.`);
    const [documents, containers] = [false, true].map((is) =>
      members.filter(({ isContainer }) => isContainer === is).map(({ url }) => url.replace(POD, '')),
    );
    expect(documents).toEqual(['a.ttl', 'b.jsonld', 'plain', 'stored.nt']);
    expect(containers).toEqual(['sub/', 'typed']);
  });

  it('reads when members were modified, and lists each once', () => {
    const members = listing(`
      <> ldp:contains <a>, <a>, <${POD}a>, <a#part>, <b>.
      <a> dct:modified "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z".`);
    expect(members).toMatchObject([
      { url: `${POD}a`, modified: '2026-02-01T00:00:00.000Z' },
      { url: `${POD}b` },
    ]);
    expect(members[1]?.modified).toBeUndefined();
  });

  it.each([
    ['the container itself', ''],
    ['a query of the container itself', '?page=2'],
    ['its parent', '../'],
    ['a sibling', '../bob/a'],
    ['a sibling whose name begins alike', 'https://pod.example/alice2/a'],
    ['another host', 'https://evil.example/alice/a'],
    ['another port', 'https://pod.example:8443/alice/a'],
    ['another scheme', 'http://pod.example/alice/a'],
    ['dots that URL parsing resolves', `${POD}%2e%2e/bob/a`],
    ['dots behind encoded slashes', `${POD}x%2F..%2F..%2Fbob`],
    ['dots behind encoded backslashes', `${POD}..%5Cbob`],
    ['a user name', 'https://me@pod.example/alice/a'],
    ['what is no URL', 'urn:x'],
  ])('refuses %s', (_, iri) => {
    expect(urls(`<> ldp:contains <${iri}>, <a>.`)).toEqual(['a']);
    expect(() => urls(`<> ldp:contains <${iri}>.`)).toThrow('does the server know its own public URL');
  });

  it.each([
    ['with a query', '<> ldp:contains <a?version=2>.', 'a?version=2'],
    ['percent-encoded', '<> ldp:contains <caf%C3%A9%20au%20lait.ttl>.', 'caf%C3%A9%20au%20lait.ttl'],
    ['with dots in their names', '<> ldp:contains <..a-...b-c..d.>.', '..a-...b-c..d.'],
    ['once, written with and without encoding', '<> ldp:contains <café>, <caf%C3%A9>.', 'caf%C3%A9'],
    ['of no other container', '<> ldp:contains <a>. <s/> ldp:contains <s/a>. <x> ldp:contains <b>.', 'a'],
    ['of one named without its final slash', '<https://pod.example/alice> ldp:contains <a>.', 'a'],
  ])('has members %s', (_, turtle, member) => {
    expect(urls(turtle)).toEqual([member]);
  });
});

describe('a body says that it is a container', () => {
  it.each([
    [true, POD, 'Container'],
    [true, POD, 'BasicContainer'],
    [true, 'https://pod.example/alice', 'Container'],
    [false, `${POD}sub/`, 'Container'],
    [false, POD, 'Resource'],
  ])('is %s where <%s> is an ldp:%s', (expected, subject, type) => {
    const said = quad(namedNode(subject), namedNode(RDF_TYPE), namedNode(`http://www.w3.org/ns/ldp#${type}`));
    expect(reader([said as Quad]).isContainer).toBe(expected);
  });
});

it.each([
  [true, '<.acl>; rel="acl", <http://www.w3.org/ns/ldp#BasicContainer>; rel=type'],
  [false, '<http://www.w3.org/ns/ldp#Container>; rel="describedby"'],
  [false, '<http://www.w3.org/ns/ldp#Resource>; rel="type"'],
  [false, null],
])('a header calls it a container is %s for %s', (expected, link) => {
  expect(linksToContainerType(link)).toBe(expected);
});
