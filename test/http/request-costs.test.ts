import { beforeAll, describe, expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { STABLE_ASSETS } from '../../src/config/own-paths.js';
import { createTestApp, type TestApp } from '../acceptance/adapters/registry-app.js';
import { type ApiDescription, type AskedRoute, everyRequest } from '../support/every-request.js';
import { hostileComponent } from '../support/hostile-component.js';
import { hostilePages, hostileQuestions } from '../support/hostile-questions.js';
import { meteredCatalog, meterParsing, WorkMeter } from '../support/metered-catalog.js';

// What is done between two pauses is counted here, so that a busy machine counts the same.

const COMPONENTS = 6;
/** Components that are parsed in one piece: each takes some 10 ms. */
const MOST_PARSED = 4;
/** Bytes of an answer that is neither a listing nor a feed: those stream, and have any length. */
const MOST_BYTES = 10_000_000;
const STREAMED = /^((GET|POST) \/component\b|GET \/c\/\{uri\}\?graphs=|GET \/(feed|peers|storage)\b)/;
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const meter = new WorkMeter();

let app: TestApp;
let routes: AskedRoute[];

beforeAll(async () => {
  const limits = { bodyBytes: 10_000_000, batch: 100, eventLines: 10 };
  const { pace } = meter;
  app = await createTestApp(
    { limits },
    // What is read of elsewhere, this app has not.
    ({ catalog }) => ({ catalog: meteredCatalog(catalog, meter), pace, rehearse: async () => ({}) as never }),
    { pace },
  );
  const components = Array.from({ length: COMPONENTS }, (_, i) => hostileComponent(i));
  await app.say(POD, components as unknown as Metadata[]);
  meterParsing(meter);
  const api = (await (await app.app.request('/openapi.json')).json()) as ApiDescription;
  const sources = { pod: POD.url, document: POD.url, next: COMPONENTS };
  routes = [...everyRequest(api, hostileQuestions(sources)), ...hostilePages(sources)];
});

async function ask({ method = 'GET', path, headers, body }: AskedRoute) {
  meter.begin();
  const response = await app.app.request(path, { method, headers, body: body?.toString() });
  const { byteLength } = await response.arrayBuffer();
  return { status: response.status, bytes: byteLength };
}

describe('what one request may cost', () => {
  test('is tried on every route that there is', () => {
    const asked = routes.map(({ path }) => new URL(path, 'http://node.example').pathname);
    const isAsked = (path: string) =>
      asked.some((one) => (path.endsWith('*') ? one.startsWith(path.slice(0, -1)) : one === path));
    const files = new Set(['favicon.ico', 'assets/*', ...STABLE_ASSETS].map((name) => `/${name}`));
    const paths = new Set(app.app.routes.map(({ path }) => (path === '/' ? path : path.replace(/\/$/, ''))));
    expect([...paths].filter((path) => !files.has(path) && !isAsked(path))).toEqual([]);
  });

  test('is few components between two pauses, and a bounded answer', { timeout: 300_000 }, async () => {
    const hasty: string[] = [];
    for (const route of routes) {
      const { status, bytes } = await ask(route);
      const isLong = bytes > MOST_BYTES && !STREAMED.test(route.name);
      if (status >= 500 || isLong || meter.mostParsed > MOST_PARSED)
        hasty.push(`${route.name}: ${status}, ${bytes} bytes, ${meter.mostParsed} parsed in one piece`);
    }
    expect(hasty).toEqual([]);
  });

  test('is one component after another, where what fits data is asked for', async () => {
    const questions = routes.filter(({ name }) => name.startsWith('POST /match'));
    expect(questions).toHaveLength(3);
    for (const question of questions) {
      // Another limit, because the answers before are kept.
      const other = { ...question, body: question.body?.toString().replace('"limit":100', '"limit":99') };
      expect((await ask(other)).status).toBe(200);
      expect(meter.mostJudged, question.name).toBeLessThanOrEqual(2);
    }
    expect(meter.pauses).toBeLessThan(5000);
  });
});
