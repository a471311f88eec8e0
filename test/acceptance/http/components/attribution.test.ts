import { beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { postJson } from '../../../support/node/post-json.js';
import { LOCAL, takenFrom } from '../../../support/promised.js';
import { component, createTestApp, type TestApp, VOC } from '../../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/ü/' };
const LEARNED: Source = { kind: 'peer', url: 'https://learned.example' };
const order = { pods: [POD.url], peers: [] };
const uri = (name: string) => `https://c.example/${name}.js`;
const DAY = 24 * 60 * 60 * 1000;
const began = Date.UTC(2026, 0, 1, 12);

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({ write: 'open' }, {}, { order });
  await test.say(POD, [component(uri('pod')), component(uri('both'))]);
  await test.say(LEARNED, [component(uri('learned'))]);
  test.node.now += DAY;
  await test.registry.upsertLocal([component(uri('own')), component(uri('both'))]);
});

interface Said {
  readonly uri: string;
  readonly source: { url: string; document: string; kind: string; trust: string };
  readonly since: string;
}
const get = async (path: string, accept = 'application/json') =>
  (await test.app.request(path, { headers: { accept } })).text();
const listing = async (query = '') => JSON.parse(await get(`/component${query}`)) as Said[];
const names = (all: readonly Said[]) => all.map(({ uri }) => uri.slice('https://c.example/'.length, -3));

describe('who says something, and since when', () => {
  it('is in each object of the listing, of a query and of a component', async () => {
    const all = await listing();
    const first = new Date(began).toISOString();
    const second = new Date(began + DAY).toISOString();
    expect(all.map(({ uri, source, since }) => [uri, source, since])).toEqual([
      [uri('both'), { ...POD, document: POD.url, trust: 'configured' }, first],
      [uri('learned'), { ...LEARNED, document: takenFrom(LEARNED.url, LOCAL.url), trust: 'learned' }, first],
      [uri('own'), { ...LOCAL, document: LOCAL.url, trust: 'own' }, second],
      [uri('pod'), { ...POD, document: POD.url, trust: 'configured' }, first],
    ]);
    expect(JSON.parse(await get(`/c/${encodeURIComponent(uri('own'))}`))).toEqual(all[2]);
    const found = await test.app.request('/component/query', postJson({ uri: uri('own') }));
    expect(await found.json()).toEqual([all[2]]);
  });

  it('stays as it is while polls find the same, and moves with what is said', async () => {
    const before = await listing();
    await test.say(POD, [component(uri('pod')), component(uri('both'), { label: 'other' })]);
    const after = await listing();
    expect(after[3]).toEqual(before[3]);
    expect(after[0]?.since).toBe(new Date(began + DAY).toISOString());
  });

  it('is asked for by source and by trust', async () => {
    expect(names(await listing(`?source=${encodeURIComponent(POD.url)}`))).toEqual(['both', 'pod']);
    expect(names(await listing('?trust=configured'))).toEqual(['both', 'own', 'pod']);
    expect(names(await listing('?trust=learned'))).toEqual(['learned']);
    expect(names(await listing('?trust=own'))).toEqual(['own']);
    expect((await test.app.request('/component?trust=mine')).status).toBe(422);
  });

  it('is in Turtle and JSON-LD with the terms of PROV-O, and not in the dataset for peers', async () => {
    const turtle = await get(`/c/${encodeURIComponent(uri('pod'))}`, 'application/n-triples');
    expect(turtle).toContain(`<http://www.w3.org/ns/prov#wasAttributedTo> <${POD.url}>`);
    expect(turtle).toContain(`<http://www.w3.org/ns/prov#hadPrimarySource> <${POD.url}>`);
    expect(turtle).toContain(
      `<http://www.w3.org/ns/prov#generatedAtTime> "${new Date(began).toISOString()}"`,
    );
    expect(turtle).toContain(`<${VOC}sourceTrust> "configured"`);
    expect(turtle).toContain(`<${VOC}sourceKind> "pod"`);
    const [object] = JSON.parse(await get(`/component?uri=${uri('pod')}`, 'application/ld+json'));
    expect(object['http://www.w3.org/ns/prov#wasAttributedTo']).toEqual([{ '@id': POD.url }]);
    expect(object[`${VOC}sourceTrust`]).toEqual([{ '@value': 'configured' }]);
    expect(await get('/component?graphs=all', 'application/n-quads')).not.toContain('prov#');
  });
});
