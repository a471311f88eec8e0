import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type ApiDescription, type AskedRoute, everyRequest } from '../support/every-request.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { hostileComponent, hostileDocument } from '../support/hostile-component.js';
import { hostilePages, hostileQuestions } from '../support/hostile-questions.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { OPERATOR_TOKEN, statusOf } from '../support/node/node-reader.js';
import { rounds } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

const VOCABULARY = 'http://semcom.digita.ai/voc#';
const COMPONENTS = rounds({ short: 4, full: 500 });
/** A document of a pod may have 10 MB; the others are posted, which takes less time than so many documents. */
const IN_THE_DOCUMENT = Math.min(12, COMPONENTS - 1);
const POSTED_AT_ONCE = 10;
/** Bytes of an answer that is neither a listing nor a feed. */
const MOST_BYTES = 10_000_000;
/** Of a listing, so many bytes are read. */
const READ = 100_000_000;

/** What streams has any length. */
const LISTINGS = [
  /^(GET|POST) \/component\b/,
  /^GET \/c\/\{uri\}\?graphs=/,
  /^GET \/(feed|peers|storage)\b/,
  /^(GET|POST) \/(connections?|holder|invite|resource)\b/,
];

const numbered = (from: number, length: number) =>
  Array.from({ length }, (_, i) => hostileComponent(from + i));

interface Answered {
  readonly status: number;
  readonly bytes: number;
}

describe('components as large as they may be', { timeout: 3_600_000 }, () => {
  let server: FakeServer;
  let node: NodeProcess;
  let routes: AskedRoute[];

  beforeAll(async () => {
    server = await fakeServer();
    cleanup(() => server.close());
    server.on('/pod.jsonld', {
      headers: { 'content-type': 'application/ld+json' },
      body: hostileDocument(numbered(0, IN_THE_DOCUMENT), VOCABULARY),
    });
    node = await startNode({
      config: {
        write: 'open',
        pods: [server.url('/pod.jsonld')],
        limits: { bodyBytes: 10_000_000 },
        sync: { schedule: '0 0 1 1 *' },
        network: { allowPrivate: true },
        pins: 'off',
      },
      env: { NODE_OPTIONS: '--max-old-space-size=512', REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    const pod = server.url('/pod.jsonld');
    await waitFor(async () => (await statusOf(node, pod)).components === IN_THE_DOCUMENT, {
      timeoutMs: 600_000,
      describe: () => `${IN_THE_DOCUMENT} components to be read`,
    });
    for (let from = IN_THE_DOCUMENT; from < COMPONENTS; from += POSTED_AT_ONCE) {
      const some = numbered(from, Math.min(POSTED_AT_ONCE, COMPONENTS - from));
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const post = { name: 'some', method: 'POST', path: '/component', headers, body: JSON.stringify(some) };
      expect((await ask(post)).status).toBe(201);
    }
    const sources = { pod, document: pod, next: COMPONENTS };
    const api = await node.getJson<ApiDescription>('/openapi.json');
    routes = [...everyRequest(api, hostileQuestions(sources)), ...hostilePages(sources)];
  }, 3_600_000);

  function ask({ method = 'GET', path, headers, body }: AskedRoute): Promise<Answered> {
    const { hostname, port } = new URL(node.url);
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    return new Promise((resolve) => {
      let bytes = 0;
      const options = { hostname, port, method, path, agent: false, headers: { ...headers, authorization } };
      const asked = request(options, (response) => {
        const end = () => resolve({ status: response.statusCode ?? 0, bytes });
        response.on('data', ({ length }: Buffer) => {
          bytes += length;
          if (bytes > READ) asked.destroy();
        });
        response.on('close', end).on('error', end);
      });
      asked.on('error', () => resolve({ status: 0, bytes })).end(body);
    });
  }

  it('make no answer longer than it may be, keep nobody waiting, and end no node', async () => {
    const broken: string[] = [];
    const attacked = await AttackedNode.of(node);
    for (const route of routes) {
      const { status, bytes } = await attacked.by(route.name, () => ask(route), { rounds: 1 });
      const isLong = bytes > MOST_BYTES && !LISTINGS.some((one) => one.test(route.name));
      if (status === 0 || status >= 500 || isLong) broken.push(`${route.name}: ${status}, ${bytes} bytes`);
    }
    expect(broken).toEqual([]);
    expect(routes.length).toBeGreaterThan(80);
    await node.stop();
  });
});
