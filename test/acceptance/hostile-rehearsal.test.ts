import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { type HostileDocument, LARGE, OF_PEERS } from '../support/hostile-documents.js';
import { type SentRequest, sendMany } from '../support/many-requests.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { inTorture, rounds } from '../support/torture.js';

const VOC = 'http://semcom.digita.ai/voc#';
const LDP = 'http://www.w3.org/ns/ldp#';
/** Requests of one attack, from four clients. */
const TIMES = rounds({ short: 4, full: 40 });
const CLIENTS = 4;
/** Documents of a pod, each nearly as large as it may be; what a node keeps of a source is a fraction of them. */
const HEAVY = rounds({ short: 2, full: 20 });
const DOCUMENT_BYTES = rounds({ short: 2_000_000, full: 10_000_000 });
/** Clients that ask for the same rehearsal at the same time. */
const ASKING = rounds({ short: 6, full: 24 });

/** What is read of them is read as by polls, which `hostile-documents.test.ts` attacks with all of them. */
const OF_PODS = inTorture ? Object.keys(LARGE) : ['a million triples'];
const PEERS = inTorture ? Object.keys(OF_PEERS) : ['an object with a million tags'];

const NOTHING: HostileDocument = { type: 'application/json', body: '[]' };
const pathOf = (name: string) => `/${encodeURIComponent(name)}`;
const json = { 'content-type': 'application/json' };
const authorization = `Bearer ${OPERATOR_TOKEN}`;
const asOperator = { ...json, authorization };
const to = (headers: Record<string, string>, body: string | Buffer): SentRequest => ({
  ...{ method: 'POST', path: '/rehearse' },
  headers,
  body,
});

/** Who may not ask gets no further than the token; the operator's own requests are small. */
const REQUESTS: readonly (readonly [name: string, request: SentRequest, status: number])[] = [
  ['8 MB, without a token', to(json, Buffer.alloc(8_000_000, ' ')), 401],
  ['8 MB, from the operator', to(asOperator, Buffer.alloc(8_000_000, ' ')), 413],
  ['2,000 deep, from the operator', to(asOperator, '['.repeat(2000) + ']'.repeat(2000)), 422],
  [
    'an address of 4,000 slashes',
    to(asOperator, JSON.stringify({ url: `http://x${'/'.repeat(4000)}` })),
    422,
  ],
];

const listingOf = (count: number) =>
  [`<> a <${LDP}Container>.`, ...Array.from({ length: count }, (_, i) => `<> <${LDP}contains> <${i}>.`)].join(
    '\n',
  );
const small = (id: string) => `<https://heavy.example/${id}.js> a <${VOC}component>; <${VOC}label> "${id}".`;

describe('a rehearsal keeps no other client waiting', () => {
  let server: FakeServer;
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    server = await fakeServer();
    cleanup(() => server.close());
    const serve = (path: string, document: HostileDocument) =>
      server.on(path, () => ({ headers: { 'content-type': document.type }, body: document.body }));
    for (const [name, document] of Object.entries(LARGE)) serve(pathOf(name), document);
    for (const [name, { peers, component }] of Object.entries(OF_PEERS)) {
      const lists = { peers, storage: undefined, component };
      for (const [list, said = NOTHING] of Object.entries(lists)) serve(`${pathOf(name)}-peer/${list}`, said);
    }
    node = await startNode({
      config: { sync: { schedule: '0 0 1 1 *' }, network: { allowPrivate: true } },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    attacked = await AttackedNode.of(node);
  });

  async function rehearse(url: string): Promise<{ status: number; text: string }> {
    const body = JSON.stringify({ url });
    const answer = await fetch(`${node.url}/rehearse`, { method: 'POST', headers: asOperator, body });
    return { status: answer.status, text: await answer.text() };
  }

  it.each(REQUESTS)('that is asked for with %s', async (name, request, status) => {
    const statuses = await attacked.by(`a rehearsal: ${name}`, () =>
      sendMany(node.url, request, { clients: CLIENTS, times: TIMES }),
    );
    expect(statuses).toEqual({ [status]: TIMES });
  });

  it('that is asked for by bodies that never come', async () => {
    const { port } = new URL(node.url);
    const head = ['POST /rehearse HTTP/1.1', 'host: localhost', 'content-type: application/json'];
    const slow = async (headers: readonly string[]) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.write(`${[...head, 'content-length: 4000', ...headers].join('\r\n')}\r\n\r\n{`);
      return socket;
    };
    const all = (headers: readonly string[]) =>
      Promise.all(Array.from({ length: TIMES }, () => slow(headers)));
    const sockets = await attacked.by(
      'a rehearsal: bodies that never come',
      async () => {
        const strangers = await all([]);
        // They are told at once, and the node closes their connections.
        await Promise.all(strangers.map((socket) => once(socket.resume(), 'close')));
        const operators = await all([`authorization: ${authorization}`]);
        // Nobody waits for them.
        expect((await rehearse(server.url('/nothing/'))).status).toBe(200);
        return operators;
      },
      { rounds: 1, goesOn: true },
    );
    for (const socket of sockets) socket.destroy();
  });

  it.each(OF_PODS)('of a pod: %s', async (name) => {
    const { status, text } = await attacked.by(`rehearsed, a pod: ${name}`, () =>
      rehearse(server.url(pathOf(name))),
    );
    expect([status, JSON.parse(text).components], text.slice(0, 500)).toEqual([200, 0]);
  });

  it.each(PEERS)('of a peer: %s', async (name) => {
    const { status, text } = await attacked.by(`rehearsed, a peer: ${name}`, () =>
      rehearse(server.url(`${pathOf(name)}-peer`)),
    );
    expect(status, text.slice(0, 500)).toBe(200);
  });

  it('of a pod with many documents as large as they may be', async () => {
    server.everything(({ url }) => {
      const [, document] = /^\/heavy\/(\d+)$/.exec(url) ?? [];
      const parts: string[] = [];
      for (let length = 0, i = 0; document !== undefined && length < DOCUMENT_BYTES - 20_000; i++) {
        const part = small(`${document}-${i}`);
        parts.push(part);
        length += part.length + 1;
      }
      const body = document === undefined ? listingOf(HEAVY) : parts.join('\n');
      return { headers: { 'content-type': 'text/turtle' }, body };
    });
    const { status, text } = await attacked.by(
      `rehearsed, a pod of ${HEAVY} documents of ${DOCUMENT_BYTES / 1e6} MB`,
      () => rehearse(server.url('/heavy/')),
    );
    const { components, lookedAt } = JSON.parse(text);
    expect([status, components, lookedAt]).toEqual([200, 20_000, 20_000]);
  });

  it('of the same source, asked for by many clients at once: one after another', async () => {
    const statuses = await attacked.by(`rehearsals: ${ASKING} clients at once`, () =>
      sendMany(node.url, to(asOperator, JSON.stringify({ url: server.url(pathOf('a million triples')) })), {
        clients: ASKING,
        times: ASKING,
      }),
    );
    expect(statuses[200]).toBeGreaterThan(0);
    expect((statuses[200] ?? 0) + (statuses[409] ?? 0)).toBe(ASKING);
  });

  it('and leaves neither threads nor sockets nor memory behind', async () => {
    await attacked.expectNothingLeft();
    await node.stop();
  });
});
