import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { STABLE_ASSETS } from '../../src/config/own-paths.js';
import type { Pace } from '../../src/lib/pace.js';
import { createTestApp, type TestApp } from '../acceptance/adapters/registry-app.js';
import {
  CLASSES,
  HOSTILE_TAG,
  hostileComponent,
  hostileUri,
  KIND_COUNT,
  PERSON,
} from '../support/hostile-component.js';
import { COMPONENT_TYPES, DATASET_TYPES } from '../support/promised.js';

// What is done between two pauses is counted here, in things and not in milliseconds, so that a busy machine counts the same.

const COMPONENTS = 6;
/** Components that are parsed in one piece: each takes some 10 ms. */
const MOST_PARSED = 4;
/** Characters of what only a large component has as JSON. */
const LARGE = 50_000;
/** Bytes of an answer that is neither a listing nor a feed: those stream, and have any length. */
const MOST_BYTES = 10_000_000;
const STREAMED = /^\/(component|feed|peers|storage)\b|^\/c\/.*[?]graphs=/;
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const JSON_TYPE = 'application/json';
const HTML = 'text/html';
const get = (path: string, ...types: readonly string[]): Asked[] =>
  types.map((accept) => ({ path, headers: { accept } }));
const post = (path: string, body: unknown, ...types: readonly string[]): Asked[] =>
  [JSON_TYPE, ...types].map((accept) => ({
    ...{ method: 'POST', path, headers: { 'content-type': JSON_TYPE, accept } },
    body: JSON.stringify(body),
  }));
const [, ...RDF_TYPES] = COMPONENT_TYPES;
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

const ENTRY = `https://e.example/${'e'.repeat(1800)}`;
/** As many properties as a question may have, as long as its body has room for. */
const predicates = Array.from({ length: 250 }, (_, i) => `https://p.example/${i}/`.padEnd(440, 'p'));
const [types, limit] = [CLASSES.slice(0, 16), 100];
/** Turtle whose blank nodes are as deep as a parser with 48 MB takes them. */
const DEEP = `<urn:a> <urn:b> ${'[<urn:b> '.repeat(10_000)}1${']'.repeat(10_000)}.`;
const CONSTRAINTS = {
  ...{
    shapes: PERSON,
    tag: HOSTILE_TAG,
    q: 'hostile',
    label: String(hostileComponent(0).label),
    latest: 'true',
  },
  ...{ trust: 'configured', source: POD.url, limit: '100', version: '1.x', action: 'odrl:display' },
  ...{ invocation: 'ElementInvocation', accept: 'text/turtle', uri: hostileUri(0), shape: PERSON },
  ...{ description: 'All of 0', author: '0-0', format: 'turtle', after: hostileUri(0) },
};
const about = { uri: query({ uri: hostileUri(0) }), document: query({ document: POD.url }) };
const data = query({ url: 'https://e.example/', shapes: PERSON });
const some = predicates.slice(0, 20).map((one) => `&${query({ predicates: one })}`);

/** What strangers, visitors of the pages and operators ask of a node that knows the largest components. */
const REQUESTS: readonly Asked[] = [
  ...get('/component', ...COMPONENT_TYPES),
  ...get('/component?graphs=all', ...DATASET_TYPES),
  ...Object.entries(CONSTRAINTS).flatMap(([name, value]) =>
    get(`/component?${query({ [name]: value })}`, JSON_TYPE),
  ),
  ...get(`/c/${encodeURIComponent(hostileUri(0))}`, ...COMPONENT_TYPES),
  ...get(`/c/${encodeURIComponent(hostileUri(0))}?graphs=all`, ...DATASET_TYPES),
  ...Array.from({ length: KIND_COUNT }, (_, i) => `/c/${encodeURIComponent(hostileUri(i))}`).flatMap(
    (path) => [...get(path, HTML), ...get(`${path}?${query({ entry: ENTRY })}`, HTML)],
  ),
  ...['/feed', '/feed?since=abc', '/feed/range?epoch=x&after=0&until=1000'].flatMap((path) =>
    get(path, JSON_TYPE, ...DATASET_TYPES),
  ),
  ...['/feed?after=abc', '/feed?limit=1'].flatMap((path) => get(path, JSON_TYPE)),
  ...['/peers', '/storage'].flatMap((path) => get(path, ...COMPONENT_TYPES)),
  ...[
    '/feed/sources',
    '/health',
    '/health?need=reads',
    '/status',
    '/openapi.json',
    '/publish/client',
  ].flatMap((path) => get(path, JSON_TYPE)),
  ...get('/metrics', 'text/plain'),
  ...get('/host.js', 'text/javascript'),
  ...[`/why?${about.uri}`, `/why?${about.document}`, '/'].flatMap((path) => get(path, JSON_TYPE, HTML)),
  ...[
    '/?q=hostile',
    `/?${query({ shapes: PERSON })}`,
    `/?${query({ tag: HOSTILE_TAG })}`,
    '/network',
  ].flatMap((path) => get(path, HTML)),
  ...['/publish', '/docs', '/docs/operators', `/data?${data}${some.join('')}`].flatMap((path) =>
    get(path, HTML),
  ),
  ...get(`/frame?${about.uri}&${query({ entry: ENTRY })}`, HTML),
  ...['/demo/examples/person.ttl', '/demo/index.json', '/starter/index.json'].flatMap((path) =>
    get(path, '*/*'),
  ),
  ...[
    { types: [PERSON], predicates, limit },
    { types, shapes: types, predicates, limit },
    { predicates, mediaType: 'text/turtle', limit },
  ].flatMap((question) => post('/match', question)),
  ...post('/component', hostileComponent(COMPONENTS), ...RDF_TYPES),
  ...post('/component/query', {}, ...RDF_TYPES),
  ...post('/component/query', { shapes: [PERSON] }),
  ...post('/component/query?graphs=all', {}, 'application/trig'),
  ...['limit=100', 'after=abc', 'format=turtle'].flatMap((one) => post(`/component/query?${one}`, {})),
  ...post('/hint', { topic: POD.url }),
  ...[JSON_TYPE, HTML].map((accept) => ({
    ...{ method: 'POST', path: '/publish', body: query({ url: POD.url }) },
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept },
  })),
  ...Array.from({ length: KIND_COUNT }, (_, i) => ({ put: hostileComponent(i) })).flatMap((draft) =>
    post('/publish/draft', draft),
  ),
  ...post('/publish/draft', { before: DEEP, put: hostileComponent(0) }),
  ...post('/discovery', { url: 'https://x.example/', decision: 'approve' }),
  ...post('/rehearse', { url: POD.url, kind: 'pod' }, 'text/plain'),
  ...post(`/sync?${query({ source: POD.url, accept: 'removals' })}`, {}),
  { method: 'DELETE', path: `/pins?${about.uri}&version=1.0.0`, headers: {} },
  { method: 'DELETE', path: `/c/${encodeURIComponent(hostileUri(COMPONENTS))}`, headers: {} },
];

