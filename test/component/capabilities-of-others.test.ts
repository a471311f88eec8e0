import { describe, expect, it } from 'vitest';
import { hasModule } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../src/component/reading/descriptions.js';
import { createVocabulary } from '../../src/component/vocabulary.js';

const namespace = 'http://semcom.digita.ai/voc#';
const open = { variable: 'open', property: 'ac:open' };
const prefixes = `
  PREFIX ac: <https://www.w3.org/ns/ac#> PREFIX as: <https://www.w3.org/ns/activitystreams#> PREFIX oa: <http://www.w3.org/ns/oa#>
  PREFIX dct: <http://purl.org/dc/terms/> PREFIX hydra: <http://www.w3.org/ns/hydra/core#> PREFIX odrl: <http://www.w3.org/ns/odrl/2/>
  PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX sc: <${namespace}> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
`;

/** What a document describes, read as nodes read it. */
async function described(text: string, mediaType = 'text/turtle') {
  const quads = await parseRdf({ text, mediaType, baseIri: 'https://app.example/', namespace });
  return componentsFromQuads(quads, createVocabulary(namespace));
}

async function only(text: string, mediaType?: string): Promise<Metadata | undefined> {
  const { components, invalid } = await described(text, mediaType);
  expect(invalid).toEqual([]);
  expect(components).toHaveLength(1);
  return components[0];
}

const ofDraft = (nodes: object) =>
  JSON.stringify({ '@context': 'https://www.w3.org/ns/ac.jsonld', ...nodes });
const asJsonLd = (document: string) => only(document, 'application/ld+json');

// The examples of https://dokieli.github.io/application-capability/ (draft report of 2026-08-17), with other values.
describe('descriptions as the draft writes them', () => {
  it('an unnamed application is called by its address', async () => {
    const read = await only(
      `${prefixes} <https://www.app.example/viewer/#i> ac:capability [ ac:action odrl:display ] .`,
    );
    expect(read?.label).toBe('www.app.example/viewer');
  });

  it('capabilities beside the application, sharing an invocation, with requirements and policies that are passed over', async () => {
    const view = { type: 'Capability', accept: ['text/markdown', 'text/html'], invocation: '#open' };
    const application = { id: '#i', type: 'ac:Application', 'as:name': 'Editor', inbox: '/inbox/' };
    const refused = { 'odrl:prohibition': { 'odrl:action': { id: 'odrl:sell' } } };
    const read = await asJsonLd(
      ofDraft({
        '@graph': [
          {
            ...{ ...application, requirement: ['#scripts'], issuedPolicy: '#conduct' },
            capability: ['#view', '#edit', '#transform', '#elsewhere'],
          },
          { ...view, id: '#view', action: 'odrl:display' },
          { ...view, id: '#edit', action: 'odrl:modify' },
          {
            ...{ id: '#transform', action: 'odrl:transform', accept: 'text/markdown' },
            ...{ output: 'text/html', destination: '/out/' },
          },
          { id: '#open', type: 'UriTemplateInvocation', template: '#open={open}', mapping: [open] },
          { id: '#scripts', type: 'Requirement', cspDirective: "script-src 'self'" },
          { id: '#conduct', type: 'odrl:Policy', ...refused },
        ],
      }),
    );
    const [one, two, three, four] = read?.capability ?? [];
    expect(read?.uri).toBe('https://app.example/#i');
    expect(one).toMatchObject({ action: 'odrl:display', accept: ['text/html', 'text/markdown'] });
    expect(two?.invocation).toEqual(one?.invocation);
    expect(three).toEqual({
      id: 'https://app.example/#transform',
      action: 'odrl:transform',
      accept: ['text/markdown'],
      output: ['text/html'],
      destination: 'https://app.example/out/',
      invocation: [],
    });
    // Of one that is described elsewhere, nothing is known here.
    expect(four).toEqual({ id: 'https://app.example/#elsewhere', invocation: [] });
    expect(hasModule(read?.capability)).toBe(false);
  });

  it('a component of the vocabulary must have a label', async () => {
    const { invalid } = await described(
      `${prefixes} <#i> sc:tag "a" ; rdfs:label "A" ; ac:capability [ ac:action odrl:display ] .`,
    );
    expect(invalid[0]?.faults.map(({ detail }) => detail)).toEqual(['label is missing']);
  });

  it('in a client identifier document (Solid-OIDC, section 5.1), whose context is shipped, too', async () => {
    const read = await asJsonLd(
      JSON.stringify({
        '@context': ['https://www.w3.org/ns/solid/oidc-context.jsonld', 'https://www.w3.org/ns/ac.jsonld'],
        client_id: 'https://app.example/id.jsonld',
        client_name: 'Reader',
        client_uri: '/',
        redirect_uris: ['https://app.example/callback'],
        grant_types: ['refresh_token', 'authorization_code'],
        scope: 'openid webid',
        require_auth_time: true,
        default_max_age: 60,
        capability: ['#view'],
      }),
    );
    expect(read).toMatchObject({
      uri: 'https://app.example/id.jsonld',
      label: 'Reader',
      capability: [{ id: 'https://app.example/#view', invocation: [] }],
    });
  });

  it.each([
    ['as:name', 'https://www.w3.org/ns/activitystreams#name'],
    ['schema:name', 'http://schema.org/name'],
    ['schema:name', 'https://schema.org/name'],
    ['rdfs:label', 'http://www.w3.org/2000/01/rdf-schema#label'],
    ['dct:title', 'http://purl.org/dc/terms/title'],
    ['doap:name', 'http://usefulinc.com/ns/doap#name'],
    ['foaf:name', 'http://xmlns.com/foaf/0.1/name'],
  ])('on a subject of another vocabulary, named by %s (%s)', async (_, name) => {
    const read = await only(
      `${prefixes} <#i> <${name}> "App"@en ; ac:capability <#c> . <#c> ac:action odrl:display .`,
    );
    expect(read).toMatchObject({ uri: 'https://app.example/#i', label: 'App' });
  });
});

