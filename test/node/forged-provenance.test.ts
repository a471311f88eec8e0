import { expect, it } from 'vitest';
import { NETWORKED, startInProcess } from '../acceptance/adapters/in-process-node.js';
import { fakeServer } from '../support/fake-server.js';
import { askAsOperator, publish, sync, textOf } from '../support/node/node-reader.js';
import { FakePod, turtle, VOC } from '../support/pod/fake-pod.js';

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
interface Told {
  readonly label: string;
  readonly source: Record<string, string>;
  readonly since: string;
}

it('who says something is never taken from who says it: posted, in a pod, or by a peer', async () => {
  const [pod, plain, peer] = [await fakeServer(), await fakeServer(), await fakeServer()];
  new FakePod(pod).put('/pod/in-pod.ttl', turtle('in-pod') + forgedTriples(uri('in-pod')));
  const read = pod.url('/pod/');
  for (const one of [plain, peer]) one.on('/peers', { body: [] }).on('/storage', { body: [] });
  // It knows no graphs.
  plain.on('/component', { body: [{ uri: uri('listed'), label: 'listed', ...FORGED }] });
  // What it says in the name of others is its own word, if anything.
  const inGraph = ([name, label = '']: string[]) =>
    [`<${VOC}label> "${label}"`, `<${VOC}sourceTrust> "own"`]
      .map((said) => `<${uri(label)}> ${said} <${name}> .\n`)
      .join('');
  const graphs = [
    [`${read}forged.ttl`, 'in-the-name-of-a-pod-that-is-read-here'],
    [`urn:registry:peer:${encodeURIComponent('https://other.example')}:urn%3Aregistry%3Alocal`, 'of-a-peer'],
    ['urn:registry:samples', 'as-a-sample'],
    ['https://unread.example/pod/a.ttl', 'relayed'],
    ['urn:registry:local', 'of-the-peer'],
  ];
  const headers = { 'content-type': 'application/n-quads' };
  peer.on('/component', { headers, body: graphs.map(inGraph).join('') });

  const began = Date.now();
  const peers = [plain.origin, peer.origin];
  const config = { ...NETWORKED, pods: [read], peers, discovery: { depth: 0 } };
  const node = await startInProcess({ config });
  await publish(node, { uri: uri('as-json'), label: 'as-json', ...FORGED });
  const asTurtle = { method: 'POST', headers: { 'content-type': 'text/turtle' } };
  const body = `<${uri('as-turtle')}> <${VOC}label> "as-turtle" . ${forgedTriples(uri('as-turtle'))}`;
  await askAsOperator(node, '/component', { ...asTurtle, body });
  for (let poll = 0; poll < 2; poll++) await sync(node);

  const told = await node.getJson<Told[]>('/component');
  const own = ['local', 'urn:registry:local', 'own'];
  expect(told.map(({ label, source }) => [label, source.kind, source.url, source.trust])).toEqual([
    ['as-json', ...own],
    ['as-turtle', ...own],
    ['in-pod', 'pod', read, 'configured'],
    ['listed', 'peer', plain.origin, 'configured'],
    ['of-the-peer', 'peer', peer.origin, 'configured'],
    ['relayed', 'peer', peer.origin, 'learned'],
  ]);
  for (const { since } of told) expect(Date.parse(since)).toBeGreaterThanOrEqual(began);
  // Nowhere does Ann say anything, in whichever form it is told.
  const texts = ['text/turtle', 'application/ld+json', 'application/n-quads'].map((accept) =>
    textOf(node, '/component', accept),
  );
  expect((await Promise.all(texts)).join()).not.toContain(ANN);
  expect(await node.getJson<Told[]>(`/component?source=${encodeURIComponent(ANN)}`)).toEqual([]);
});
