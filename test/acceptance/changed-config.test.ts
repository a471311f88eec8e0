import { beforeAll, describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { dataset, OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const OTHER_VOC = 'https://other.example/voc#';
const ON_DEMAND = { schedule: '0 0 1 1 *', streams: 0 };
const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
const uri = (name: string) => `https://c.example/${name}.js`;

interface Listed {
  readonly '@id': string;
  readonly uri: string;
  readonly version?: string;
  readonly since: string;
  readonly source: { readonly url: string };
}

interface Feed {
  readonly cursor: string;
  readonly sources: readonly { readonly url: string; readonly rank: number; readonly digest: string }[];
  readonly changes: readonly { readonly type: string; readonly uri: string; readonly position: number }[];
}

/** A node that reads two pods which both describe one component, and to which another one was posted. */
class ConfiguredNode {
  /** What each entity tag of the listing has stood for, whatever the configuration. */
  readonly #bodies = new Map<string, string>();

  private constructor(
    readonly node: InProcessNode,
    readonly pods: readonly [one: string, two: string],
    private readonly fixed: Readonly<Record<string, unknown>>,
  ) {}

  static async start(): Promise<ConfiguredNode> {
    const server = await fakeServer();
    cleanup(() => server.close());
    const pod = new FakePod(server);
    pod.put('/one/shared.ttl', turtle('shared', `; <${VOC}version> "1.0.0"`));
    pod.put('/one/alone.ttl', turtle('alone'));
    pod.put('/two/shared.ttl', turtle('shared', `; <${VOC}version> "2.0.0"`));
    const pods = [server.url('/one/'), server.url('/two/')] as const;
    const listen = { port: await heldPort() };
    const fixed = { listen, write: 'open', sync: ON_DEMAND, network: { allowPrivate: true } };
    const node = await startInProcess({ config: { ...fixed, pods }, env });
    await sync(node);
    const posted = await fetch(`${node.url}/component`, postJson({ uri: uri('posted'), label: 'Posted' }));
    expect(posted.status).toBe(201);
    return new ConfiguredNode(node, pods, fixed);
  }

  async restart(changed: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.node.stop();
    await this.node.restart({ config: { ...this.fixed, pods: this.pods, ...changed }, env });
  }

  /** Without its base URL, which may lead elsewhere. */
  ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const { port } = this.fixed.listen as { port: number };
    return fetch(`http://127.0.0.1:${port}${path}`, { headers });
  }

  async seen() {
    const answer = await this.ask('/component');
    const text = await answer.text();
    const etag = answer.headers.get('etag') ?? '';
    expect(this.#bodies.get(etag) ?? text, `what ${etag} stands for`).toBe(text);
    this.#bodies.set(etag, text);
    const components = JSON.parse(text) as (Listed & Record<string, unknown>)[];
    const feed = (await (await this.ask('/feed')).json()) as Feed;
    return { etag, components, feed, cursor: answer.headers.get('feed-cursor') ?? '' };
  }

  async feedSince(cursor: string): Promise<Feed> {
    const answer = await this.ask(`/feed?since=${cursor}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as Feed;
  }

  /** Is the listing, or another answer, still what it was when it had this tag? */
  async statusFor(etag: string, path = '/component'): Promise<number> {
    const answer = await this.ask(path, { 'if-none-match': etag });
    await answer.text();
    return answer.status;
  }
}

type Seen = Awaited<ReturnType<ConfiguredNode['seen']>>;

const shared = ({ components }: Seen) => components.find((one) => one.uri === uri('shared'));
const uris = ({ components }: Seen) => components.map((one) => one.uri);
const digests = ({ feed }: Seen) => feed.sources.map(({ url, digest }) => [url, digest]).sort();

/** Nothing was said anew: the same statements, since when they were, with their positions and digests. */
function expectSameStatements(before: Seen, after: Seen): void {
  expect(uris(after)).toEqual(uris(before));
  expect(after.feed.changes).toEqual(before.feed.changes);
  expect(digests(after)).toEqual(digests(before));
}

let one: ConfiguredNode;
let first: Seen;
beforeAll(async () => {
  one = await ConfiguredNode.start();
  first = await one.seen();
  expect(uris(first)).toEqual(['alone', 'posted', 'shared'].map(uri));
});

test('a restart with the same configuration changes nothing that a client sees', async () => {
  await one.restart();
  const after = await one.seen();
  expect([after.etag, after.cursor]).toEqual([first.etag, first.cursor]);
  expect(await one.statusFor(first.etag)).toBe(304);
  expect(await one.feedSince(first.cursor)).toMatchObject({ changes: [], sources: [] });
});

describe('another order of pods', () => {
  let before: Seen;
  let after: Seen;
  beforeAll(async () => {
    await one.restart();
    before = await one.seen();
    await one.restart({ pods: [...one.pods].reverse() });
    after = await one.seen();
  });

  test('has the other pod served of what both describe, before anything is polled', () => {
    expect(shared(before)).toMatchObject({ version: '1.0.0', source: { url: one.pods[0] } });
    expect(shared(after)).toMatchObject({ version: '2.0.0', source: { url: one.pods[1] } });
  });

  test('moves the entity tag, and says nothing anew: positions, dates and digests stay', async () => {
    expect(after.etag).not.toBe(before.etag);
    expect(await one.statusFor(before.etag)).toBe(200);
    expectSameStatements(before, after);
  });

  test('tells readers of the feed the new ranks, from the cursor that they had', async () => {
    expect(after.cursor).not.toBe(before.cursor);
    const { cursor, changes, sources } = await one.feedSince(before.cursor);
    expect([cursor, changes]).toEqual([after.cursor, []]);
    expect(sources.map(({ url, rank }) => [url, rank]).sort()).toEqual([
      [one.pods[0], 1],
      [one.pods[1], 0],
    ]);
  });

  test('stays as it is when the pods are polled and the node starts again', async () => {
    await sync(one.node);
    expect(await one.statusFor(after.etag)).toBe(304);
    await one.restart({ pods: [...one.pods].reverse() });
    expect((await one.seen()).cursor).toBe(after.cursor);
    expect(await one.statusFor(after.etag)).toBe(304);
  });

  test('reaches a node that follows the feed', async () => {
    await one.restart();
    const reader = await startInProcess({
      config: { peers: [one.node.url], sync: ON_DEMAND, network: { allowPrivate: true }, mode: 'mirror' },
      env,
    });
    await sync(reader);
    const version = async () =>
      (await reader.getJson<Listed[]>('/component')).find((listed) => listed.uri === uri('shared'))?.version;
    expect(await version()).toBe('1.0.0');
    await one.restart({ pods: [...one.pods].reverse() });
    await sync(reader);
    expect(await version()).toBe('2.0.0');
  });
});

describe('another baseUrl', () => {
  const baseUrl = 'http://other.example/registry';
  let before: Seen;
  let after: Seen;
  beforeAll(async () => {
    await one.restart();
    before = await one.seen();
    await one.restart({ baseUrl });
    after = await one.seen();
  });

  test('is what addresses begin with, and moves the entity tags of all that name it', async () => {
    expect(after.components.map((listed) => listed['@id'])).toEqual(
      uris(before).map((name) => `${baseUrl}/c/${name}`),
    );
    expect(after.etag).not.toBe(before.etag);
    expect(await one.statusFor(before.etag)).toBe(200);
    const text = await (await one.ask('/component', { accept: 'text/turtle' })).text();
    expect(text).toContain(`<${baseUrl}/c/${uri('posted')}>`);
    expect(text).not.toContain('<http://localhost');
  });

  test('says nothing anew, and what was posted is still the own word of the node', async () => {
    expectSameStatements(before, after);
    expect(await one.feedSince(before.cursor)).toMatchObject({ changes: [] });
    expect(after.components.find((listed) => listed.uri === uri('posted'))).toMatchObject({
      source: { trust: 'own' },
    });
  });
});

describe('another vocabulary', () => {
  let before: Seen;
  let after: Seen;
  beforeAll(async () => {
    await one.restart();
    before = await one.seen();
    await one.restart({ vocabulary: OTHER_VOC });
    after = await one.seen();
  });

  test('is what every representation speaks at once, of every source', async () => {
    for (const listed of after.components) {
      expect(listed).toHaveProperty([`${OTHER_VOC}label`]);
      expect(listed).not.toHaveProperty([`${VOC}label`]);
    }
    for (const accept of ['text/turtle', 'application/ld+json', 'application/n-quads']) {
      const text = await (await one.ask('/component', { accept })).text();
      expect([accept, text.includes(OTHER_VOC), text.includes(VOC)]).toEqual([accept, true, false]);
    }
    const predicates = new Set((await dataset(one.node)).map(({ predicate }) => predicate.value));
    expect(predicates).toContain(`${OTHER_VOC}label`);
    expect([...predicates].filter((name) => name.startsWith(VOC))).toEqual([]);
  });

  test('moves the entity tag, and says nothing anew', async () => {
    expect(after.etag).not.toBe(before.etag);
    expect(await one.statusFor(before.etag)).toBe(200);
    expectSameStatements(before, after);
    expect(await one.feedSince(before.cursor)).toMatchObject({ changes: [] });
  });

  test('is read in documents from the next poll on: pods that speak the other one say nothing then', async () => {
    await sync(one.node);
    const polled = await one.seen();
    expect(uris(polled)).toEqual([uri('posted')]);
    const { changes } = await one.feedSince(before.cursor);
    expect(changes.map(({ type, uri: of }) => `${type} ${of}`).sort()).toEqual([
      `Delete ${uri('alone')}`,
      `Delete ${uri('shared')}`,
      `Delete ${uri('shared')}`,
    ]);
  });

  test('can be taken back: what was posted is in the first one again, and the pods after a poll', async () => {
    await one.restart();
    expect((await one.seen()).components).toEqual([
      expect.objectContaining({ uri: uri('posted'), [`${VOC}label`]: [{ '@id': 'Posted' }] }),
    ]);
    await sync(one.node);
    expect(uris(await one.seen())).toEqual(uris(first));
  });
});

test('what a pod says that is not configured any more goes at the start, for readers of the feed, too', async () => {
  await one.restart();
  await sync(one.node);
  const before = await one.seen();
  await one.restart({ pods: [one.pods[1]] });
  const after = await one.seen();
  expect(uris(after)).toEqual([uri('posted'), uri('shared')]);
  expect(shared(after)).toMatchObject({ version: '2.0.0' });
  expect(after.etag).not.toBe(before.etag);
  const feed = await one.feedSince(before.cursor);
  expect(feed.cursor).toBe(after.cursor);
  expect(after.feed.sources.map(({ url }) => url)).not.toContain(one.pods[0]);
});