describe('descriptions as adopters publish them', () => {
  it('dokieli (https://dokie.li/): properties of its own that are described in place, several invocations of one capability', async () => {
    const read = await only(`${prefixes}
      <#i> a ac:Application ; <http://schema.org/name> "Notebook"@en ; ac:capability <#mark>, <#compare> .
      <#mark> a ac:Capability ; dct:title "Highlight" ; ac:action oa:highlighting ; ac:accept "application/xhtml+xml", "text/html" ;
        ac:invocation <#quote>, <#position> .
      <#quote> a ac:UriTemplateInvocation ; hydra:template "#selector(type={type},exact={exact})" ; hydra:mapping <#m1>, <#m2> .
      <#m1> hydra:variable "type" ; hydra:property rdf:type . <#m2> hydra:variable "exact" ; hydra:property oa:exact .
      <#position> a ac:UriTemplateInvocation ; hydra:template "#selector(start={start})" ; hydra:mapping <#m3> .
      <#m3> hydra:variable "start" ; hydra:property oa:start .
      <#compare> a ac:Capability ; ac:action odrl:display ; ac:invocation <#diff> .
      <#diff> a ac:UriTemplateInvocation ; hydra:template "#diff={diff}&diff={diff}" ; hydra:mapping <#m4> .
      <#m4> hydra:variable "diff" ; hydra:property <#property-diff> . <#property-diff> rdfs:label "diff" .`);
    expect(read?.label).toBe('Notebook');
    expect(read?.capability?.[0]).toMatchObject({
      summary: 'Highlight',
      action: 'http://www.w3.org/ns/oa#highlighting',
    });
    expect(read?.capability?.[0]?.invocation?.map(({ id }) => id)).toEqual([
      'https://app.example/#quote',
      'https://app.example/#position',
    ]);
    expect(read?.capability?.[1]?.invocation?.[0]).toMatchObject({
      mapping: [{ variable: 'diff', property: 'https://app.example/#property-diff' }],
    });
  });
});

it('nodes that lead to one another end somewhere', async () => {
  const { components } = await described(`${prefixes}
    <#i> as:name "A" ; ac:capability <#c> . <#c> ac:action odrl:display ; ac:invocation <#k> .
    <#k> a ac:UriTemplateInvocation ; hydra:template "#" ; hydra:mapping <#k> .`);
  expect(components).toEqual([]);
});
