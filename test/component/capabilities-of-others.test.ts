import { describe, expect, it } from 'vitest';
import { applicationLink } from '../../src/component/application-link.js';
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
  it('a minimal one: an unnamed application is called by its address', async () => {
    const minimal = {
      id: 'https://app.example/',
      capability: {
        id: '#view',
        type: 'Capability',
        action: 'odrl:display',
        invocation: { id: '#how', type: 'UriTemplateInvocation', template: '#open={open}', mapping: [open] },
      },
    };
    expect(await asJsonLd(ofDraft(minimal))).toMatchObject({ label: 'app.example' });
    expect(await asJsonLd(ofDraft({ ...minimal, 'as:name': 'Reader' }))).toEqual({
      uri: 'https://app.example/',
      label: 'Reader',
      author: [],
      tag: [],
      shapes: [],
      capability: [
        {
          id: 'https://app.example/#view',
          action: 'odrl:display',
          invocation: [
            {
              id: 'https://app.example/#how',
              type: 'ac:UriTemplateInvocation',
              template: '#open={open}',
              mapping: [open],
            },
          ],
        },
      ],
    });
  });

  it('capabilities beside the application, sharing an invocation, with requirements and policies that are passed over', async () => {
    const view = {
      id: '#view',
      type: 'Capability',
      accept: ['text/markdown', 'text/html'],
      action: 'odrl:display',
    };
    const read = await asJsonLd(
      ofDraft({
        '@graph': [
          {
            id: '#i',
            type: 'ac:Application',
            'as:name': 'Editor',
            inbox: '/inbox/',
            capability: ['#view', '#edit', '#transform', '#elsewhere'],
            requirement: ['#scripts'],
            issuedPolicy: '#conduct',
          },
          { ...view, invocation: '#open' },
          { ...view, id: '#edit', action: 'odrl:modify', invocation: '#open' },
          {
            id: '#transform',
            action: 'odrl:transform',
            accept: 'text/markdown',
            output: 'text/html',
            destination: '/out/',
          },
          { id: '#open', type: 'UriTemplateInvocation', template: '#open={open}', mapping: [open] },
          {
            id: '#scripts',
            type: 'Requirement',
            cspDirective: "script-src 'self'",
            hasPurpose: 'dpv:ServiceProvision',
          },
          { id: '#conduct', type: 'odrl:Policy', 'odrl:prohibition': { 'odrl:action': { id: 'odrl:sell' } } },
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

  it.each([
    [
      '#selector(type=TextQuoteSelector,prefix={prefix},exact={exact})',
      'exact',
      'oa:exact',
      'http://www.w3.org/ns/oa#exact',
    ],
    ['#t={start},{end}', 'start', 'https://app.example/ns#start', 'https://app.example/ns#start'],
    ['#open={open}&output={output}', 'output', 'ac:output', 'ac:output'],
  ])('a template %s', async (template, variable, property, is) => {
    const invocation = { type: 'UriTemplateInvocation', template, mapping: [{ variable, property }] };
    const read = await asJsonLd(
      ofDraft({ id: '#i', 'as:name': 'A', capability: { action: 'odrl:display', invocation } }),
    );
    expect(read?.capability?.[0]?.invocation).toEqual([
      { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable, property: is }] },
    ]);
  });

  it.each([
    ['https://app.example/#i', 'app.example'],
    ['https://www.app.example/viewer/', 'www.app.example/viewer'],
    ['https://app.example/apps.ttl#reader', 'app.example/apps.ttl#reader'],
  ])('two unnamed ones in a document are not called the same: %s', async (id, label) => {
    const read = await only(`${prefixes} <${id}> ac:capability [ ac:action odrl:display ] .`);
    expect(read?.label).toBe(label);
  });

  it('a name in another description of the application counts', async () => {
    const read = await only(`${prefixes} <https://x.example/y.js> ac:capability [ ac:action odrl:display ] .
      <#card> sc:uri <https://x.example/y.js> ; sc:label "Card" .`);
    expect(read?.label).toBe('Card');
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
  it('m5x5/application-capability-validator: a variable without a mapping, relative IRIs, a summary', async () => {
    const read = await asJsonLd(
      ofDraft({
        id: '/#app',
        type: 'as:Application',
        'as:name': 'Checker',
        'as:summary': 'Checks',
        capability: [
          {
            id: '/#check',
            type: 'Capability',
            'as:summary': 'Show what is wrong',
            action: 'odrl:display',
            accept: 'text/html',
            shape: '/shapes/own.ttl',
            invocation: { id: '/#how', type: 'UriTemplateInvocation', template: '#check={check}' },
          },
        ],
      }),
    );
    expect(read).toMatchObject({ shapes: ['https://app.example/shapes/own.ttl'] });
    expect(read?.capability?.[0]).toMatchObject({ summary: 'Show what is wrong', accept: ['text/html'] });
    expect(read?.capability?.[0]?.invocation?.[0]).toEqual({
      id: 'https://app.example/#how',
      type: 'ac:UriTemplateInvocation',
      template: '#check={check}',
    });
  });

  it('m5x5/solid-app-gallery: hydra under the names of the draft, no subject for mappings, actions as texts', async () => {
    const read = await only(`${prefixes}
      <#app> a ac:Application ; as:name "Gallery" ; ac:capability <#view>, <#read> .
      <#view> a ac:Capability ; dct:title "view" ; ac:action odrl:read ; ac:accept "text/html" ; ac:invocation <#how> .
      <#how> a ac:UriTemplateInvocation ; ac:template "https://app.example/app/{open}" ;
        ac:mapping [ ac:variable "open" ; ac:property ac:open ] .
      <#read> a ac:Capability ; ac:action odrl:read ; ac:accept "text/turtle" ; ac:resourceType <http://example.org#Software> .`);
    expect(read?.capability?.[0]?.invocation?.[0]).toMatchObject({
      template: 'https://app.example/app/{open}',
      mapping: [open],
    });
    expect(read?.capability?.map(({ action }) => action)).toEqual(['odrl:read', 'odrl:read']);
    expect(read?.shapes).toEqual(['http://example.org#Software']);
  });

  it('a template under both names, as the draft has it (hydra:) and as the shapes of m5x5 ask for it (ac:)', async () => {
    const read =
      await only(`${prefixes} <#app> as:name "A" ; ac:capability [ ac:action odrl:display ; ac:invocation
      [ a ac:UriTemplateInvocation ; ac:template "#{o}" ; hydra:template "#{o}" ] ] .`);
    expect(read?.capability?.[0]?.invocation).toEqual([
      { type: 'ac:UriTemplateInvocation', template: '#{o}' },
    ]);
  });

  it('happy-track and pack-me-up: actions of other vocabularies, templates without variables, shapes in the document', async () => {
    const read = await only(`${prefixes} PREFIX sh: <http://www.w3.org/ns/shacl#>
      <#i> a ac:Application ; as:name "Journal" ; ac:capability <#write>, <#view> ; ac:requirement <#connect> .
      <#write> a ac:Capability ; ac:action as:Create ; ac:output "text/html" ; ac:resourceType <v#Entry> ; ac:invocation <#today> .
      <#view> a ac:Capability ; ac:action odrl:display ; ac:resourceType <v#Month> ; ac:shape <#MonthShape> ; ac:invocation <#open> .
      <#open> a ac:UriTemplateInvocation ; hydra:template "#open={open}" ;
        hydra:mapping [ hydra:variable "open" ; hydra:property ac:open ] .
      <#today> a ac:UriTemplateInvocation ; hydra:template "#/today" .
      <#connect> a ac:Requirement ; ac:cspDirective "connect-src 'self' https:" .
      <#MonthShape> a sh:NodeShape ; sh:targetClass <v#Month> ; sh:property [ sh:path <v#key> ; sh:minCount 1 ] .`);
    expect(read?.capability?.map(({ action }) => action)).toEqual([
      'https://www.w3.org/ns/activitystreams#Create',
      'odrl:display',
    ]);
    expect(read?.capability?.[0]?.invocation).toEqual([
      { id: 'https://app.example/#today', type: 'ac:UriTemplateInvocation', template: '#/today' },
    ]);
    expect(read?.shapes).toEqual([
      'https://app.example/#MonthShape',
      'https://app.example/v#Entry',
      'https://app.example/v#Month',
    ]);
  });

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

// docs/decisions/0018-self-host-app-registration-vocab.md of pod-os/PodOS
describe('registrations as PodOS has decided to write them', () => {
  const registration = (invocation: string) =>
    only(`${prefixes} PREFIX tools: <https://tools.example/#> PREFIX schema: <http://schema.org/>
      <> a tools:ToolIndex ; tools:registration <#one> .
      <#one> a tools:Registration ; schema:name "Recipe pane" ; ac:capability <#show> .
      <#show> a ac:Capability ; ac:action odrl:display ; ac:resourceType schema:Recipe ; ac:invocation <#how> .
      <#how> ${invocation} .`);
  const read = {
    uri: 'https://app.example/#one',
    label: 'Recipe pane',
    shapes: ['http://schema.org/Recipe'],
  };

  it('of an application that is elsewhere, opened with the name of its parameter', async () => {
    const url = { variable: 'url', property: 'ac:open' };
    const app =
      await registration(`a ac:UriTemplateInvocation ; ac:template "https://viewer.example/show?url={url}" ;
      ac:mapping [ ac:variable "url" ; ac:property ac:open ]`);
    const how = { template: 'https://viewer.example/show?url={url}', mapping: [url] };
    expect(app).toMatchObject({ ...read, capability: [{ invocation: [how] }] });
    expect(applicationLink(app?.uri ?? '', how, 'https://pod.example/a?b')).toBe(
      'https://viewer.example/show?url=https%3A%2F%2Fpod.example%2Fa%3Fb',
    );
  });

  it('of a tool of a kind that is not known here, with the reason', async () => {
    const { components, invalid } = await described(`${prefixes} PREFIX tools: <https://tools.example/#>
      <#one> ac:capability [ ac:action odrl:display ; ac:invocation [
        a tools:HtmlToolInvocation ; tools:htmlToolFragment "<pos-label>" ] ] .`);
    expect(components).toEqual([]);
    expect(invalid[0]?.faults[0]?.detail).toContain('is no kind of invocation that is known here');
  });
});

describe('descriptions in this vocabulary', () => {
  const expected = {
    uri: 'https://forms.example/form.js',
    label: 'Form',
    shapes: ['http://www.w3.org/2006/vcard/ns#Individual'],
    capability: [
      {
        action: 'odrl:modify',
        resourceType: ['http://www.w3.org/2006/vcard/ns#Individual'],
        invocation: [
          {
            type: 'ElementInvocation',
            element: 'shacl-form',
            format: 'text/turtle',
            fixed: { 'data-view': '' },
            mapping: [
              { variable: 'data-values', property: 'data' },
              { variable: 'data-shapes', property: 'shapes' },
            ],
            write: { event: 'change', property: 'turtle' },
          },
          {
            type: 'FragmentInvocation',
            fragment: '<x-y></x-y>',
            module: [{ uri: 'https://x.example/y.js' }],
          },
        ],
      },
    ],
  };

  it('in Turtle, with blank nodes', async () => {
    const read = await only(`${prefixes}
      <https://forms.example/form.js> a sc:component ; sc:label "Form" ; ac:capability [
        ac:action odrl:modify ; ac:resourceType <http://www.w3.org/2006/vcard/ns#Individual> ; ac:invocation [
          a sc:ElementInvocation ; sc:element "shacl-form" ; sc:format "text/turtle" ; sc:fixed '{"data-view": ""}'^^rdf:JSON ;
          hydra:mapping [ hydra:variable "data-values" ; hydra:property sc:data ], [ hydra:variable "data-shapes" ; hydra:property sc:shapes ] ;
          sc:write [ sc:event "change" ; sc:property "turtle" ] ], [
          a sc:FragmentInvocation ; sc:fragment "<x-y></x-y>" ; sc:module [ sc:uri <https://x.example/y.js> ] ] ] .`);
    expect(read).toMatchObject(expected);
  });

  it('in JSON-LD, with the names of JSON', async () => {
    const text = JSON.stringify({ '@context': 'http://semcom.digita.ai/voc', ...expected });
    expect(await asJsonLd(text)).toMatchObject(expected);
  });

  it('with an invocation beside the context of the draft', async () => {
    const document = {
      '@context': ['http://semcom.digita.ai/voc', 'https://www.w3.org/ns/ac.jsonld'],
      uri: 'https://x.example/y.js',
      label: 'X',
      capability: { action: 'odrl:print', invocation: { type: 'UriTemplateInvocation', template: '#{o}' } },
    };
    expect((await asJsonLd(JSON.stringify(document)))?.capability).toEqual([
      { action: 'odrl:print', invocation: [{ type: 'ac:UriTemplateInvocation', template: '#{o}' }] },
    ]);
  });

  it('nodes that lead to one another end somewhere', async () => {
    const { components } = await described(`${prefixes}
      <#i> as:name "A" ; ac:capability <#c> . <#c> ac:action odrl:display ; ac:invocation <#k> .
      <#k> a ac:UriTemplateInvocation ; hydra:template "#" ; hydra:mapping <#k> .`);
    expect(components).toEqual([]);
  });
});
