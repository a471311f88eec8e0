import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { STABLE_ASSETS } from '../../src/config/own-paths.js';
import type { Pace } from '../../src/lib/pace.js';
import { createTestApp, type TestApp } from '../acceptance/adapters/registry-app.js';
import { HTML } from '../support/explorer-pages.js';
import {
  CLASSES,
  HOSTILE_TAG,
  hostileComponent,
  hostileUri,
  KIND_COUNT,
  PERSON,
} from '../support/hostile-component.js';
import { DATASET_TYPES } from '../support/promised.js';

// What is done between two pauses is counted here, in things and not in milliseconds, so that a busy machine counts the same.

/** More than may be parsed in one piece. */
const COMPONENTS = 4;
/** Components that are parsed in one piece: each takes some 10 ms. */
const MOST_PARSED = 2;
/** Characters of what only a large component has as JSON. */
const LARGE = 50_000;
/** Bytes of an answer that is neither a listing nor a feed: those stream, and have any length. */
const MOST_BYTES = 10_000_000;
const STREAMED = /^\/(component|feed|peers|storage)\b|^\/c\/.*[?]graphs=/;
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

const [JSON_TYPE, FORM] = ['application/json', 'application/x-www-form-urlencoded'] as const;
/** A request; its body is a form when it is a text, and JSON otherwise. */
const request = (method: string, path: string, accept: string, body?: unknown): Asked => {
  const isForm = typeof body === 'string';
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': isForm ? FORM : JSON_TYPE };
  return { method, path, headers: { accept, ...type }, body: isForm ? body : (JSON.stringify(body) ?? null) };
};
const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

/** What each parameter is given that the description of the API names. */
const GIVEN: Readonly<Record<string, string>> = {
  ...{ shapes: PERSON, shape: PERSON, tag: HOSTILE_TAG, label: String(hostileComponent(0).label) },
  ...{ q: 'hostile', description: 'All of 0', author: '0-0', version: '1.x', latest: 'true' },
  ...{ action: 'odrl:display', accept: 'text/turtle', invocation: 'ElementInvocation' },
  ...{ uri: hostileUri(0), document: POD.url, source: POD.url, trust: 'configured' },
  ...{ limit: '100', after: hostileUri(0), format: 'turtle', graphs: 'all', need: 'reads' },
  ...{ since: 'abc', epoch: 'x', until: '1000' },
};
/** As many properties as a question may have, as long as its body has room for. */
const predicates = Array.from({ length: 250 }, (_, i) => `https://p.example/${i}/`.padEnd(440, 'p'));
const [types, limit] = [CLASSES.slice(0, 16), 100];
/** What is sent to each address that takes a body. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  '/component': [hostileComponent(COMPONENTS)],
  '/component/query': [{}, { shapes: [PERSON] }],
  '/match': [
    { types: [PERSON], predicates, limit },
    { types, shapes: types, predicates, limit },
    { predicates, mediaType: 'text/turtle', limit },
  ],
  '/hint': [{ topic: POD.url }],
  '/discovery': [{ url: 'https://x.example/', decision: 'approve' }],
  '/rehearse': [{ url: POD.url, kind: 'pod' }],
  '/sync': [{}],
  '/publish': [query({ url: POD.url })],
};

/** Of a description of the API, what says how it is asked. */
interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

/**
 * Every method that is described: with each media type, with each parameter and with each body. Streams of events are
 * left out, because they do not end.
 */
