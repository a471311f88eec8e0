import { Parser } from 'n3';
import { beforeEach, describe, expect, test } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { createTestApp, type TestApp } from '../../adapters/registry-app.js';

const FORM = 'https://forms.example/form.js';
const APP = 'https://app.example/#i';
const INDIVIDUAL = 'http://www.w3.org/2006/vcard/ns#Individual';
const invocation = [
  {
    ...{ type: 'ElementInvocation', element: 'shacl-form' },
    mapping: [{ variable: 'data-values', property: 'data' }],
  },
];
const capability = { action: 'odrl:modify', accept: ['text/turtle'], resourceType: [INDIVIDUAL], invocation };
const form = { uri: FORM, label: 'Form', capability: [capability] };
const turtle = `
  PREFIX ac: <https://www.w3.org/ns/ac#> PREFIX hydra: <http://www.w3.org/ns/hydra/core#> PREFIX odrl: <http://www.w3.org/ns/odrl/2/>
  <${APP}> <https://www.w3.org/ns/activitystreams#name> "Reader" ; ac:capability [
    a ac:Capability ; ac:action odrl:display ; ac:accept "text/html" ; ac:invocation [
      a ac:UriTemplateInvocation ; hydra:template "#open={open}" ;
      hydra:mapping [ hydra:variable "open" ; hydra:property ac:open ] ] ] .`;

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
  expect((await app.app.request('/component', postJson([form]))).status).toBe(201);
  expect((await postTurtle(turtle)).status).toBe(201);
});
const postTurtle = (body: string) =>
  app.app.request('/component', { method: 'POST', body, headers: { 'content-type': 'text/turtle' } });

const json = async (path: string, init?: RequestInit) =>
  (await app.app.request(path, init)).json() as Promise<never>;

/** What a query finds, whichever way it is asked. */
async function found(query: string): Promise<{ uri: string; label: string }[]> {
  const listed = await json(`/component?${query}`);
  const constraints = Object.fromEntries(new URLSearchParams(query));
  expect(await json('/component/query', postJson(constraints))).toEqual(listed);
  return listed;
}

describe('components with capabilities', () => {
  test('are answered as they were posted, and can be posted again', async () => {
    const listing = await json('/component');
    expect(listing).toMatchObject([{ uri: APP, label: 'Reader' }, form]);
    expect((await app.app.request('/component', postJson(listing))).status).toBe(200);
    expect(await json('/component')).toMatchObject([{ uri: APP }, form]);
  });

  test('have, in RDF, capabilities that are typed and have IRIs', async () => {
    const answer = await app.app.request('/component', { headers: { accept: 'text/turtle' } });
    const text = await answer.text();
    expect((await postTurtle(text)).status).toBe(200);
    expect(await json('/component')).toMatchObject([{ uri: APP }, form]);
    const quads = new Parser().parse(text);
    // As m5x5/application-capability-validator has it.
    const said = (end: string) => quads.filter(({ predicate }) => predicate.value.endsWith(end));
    const typed = said('#type').filter(({ object }) => object.value.endsWith('ac#Capability'));
    const named = new Set(said('ac#capability').map(({ object }) => object.value));
    expect(new Set(typed.map(({ subject }) => subject.value))).toEqual(named);
    expect(typed.map(({ subject }) => subject.termType)).toEqual(['NamedNode', 'NamedNode']);
  });

  test.each([
    ['action=odrl:modify', [FORM]],
    [`action=${encodeURIComponent('http://www.w3.org/ns/odrl/2/display')}`, [APP]],
    ['accept=text/html', [APP]],
    ['accept=text/html&action=odrl:modify', []],
    ['invocation=ElementInvocation&accept=text/turtle', [FORM]],
    ['invocation=UriTemplateInvocation', [APP]],
    [`shapes=${encodeURIComponent(INDIVIDUAL)}`, [FORM]],
  ])('are found by %s', async (query, uris) => {
    expect((await found(query)).map(({ uri }) => uri)).toEqual(uris);
  });

  test.each([
    ['invocation=none', ['both', 'events', 'plain']],
    ['invocation=none&action=odrl:display', ['events', 'plain']],
    ['invocation=none&action=odrl:modify', ['both']],
    ['invocation=none&accept=text/csv', ['events']],
    ['invocation=none&shapes=urn:s', ['plain']],
    ['invocation=none&q=nothing', []],
  ])('and those that speak the four events by %s', async (query, labels) => {
    const described = [
      { label: 'plain', shapes: ['urn:s'] },
      { label: 'events', capability: [{ accept: ['text/csv'] }] },
      { label: 'both', capability: [{ action: 'odrl:modify' }, { accept: ['text/csv'], invocation }] },
    ].map((one) => ({ uri: `https://c.example/${one.label}.js`, ...one }));
    expect((await app.app.request('/component', postJson(described))).status).toBe(201);
    expect((await found(query)).map(({ label }) => label)).toEqual(labels);
  });
});
