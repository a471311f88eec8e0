import { beforeAll, expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { dataset, publish, sync } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { type InProcessNode, NETWORKED, startInProcess } from './adapters/in-process-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const OTHER_VOC = 'https://other.example/voc#';
const uri = (name: string) => `https://c.example/${name}.js`;

interface Feed {
  readonly cursor: string;
  readonly sources: readonly { readonly url: string; readonly rank: number; readonly digest: string }[];
  readonly changes: readonly { readonly type: string; readonly uri: string; readonly position: number }[];
}

/** A node that reads two pods which both describe one component, and to which another one was posted. */
let node: InProcessNode;
let pods: readonly [one: string, two: string];
/** What each entity tag of the listing has stood for, whatever the configuration. */
const bodies = new Map<string, string>();
let first: Seen;

/** Without its base URL, which may lead elsewhere. */
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${node.port}${path}`, { headers });

async function seen() {
  const answer = await ask('/component');
  const text = await answer.text();
  const etag = answer.headers.get('etag') ?? '';
  expect(bodies.get(etag) ?? text, `what ${etag} stands for`).toBe(text);
  bodies.set(etag, text);
  const components = JSON.parse(text) as (Record<string, unknown> & { readonly uri: string })[];
  const feed = (await (await ask('/feed')).json()) as Feed;
  return { etag, components, feed, cursor: answer.headers.get('feed-cursor') ?? '' };
}
type Seen = Awaited<ReturnType<typeof seen>>;

const uris = ({ components }: Seen) => components.map((one) => one.uri);
const digests = ({ feed }: Seen) => feed.sources.map(({ url, digest }) => [url, digest]).sort();
const shared = ({ components }: Seen) => components.find((one) => one.uri === uri('shared'));
const since = async (cursor: string) => (await (await ask(`/feed?since=${cursor}`)).json()) as Feed;

async function restart(changed: object = {}): Promise<Seen> {
  await node.stop();
  await node.start({ config: { ...NETWORKED, pods, ...changed } });
  return seen();
}

/** Nothing was said anew, and yet no answer is what it was: the same statements, positions and digests under another tag. */
async function expectAnotherView(before: Seen, after: Seen): Promise<void> {
  expect(uris(after)).toEqual(uris(before));
  expect(after.feed.changes).toEqual(before.feed.changes);
  expect(digests(after)).toEqual(digests(before));
  expect((await since(before.cursor)).changes).toEqual([]);
  expect(after.etag).not.toBe(before.etag);
  expect((await ask('/component', { 'if-none-match': before.etag })).status).toBe(200);
}

beforeAll(async () => {
  const server = await fakeServer();
  const pod = new FakePod(server);
  pod.put('/one/shared.ttl', turtle('shared', `; <${VOC}version> "1.0.0"`));
  pod.put('/one/alone.ttl', turtle('alone'));
  pod.put('/two/shared.ttl', turtle('shared', `; <${VOC}version> "2.0.0"`));
  pods = [server.url('/one/'), server.url('/two/')];
  node = await startInProcess({ config: { ...NETWORKED, pods } });
  await sync(node);
  await publish(node, { uri: uri('posted'), label: 'Posted' });
  first = await seen();
  expect(uris(first)).toEqual(['alone', 'posted', 'shared'].map(uri));
});

test('another order of pods has the other one served at once, and followers of the feed are told the ranks', async () => {
  const before = await restart();
  const reader = await startInProcess({
    config: { ...NETWORKED, peers: [node.url], mode: 'mirror', write: 'off' },
  });
  await sync(reader);
  expect(shared(before)).toMatchObject({ version: '1.0.0', source: { url: pods[0] } });
  const after = await restart({ pods: pods.toReversed() });
  expect(shared(after)).toMatchObject({ version: '2.0.0', source: { url: pods[1] } });
  await expectAnotherView(before, after);
  const { cursor, sources } = await since(before.cursor);
  expect(cursor).toBe(after.cursor);
  expect(sources.map(({ url, rank }) => [url, rank]).sort()).toEqual([
    [pods[0], 1],
    [pods[1], 0],
  ]);
  await sync(reader);
  expect(await reader.getJson(`/c/${uri('shared')}`)).toMatchObject({ version: '2.0.0' });
  await sync(node);
  expect((await seen()).cursor).toBe(after.cursor);
});

test('another vocabulary is spoken at once, read in documents from the next poll on, and can be taken back', async () => {
  const before = await restart();
  const after = await restart({ vocabulary: OTHER_VOC });
  await expectAnotherView(before, after);
  for (const accept of ['application/json', 'text/turtle', 'application/ld+json', 'application/n-quads']) {
    const text = await (await ask('/component', { accept })).text();
    expect([accept, text.includes(OTHER_VOC), text.includes(VOC)]).toEqual([accept, true, false]);
  }
  const predicates = (await dataset(node)).map(({ predicate }) => predicate.value);
  expect(predicates.filter((name) => name.startsWith(VOC))).toEqual([]);
  // Pods that speak the other one say nothing then.
  await sync(node);
  expect(uris(await seen())).toEqual([uri('posted')]);
  expect((await since(before.cursor)).changes.map(({ type }) => type)).toEqual(Array(3).fill('Delete'));
  const back = await restart();
  expect(back.components).toMatchObject([{ uri: uri('posted'), [`${VOC}label`]: [{ '@id': 'Posted' }] }]);
  await sync(node);
  expect(uris(await seen())).toEqual(uris(first));
});
