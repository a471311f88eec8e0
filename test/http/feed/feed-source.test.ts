import { Parser, type Quad } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { LOCAL } from '../../../src/component/source.js';
import { digestElement, payloadHash } from '../../../src/component/statement-digest.js';
import { LtHash } from '../../../src/lib/lt-hash.js';
import type { FeedPage, FeedSummary } from '../../support/feed-copy.js';
import { BASE, component, createTestApp, type TestApp, VOC } from '../../support/registry-app.js';

const POD = { kind: 'pod', url: 'https://pod.example/a&b/' } as const;
const PEER = { kind: 'peer', url: 'https://peer.example' } as const;
const uriOf = (name: string) => `https://c.example/${name}.js`;
const rich: Partial<Metadata> = {
  ...{ description: 'with "quotes"\nand lines', version: '1.0.0', latest: true },
  ...{ author: ['Zoë', 'Ann'], tag: ['b', 'a'], shapes: ['as:Note', 'semcom:label', 'https://s.example/1'] },
};

let test: TestApp;
const ask = (address: string, accept?: string, headers: Record<string, string> = {}) =>
  test.app.request(address.replace(BASE, ''), { headers: { ...headers, ...(accept ? { accept } : {}) } });
const addressOf = ({ kind, url }: { kind: string; url: string }) =>
  `/feed/source?${new URLSearchParams({ kind, url })}`;

beforeEach(async () => {
  test = await createTestApp();
  await test.say(POD, [component(uriOf('a'), rich), component(uriOf('b'))]);
  await test.say(PEER, [component(uriOf('a'), { label: 'as the peer has it' })]);
  await test.registry.upsertLocal([component(uriOf('c'))]);
});

describe('GET /feed/sources', () => {
  it('has the line of every source, and the cursor of the feed', async () => {
    const answer = await ask('/feed/sources');
    const body = (await answer.json()) as { cursor: string; network: number; sources: FeedSummary[] };
    expect(body.sources.map(({ kind, url, count }) => [kind, url, count])).toEqual([
      ['peer', PEER.url, 1],
      ['pod', POD.url, 2],
      ['local', LOCAL.url, 1],
    ]);
    expect(answer.headers.get('etag')).toContain(body.cursor);
    expect(answer.headers.get('feed-cursor')).toBe(body.cursor);
    const tag = { 'if-none-match': `"${body.cursor}"` };
    expect((await ask('/feed/sources', undefined, tag)).status).toBe(304);
    expect((await ask('/feed/sources', 'text/turtle')).status).toBe(406);
  });
});

