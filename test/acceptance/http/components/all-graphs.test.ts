import { Parser, type Quad } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { DATASET_TYPES, LOCAL, takenFrom } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp, VOC } from '../../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
const OTHER = 'https://c.example/b.js';
const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const PEER = { kind: 'peer', url: 'https://peer.example' } as const;
const QUADS = { accept: 'application/n-quads' };

let test: TestApp;
const get = (path: string, headers: Record<string, string> = {}) => test.app.request(path, { headers });
const parse = (text: string, format: string): Quad[] => new Parser({ format }).parse(text);
/** The label of each statement with its subject and graph. */
const labelsIn = async (response: Response, format: string = QUADS.accept) =>
  parse(await response.text(), format)
    .filter(({ predicate }) => predicate.value === `${VOC}label`)
    .map(({ subject, object, graph }) => [subject.value, object.value, graph.value]);

const EVERY_STATEMENT = [
  [URI, 'In the pod', POD.url],
  [URI, 'At the peer', takenFrom(PEER.url, LOCAL.url)],
  [OTHER, 'Other', POD.url],
];

beforeEach(async () => {
  test = await createTestApp();
  await test.say(POD, [
    component(URI, { label: 'In the pod' }),
    component(OTHER, { label: 'Other', tag: ['x'] }),
  ]);
  await test.say(PEER, [component(URI, { label: 'At the peer' })]);
});

describe('?graphs=all', () => {
  it.each(DATASET_TYPES)('writes every statement as %s, in the graph of its document', async (type) => {
    const response = await get('/component?graphs=all', { accept: type });
    expect(response.headers.get('content-type')).toBe(type);
    expect(await labelsIn(response, type)).toEqual(EVERY_STATEMENT);
  });

  it('is restricted to what the constraints select, and to pages', async () => {
    expect(await labelsIn(await get('/component?graphs=all&tag=x', QUADS))).toEqual(EVERY_STATEMENT.slice(2));
    const page = await get('/component?graphs=all&limit=1', QUADS);
    expect(await labelsIn(page.clone())).toEqual(EVERY_STATEMENT.slice(0, 2));
    expect(page.headers.get('link')).toContain('graphs=all&limit=1&after=');
  });

  it('has no other form than a dataset, and N-Quads when none is named', async () => {
    expect((await get('/component?graphs=all')).headers.get('content-type')).toBe('application/n-quads');
    expect((await get('/component?graphs=all', { accept: 'text/turtle' })).status).toBe(406);
  });
});

describe('?graphs=all of one component', () => {
  const WITH_QUERY = `${URI}?v=1`;

  it.each([`/c/${encodeURIComponent(URI)}?graphs=all`, `/c/${URI}?graphs=all`])('%s', async (path) => {
    expect(await labelsIn(await get(path, QUADS))).toEqual(EVERY_STATEMENT.slice(0, 2));
  });

  it('leaves a query to the uri that it belongs to', async () => {
    await test.say(POD, [component(WITH_QUERY), component(`${URI}?graphs=all`)]);
    expect(await labelsIn(await get(`/c/${WITH_QUERY}&graphs=all`, QUADS))).toMatchObject([
      [WITH_QUERY, {}, POD.url],
    ]);
    expect(await labelsIn(await get(`/c/${URI}?graphs=all`, QUADS))).toMatchObject([
      [`${BASE}/c/${URI}?graphs=all`, {}, ''],
    ]);
  });
});