function describedRequests(paths: Paths): Asked[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      // Only what was posted can be taken back.
      const uri = encodeURIComponent(hostileUri(method === 'delete' ? COMPONENTS : 0));
      const names = parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []));
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const types = good.flatMap(([, { content = {} }]) => Object.keys(content));
      const accepts = new Set(types.length > 0 ? types : ['*/*']);
      accepts.delete('text/event-stream');
      const bodies = method === 'post' ? BODIES[template] : [undefined];
      const unknown = names.filter((name) => !(name in GIVEN));
      expect([template, bodies, unknown]).toEqual([template, expect.any(Array), []]);
      const [body, ...others] = bodies ?? [];
      const ask = (parameters: string, accept: string, sent = body) =>
        request(method.toUpperCase(), template.replace('{uri}', uri) + parameters, accept, sent);
      return [
        ...[...accepts].map((accept) => ask('', accept)),
        ...names.map((name) => ask(`?${query({ [name]: GIVEN[name] ?? '' })}`, '*/*')),
        ...others.map((other) => ask('', '*/*', other)),
      ];
    }),
  );
}

const ENTRY = query({ entry: `https://e.example/${'e'.repeat(1800)}` });
const about = { uri: query({ uri: hostileUri(0) }), document: query({ document: POD.url }) };
const data = query({ url: 'https://e.example/', shapes: PERSON });
const some = predicates.slice(0, 20).map((one) => `&${query({ predicates: one })}`);
const kinds = Array.from({ length: KIND_COUNT }, (_, i) => i);
const cards = kinds.map((i) => `/c/${encodeURIComponent(hostileUri(i))}`);
/** Turtle whose blank nodes are as deep as a parser with 48 MB takes them. */
const DEEP = `<urn:a> <urn:b> ${'[<urn:b> '.repeat(10_000)}1${']'.repeat(10_000)}.`;

/** What is described for people alone, or not at all (pages, their files, drafts), and what needs several parameters. */
const OTHERS: readonly Asked[] = [
  ...[
    ...cards.flatMap((card) => [card, `${card}?${ENTRY}`]),
    ...['/?q=hostile', `/?${query({ shapes: PERSON })}`, `/?${query({ tag: HOSTILE_TAG })}`, '/network'],
    ...[`/why?${about.uri}`, `/why?${about.document}`, `/data?${data}${some.join('')}`],
    ...['/docs', '/docs/operators', '/publish/client', `/frame?${about.uri}&${ENTRY}`],
    ...['/demo/examples/person.ttl', '/demo/index.json', '/starter/index.json'],
  ].map((path) => request('GET', path, HTML.accept)),
  ...['/component?graphs=all', `${cards[0]}?graphs=all`, '/feed/range?epoch=x&after=0&until=1000'].flatMap(
    (path) => DATASET_TYPES.map((type) => request('GET', path, type)),
  ),
  ...[...kinds.map((i) => ({ put: hostileComponent(i) })), { before: DEEP, put: hostileComponent(0) }].map(
    (draft) => request('POST', '/publish/draft', JSON_TYPE, draft),
  ),
];

describe('what one request may cost', () => {
  let app: TestApp;
  /** What strangers, visitors of the pages and operators ask of a node that knows the largest components. */
  let requests: readonly Asked[];
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
    const { paths } = (await (await app.app.request('/openapi.json')).json()) as { paths: Paths };
    requests = [...describedRequests(paths), ...OTHERS];
    const parse = JSON.parse;
    vi.spyOn(JSON, 'parse').mockImplementation((text, ...more) => {
      if (String(text).length > LARGE) parsed.most = Math.max(parsed.most, ++parsed.now);
      return parse(text, ...more);
    });
  });

  test('is tried on every route that there is', () => {
    const asked = requests.map(({ path }) => path.replace(/[?].*/, ''));
    const isAsked = (path: string) =>
      asked.some((one) => (path.endsWith('*') ? one.startsWith(path.slice(0, -1)) : one === path));
    const files = new Set(['favicon.ico', 'assets/*', ...STABLE_ASSETS].map((name) => `/${name}`));
    const paths = new Set(app.app.routes.map(({ path }) => (path === '/' ? path : path.replace(/\/$/, ''))));
    expect([...paths].filter((path) => !files.has(path) && !isAsked(path))).toEqual([]);
  });

  test('is few components between two pauses, and a bounded answer', { timeout: 300_000 }, async () => {
    const hasty: string[] = [];
    for (const { path, ...asked } of requests) {
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