describe('GET /feed/source', () => {
  it.each([
    [undefined, 'application/trig'],
    ['application/n-quads', 'application/n-quads'],
  ])('is the source whole for Accept %s, losers included, with its line', async (accept, type) => {
    const answer = await ask(addressOf(POD), accept);
    expect(answer.headers.get('content-type')).toBe(type);
    const quads = new Parser({ format: type }).parse(await answer.text());
    const line = await lineOf(POD.url);
    const address = BASE + addressOf(POD);
    const told = quads.filter(({ subject }) => subject.value === address);
    expect(
      Object.fromEntries(told.map((q) => [q.predicate.value.slice(VOC.length), q.object.value])),
    ).toEqual({
      ...{ source: POD.url, kind: 'pod', digest: line.digest },
      ...{ rank: String(line.rank), count: '2', position: String(line.position) },
    });
    expect(digestOf(quads)).toBe(line.digest);
  });

  it('comes in pages in JSON, without removals', async () => {
    await test.say(POD, [component(uriOf('b')), component(uriOf('d'))]);
    const seen: string[] = [];
    let address: string | undefined = `${addressOf(POD)}&limit=1`;
    while (address !== undefined) {
      const answer = await ask(address, 'application/json');
      const page = (await answer.json()) as FeedPage & { source: FeedSummary };
      expect(page.source).toEqual(await lineOf(POD.url));
      expect(answer.headers.get('feed-cursor')).toBe(page.cursor);
      seen.push(...page.changes.map(({ type, uri }) => `${type} ${uri}`));
      address = page.next;
    }
    expect(seen).toEqual([`Create ${uriOf('b')}`, `Create ${uriOf('d')}`]);
  });

  it('has no removals, even where something goes while a page is made', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `n${i}`);
    const say = (some: readonly string[]) =>
      test.say(
        POD,
        some.map((name) => component(uriOf(name))),
      );
    let breaths = 0;
    const pace = () => async () => {
      breaths += 1;
      if (breaths === 20) await say(names.slice(5));
    };
    test = await createTestApp({}, { pace });
    await say(names);
    let page: FeedPage | undefined;
    for (let address: string | undefined = addressOf(POD); address !== undefined; address = page.next) {
      page = (await (await ask(address, 'application/json')).json()) as FeedPage;
      expect(page.changes.filter(({ type }) => type !== 'Create')).toEqual([]);
    }
    expect(page?.cursor).toBe((await ask('/feed')).headers.get('feed-cursor'));
  });

  it('comes in pages in RDF, too, which together are the source', async () => {
    const quads: Quad[] = [];
    for (let address: string | undefined = `${addressOf(POD)}&limit=1`; address; ) {
      const answer = await ask(address);
      quads.push(...new Parser({ format: 'application/trig' }).parse(await answer.text()));
      address = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(digestOf(quads)).toBe((await lineOf(POD.url)).digest);
  });

  it('needs no kind, unless a URL is both a pod and a peer', async () => {
    await test.say({ kind: 'peer', url: POD.url }, [component(uriOf('z'))]);
    const counts = async (parameters: Record<string, string>) =>
      (
        (await (
          await ask(`/feed/source?${new URLSearchParams(parameters)}`, 'application/json')
        ).json()) as FeedPage
      ).changes.length;
    expect(await counts({ url: LOCAL.url })).toBe(1);
    expect(await counts({ url: POD.url })).toBe(2);
    expect(await counts({ url: POD.url, kind: 'peer' })).toBe(1);
  });

  it('is 404 for a source that the node has nothing of, 400 for none', async () => {
    for (const accept of ['application/json', 'application/trig']) {
      expect((await ask('/feed/source?url=https://other.example/', accept)).status).toBe(404);
      expect((await ask(`/feed/source?url=${PEER.url}&kind=pod`, accept)).status).toBe(404);
      expect((await ask('/feed/source', accept)).status).toBe(400);
      expect((await ask(`/feed/source?url=${PEER.url}&kind=node`, accept)).status).toBe(400);
      expect((await ask(`/feed/source?url=${PEER.url}&since=x.1.00000000`, accept)).status).toBe(400);
    }
  });

  it('is 304 to whoever has it', async () => {
    const tags = new Set<string>();
    for (const accept of ['application/json', 'application/trig']) {
      const tag = (await ask(addressOf(POD), accept)).headers.get('etag') ?? '';
      expect((await ask(addressOf(POD), accept, { 'if-none-match': tag })).status).toBe(304);
      tags.add(tag);
    }
    expect(tags.size).toBe(2);
  });
});

it('every representation of /component tells the cursor of its instant', async () => {
  const { headers } = await ask('/feed');
  const cursor = headers.get('feed-cursor');
  const paths = ['/component', '/component?limit=1', '/component?tag=a'];
  for (const path of paths) {
    for (const accept of ['application/json', 'text/turtle', 'application/n-quads', 'application/ld+json']) {
      const answer = await ask(path, accept);
      expect(answer.headers.get('feed-cursor')).toBe(cursor);
      expect(answer.headers.get('access-control-expose-headers')).toContain('Feed-Cursor');
      const again = await ask(path, accept, { 'if-none-match': answer.headers.get('etag') ?? '' });
      expect([again.status, again.headers.get('feed-cursor')]).toEqual([304, cursor]);
    }
  }
  await test.registry.upsertLocal([component(uriOf('e'))]);
  expect((await ask('/component')).headers.get('feed-cursor')).not.toBe(cursor);
});

async function lineOf(url: string): Promise<FeedSummary> {
  const { sources } = (await (await ask('/feed/sources')).json()) as { sources: FeedSummary[] };
  const line = sources.find((one) => one.url === url);
  if (!line) throw new Error(`no line for ${url}`);
  return line;
}

/** The digest of a dataset of components, each document in a graph of its own. */
function digestOf(quads: readonly Quad[]): string {
  const hash = LtHash.empty();
  const statements = new Map<string, Quad[]>();
  for (const quad of quads) {
    if (quad.graph.value === '') continue;
    const key = `${quad.graph.value} ${quad.subject.value}`;
    statements.set(key, [...(statements.get(key) ?? []), quad]);
  }
  for (const [key, some] of statements) {
    const [document = '', uri = ''] = key.split(' ');
    const values = (name: string) =>
      some.filter(({ predicate }) => predicate.value === VOC + name).map(({ object }) => object.value);
    const [label = '', description, version, latest] = ['label', 'description', 'version', 'latest'].map(
      (name) => values(name)[0],
    );
    const single = {
      ...{ uri, label },
      ...(description === undefined ? {} : { description }),
      ...(version === undefined ? {} : { version }),
      ...(latest === undefined ? {} : { latest: latest === 'true' }),
    };
    const lists = { author: values('author'), tag: values('tag'), shapes: values('shapes') };
    hash.add(digestElement({ document, uri, hash: payloadHash({ ...single, ...lists }) }));
  }
  return hash.digest();
}
