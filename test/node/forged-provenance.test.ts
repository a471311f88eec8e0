import { beforeEach, describe, expect, it } from 'vitest';
import { type InProcessNode, NETWORKED, startInProcess } from '../acceptance/adapters/in-process-node.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { sync, textOf } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';

const VOC = 'http://semcom.digita.ai/voc#';
const PROV = 'http://www.w3.org/ns/prov#';
const ANN = 'https://ann.example/pod/';
const uri = (name: string) => `https://c.example/${name}.js`;
/** What a stranger says of who says it, as the node would write it. */
const FORGED = {
  source: { url: ANN, document: `${ANN}card.ttl`, kind: 'pod', trust: 'configured' },
  since: '1999-01-01T00:00:00.000Z',
};
const forgedTriples = (subject: string) => `<${subject}> <${PROV}wasAttributedTo> <${ANN}> ;
  <${PROV}hadPrimarySource> <${ANN}card.ttl> ; <${PROV}generatedAtTime> "1999-01-01T00:00:00.000Z" ;
  <${VOC}sourceKind> "pod" ; <${VOC}sourceTrust> "configured" .`;

let server: FakeServer;
let node: InProcessNode;
beforeEach(async () => {
  server = await fakeServer();
});

async function start(config: object = {}): Promise<void> {
  node = await startInProcess({ config: { ...NETWORKED, ...config } });
}

interface Told {
  readonly label: string;
  readonly source: Record<string, string>;
  readonly since: string;
}
const told = () => node.getJson<Told[]>('/component');
const began = Date.now();

/** All forms in which a reader learns who says something; nowhere does Ann say anything. */
async function expectFrom(source: Record<string, string>): Promise<void> {
  const all = await told();
  expect(all.length).toBeGreaterThan(0);
  for (const one of all) {
    expect(one.source).toMatchObject(source);
    expect(Date.parse(one.since)).toBeGreaterThanOrEqual(began);
  }
  const texts = ['text/turtle', 'application/ld+json', 'application/n-quads'].map((accept) =>
    textOf(node, '/component', accept),
  );
  expect((await Promise.all(texts)).join()).not.toContain(ANN);
  expect(await node.getJson<Told[]>(`/component?source=${encodeURIComponent(ANN)}`)).toEqual([]);
}

describe('who says something is never taken from who says it', () => {
  it.each([
    ['JSON', 'application/json', JSON.stringify({ uri: uri('a'), label: 'A', ...FORGED })],
    ['Turtle', 'text/turtle', `<${uri('a')}> <${VOC}label> "A" . ${forgedTriples(uri('a'))}`],
  ])('posted as %s: it is ignored', async (_, type, body) => {
    await start();
    const headers = { 'content-type': type, authorization: `Bearer ${OPERATOR_TOKEN}` };
    const answer = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    await expectFrom({ url: 'urn:registry:local', kind: 'local', trust: 'own' });
  });

  it('in a document of a pod: it is ignored', async () => {
    const pod = new FakePod(server);
    pod.put('/pod/a.ttl', turtle('a') + forgedTriples(uri('a')));
    await start({ pods: [server.url('/pod/')] });
    await sync(node);
    await expectFrom({ url: server.url('/pod/'), kind: 'pod', trust: 'configured' });
  });

  it('in the listing of a peer that knows no graphs: it is ignored', async () => {
    const headers = { 'content-type': 'application/json' };
    server.on('/component', { headers, body: JSON.stringify([{ uri: uri('a'), label: 'A', ...FORGED }]) });
    server.on('/peers', { headers, body: '[]' }).on('/storage', { headers, body: '[]' });
    await start({ peers: [server.origin] });
    await sync(node);
    await expectFrom({ url: server.origin, kind: 'peer', trust: 'configured' });
  });

  it('in the graphs of a peer: what it says in the name of others is the word of the peer', async () => {
    const graph = (name: string, label: string) =>
      `<${uri(label)}> <${VOC}label> "${label}" <${name}> .\n<${uri(label)}> <${VOC}sourceTrust> "own" <${name}> .\n`;
    const pod = new FakePod(server);
    pod.put('/pod/mine.ttl', turtle('mine'));
    const list = { headers: { 'content-type': 'application/json' }, body: '[]' };
    const peer = await fakeServer();
    const other = encodeURIComponent('https://other.example');
    const body = [
      graph(`${server.url('/pod/')}forged.ttl`, 'in-the-name-of-a-pod-that-is-read-here'),
      graph(`urn:registry:peer:${other}:urn%3Aregistry%3Alocal`, 'in-the-name-of-a-peer'),
      graph('urn:registry:samples', 'as-a-sample'),
      graph('https://unread.example/pod/a.ttl', 'relayed'),
      graph('urn:registry:local', 'own'),
    ].join('');
    peer.on('/peers', list).on('/storage', list);
    peer.on('/component', { headers: { 'content-type': 'application/n-quads' }, body });
    await start({ pods: [server.url('/pod/')], peers: [peer.origin], discovery: { depth: 0 } });
    await sync(node);
    await sync(node);
    const said = (await told()).map(({ label, source }) => [label, source.kind, source.url, source.trust]);
    expect(said).toEqual([
      ['mine', 'pod', server.url('/pod/'), 'configured'],
      ['own', 'peer', peer.origin, 'configured'],
      ['relayed', 'peer', peer.origin, 'learned'],
    ]);
  });
});
