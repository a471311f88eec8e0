import { beforeEach, describe, expect, test } from 'vitest';
import type { Metadata } from '../../../../src/component/metadata.js';
import type { Source } from '../../../../src/component/source.js';
import { hostileComponent, PERSON } from '../../../support/hostile-component.js';
import { postJson } from '../../../support/node/post-json.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const SCHEMA = 'https://schema.org/';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };

const at = (name: string, more: Partial<Metadata> = {}) =>
  component(`https://c.example/${name}.js`, { label: name, ...more });

interface Answer {
  readonly component: Metadata & { readonly source: object };
  readonly invocation: { readonly type: string } | null;
  readonly score: number;
  readonly because: readonly { readonly code: string; readonly text: string }[];
  readonly missing: { readonly types: readonly string[]; readonly predicates: readonly string[] };
}

let node: TestApp;
const ask = (body: unknown, init = postJson(body)) => node.app.request('/match', init);
const matches = async (body: unknown): Promise<Answer[]> => {
  const answer = await ask(body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer[];
};
const labels = async (body: unknown) =>
  (await matches(body)).map(({ component: { label }, because: [reason] }) => `${label} ${reason?.code}`);

beforeEach(async () => {
  node = await createTestApp();
});

describe('matches', () => {
  test('stand in the order of what they know of the data, and say why', async () => {
    await node.registry.upsertLocal([
      at('anything', { shapes: [RESOURCE] }),
      at('card', { shapes: [`${VCARD}Individual`] }),
      // Of three versions, one is shown.
      ...['1.0.0', '1.9.0'].map((version) =>
        at(version, { label: 'person', version, shapes: [`${FOAF}Person`], latest: true }),
      ),
      at('person', { version: '1.10.0', shapes: [`${FOAF}Person`], latest: true }),
      at('shaped', { shapes: ['https://shapes.example/me'] }),
      at('turtle', { capability: [{ accept: ['text/turtle'] }] }),
      at('recipe', { shapes: [`${SCHEMA}Recipe`] }),
    ]);
    const question = {
      types: [`${FOAF}Person`],
      shapes: ['https://shapes.example/me'],
      predicates: [`${FOAF}name`, 'https://own.example/shoeSize'],
      mediaType: 'text/turtle; charset=utf-8',
    };
    const found = await matches(question);
    expect(found.map(({ component: { label }, because: [reason] }) => [label, reason?.code])).toEqual([
      ['shaped', 'shape'],
      ['person', 'class'],
      ['card', 'close'],
      ['turtle', 'media-type'],
      ['anything', 'generic'],
    ]);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(found[1]).toMatchObject({
      component: { uri: 'https://c.example/person.js', source: { kind: 'local', trust: 'own' } },
      invocation: null,
      because: [
        { code: 'class', text: 'renders foaf:Person' },
        { code: 'latest' },
        { code: 'own', text: 'described by a source that this node was told to trust' },
      ],
      missing: { types: [], predicates: ['https://own.example/shoeSize'] },
    });
    expect(found[2]?.because[0]?.text).toBe(
      'renders vcard:Individual, which is close to foaf:Person: name, picture and addresses have other properties there',
    );
    expect(found[2]?.missing).toEqual({
      types: [`${FOAF}Person`],
      predicates: [`${FOAF}name`, 'https://own.example/shoeSize'],
    });
    expect(found[4]?.missing).toEqual({ types: [], predicates: [] });
    expect(await matches({ ...question, limit: 2 })).toEqual(found.slice(0, 2));
  });

  test('are found beside the largest descriptions that there may be, and have 4 MB at most', async () => {
    const large = (i: number) => hostileComponent(i) as unknown as Metadata;
    const shapes = [PERSON];
    await node.say(STRANGER, [at('small', { shapes }), ...Array.from({ length: 12 }, (_, i) => large(i))]);
    const answer = await ask({ types: shapes, limit: 100 });
    const text = await answer.text();
    expect([answer.status, text.length < 4_100_000]).toEqual([200, true]);
    const found = JSON.parse(text) as Answer[];
    expect(found.map(({ component: { label } }) => label)).toContain('small');
    expect(found.length).toBeGreaterThan(2);
  });

  test('of the operator are there, however many strangers say the same', async () => {
    const shapes = [`${FOAF}Person`];
    await node.say(
      STRANGER,
      Array.from({ length: 700 }, (_, i) => at(`a${i}`, { shapes })),
    );
    await node.registry.upsertLocal([at('zzz', { shapes })]);
    expect((await labels({ types: shapes, limit: 1 }))[0]).toBe('zzz class');
  });
});

describe('a question', () => {
  test('is answered by how modules fare, and what components say, now', async () => {
    const render = { shapes: [`${FOAF}Person`] };
    await node.registry.upsertLocal([at('one', { ...render, latest: true }), at('other', render)]);
    const question = { types: [`${FOAF}Person`] };
    const both = ['one class', 'other class'];
    expect(await labels(question)).toEqual(both);
    expect(await labels({ ...question, limit: 20 })).toEqual(both);
    node.node.failingModules = [{ uri: 'https://c.example/one.js', error: 'gone', at: 0, failures: 1 }];
    expect(await labels(question)).toEqual(both.toReversed());
    node.node.failingModules = [];
    expect(await labels(question)).toEqual(both);
    await node.registry.upsertLocal([at('one'), at('another', { ...render, latest: true })]);
    expect(await labels(question)).toEqual(['another class', 'other class']);
  });

  test('is refused with a pointer for each fault', async () => {
    const answer = await ask({
      types: ['foaf Person'],
      shapes: Array.from({ length: 17 }, (_, i) => `urn:x:${i}`),
      mediaType: 'turtle',
      limit: 0,
      values: ['Ann'],
    });
    expect(answer.status).toBe(422);
    const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] };
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/limit',
      '/mediaType',
      '/shapes',
      '/types/0',
      '/values',
    ]);
    expect(errors.find(({ pointer }) => pointer === '/values')?.detail).toContain(
      'types, shapes, predicates',
    );
    expect((await ask([])).status).toBe(422);
  });

  test('is JSON, of any origin', async () => {
    const headers = { 'content-type': 'text/turtle', origin: 'https://page.example' };
    const refused = await ask('', { method: 'POST', headers, body: '<> a <x>.' });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([415, '*']);
    expect((await ask('', { ...postJson(1), body: '{' })).status).toBe(400);
    expect((await node.app.request('/match')).status).toBe(405);
  });
});