/** Of a description of the API, what says how it is asked. */
interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

/** What may be asked of a method: it alone, with each parameter, and for each media type. */
function waysOf(route: string, names: Iterable<string>, types: readonly string[]): string[] {
  return [
    route,
    ...[...names].map((name) => `${route}?${name}`),
    ...types.map((type) => `${route} as ${type}`),
  ];
}

/** Streams of events are left out, because they do not end. */
function waysDescribed(paths: Paths): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const types = good.flatMap(([, { content = {} }]) => Object.keys(content));
      const ending = types.filter((type) => type !== 'text/event-stream');
      return waysOf(`${method.toUpperCase()} ${path}`, names, ending);
    }),
  );
}

function waysAsked({ method = 'GET', path, headers: { accept } }: Asked): string[] {
  const { pathname, searchParams } = new URL(path, POD.url);
  const template = pathname.replace(/^\/c\/.*/, '/c/{uri}');
  return waysOf(`${method} ${template}`, searchParams.keys(), accept === undefined ? [] : [accept]);
}

describe('what one request may cost', () => {
  let app: TestApp;
  /** Large components parsed since the last pause, and the most between two pauses. */
  let parsed = { now: 0, most: 0 };

  beforeAll(async () => {
    const pace: Pace = () => () => {
      parsed.now = 0;
      return Promise.resolve();
    };
    const limits = { bodyBytes: 10_000_000, batch: 100, eventLines: 10 };
    // What is read of elsewhere, this app has not.
    app = await createTestApp({ limits }, { pace, rehearse: async () => ({}) as never }, { pace });
    const components = Array.from({ length: COMPONENTS }, (_, i) => hostileComponent(i));
    await app.say(POD, components as unknown as Metadata[]);
    const parse = JSON.parse;
    vi.spyOn(JSON, 'parse').mockImplementation((text, ...more) => {
      if (String(text).length > LARGE) parsed.most = Math.max(parsed.most, ++parsed.now);
      return parse(text, ...more);
    });
  });

  test('is tried on every route that there is', () => {
    const asked = REQUESTS.map(({ path }) => path.replace(/[?].*/, ''));
    const isAsked = (path: string) =>
      asked.some((one) => (path.endsWith('*') ? one.startsWith(path.slice(0, -1)) : one === path));
    const files = new Set(['favicon.ico', 'assets/*', ...STABLE_ASSETS].map((name) => `/${name}`));
    const paths = new Set(app.app.routes.map(({ path }) => (path === '/' ? path : path.replace(/\/$/, ''))));
    expect([...paths].filter((path) => !files.has(path) && !isAsked(path))).toEqual([]);
  });

  test('is tried with every method, parameter and media type that is described', async () => {
    const { paths } = (await (await app.app.request('/openapi.json')).json()) as { paths: Paths };
    const asked = new Set(REQUESTS.flatMap(waysAsked));
    expect(waysDescribed(paths).filter((way) => !asked.has(way))).toEqual([]);
  });

  test('is few components between two pauses, and a bounded answer', { timeout: 300_000 }, async () => {
    const hasty: string[] = [];
    for (const { path, ...asked } of REQUESTS) {
      parsed = { now: 0, most: 0 };
      const { status, ...answer } = await answered(await app.app.request(path, asked));
      const isLong = answer.bytes > MOST_BYTES && !STREAMED.test(path);
      if (status >= 500 || isLong || parsed.most > MOST_PARSED)
        hasty.push(
          `${path.slice(0, 80)}: ${status}, ${answer.bytes} bytes, ${parsed.most} parsed in one piece`,
        );
      // Every page of the feed has components, so that the counter must have counted.
      if (path === '/feed') expect(parsed.most).toBeGreaterThan(0);
    }
    expect(hasty).toEqual([]);
  });
});

async function answered(response: Response): Promise<{ status: number; bytes: number }> {
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}
