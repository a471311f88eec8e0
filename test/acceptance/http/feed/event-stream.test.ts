import { Parser, type Quad } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp, VOC } from '../../adapters/registry-app.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const AS = 'https://www.w3.org/ns/activitystreams#';
const TREE = 'https://w3id.org/tree#';
const LDES = 'https://w3id.org/ldes#';
const IS_VERSION_OF = 'http://purl.org/dc/terms/isVersionOf';
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const STREAM = `${BASE}/feed#stream`;
const uriOf = (i: number) => `https://c.example/${i}.js`;
const many = (from: number, to: number, label = 'x') =>
  Array.from({ length: to - from }, (_, i) => component(uriOf(from + i), { label }));

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
const ask = async (address: string, accept = 'application/trig') =>
  test.app.request(address.replace(BASE, ''), { headers: { accept } });

/** What an answer says, in whichever form. */
const read = async (answer: Response, format = 'application/trig') =>
  new Parser({ format }).parse(await answer.text());
const values = (quads: readonly Quad[], about: string | null, said: string) =>
  quads
    .filter(
      ({ subject, predicate }) => predicate.value === said && (about ?? subject.value) === subject.value,
    )
    .map(({ object }) => object.value);

function grouped(quads: readonly Quad[], by: 'subject' | 'graph'): ReadonlyMap<string, readonly Quad[]> {
  const groups = new Map<string, Quad[]>();
  for (const quad of quads) {
    const group = groups.get(quad[by].value);
    if (group) group.push(quad);
    else groups.set(quad[by].value, [quad]);
  }
  return groups;
}

/** A client of the stream as the specification of LDES wants it: it reads closed nodes once, and members once. */
class Client {
  /** What is said about each member, and in the graph of its name. */
  readonly members = new Map<string, readonly Quad[]>();
  /** How many members each node has, by its address. */
  readonly nodes = new Map<string, number>();
  readonly #closed = new Set<string>();

  constructor(readonly accept = 'application/trig') {}

  /** @returns the members that are new, as type and uri, and how many requests it took */
  async poll(): Promise<{ news: string[]; requests: number }> {
    const news: string[] = [];
    let requests = 0;
    const open = [`${BASE}/feed`];
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      requests += 1;
      const answer = await ask(address, this.accept);
      expect(answer.status).toBe(200);
      const said = await read(answer, this.accept);
      const next = new Set(values(said, null, `${TREE}node`));
      open.push(...[...next].filter((one) => !this.#closed.has(one)));
      if (answer.headers.get('cache-control')?.includes('immutable')) this.#closed.add(address);
      const members = values(said, STREAM, `${TREE}member`);
      this.nodes.set(address, members.length);
      const [own, payloads] = [grouped(said, 'subject'), grouped(said, 'graph')];
      for (const member of members.filter((one) => !this.members.has(one))) {
        const about = [...(own.get(member) ?? []), ...(payloads.get(member) ?? [])];
        this.members.set(member, about);
        const type = typeOf(about, member);
        news.push(`${type} ${values(about, member, `${AS}object`)[0]}`);
        // A removal has no payload.
        expect(payloads.has(member)).toBe(type !== 'Delete');
      }
    }
    return { news, requests };
  }
}

const typeOf = (about: readonly Quad[], member: string) =>
  values(about, member, RDF_TYPE)
    .find((type) => type.startsWith(AS))
    ?.slice(AS.length);

describe('the event stream', () => {
  it('says of itself in what order, in which versions and for how long members are there', async () => {
    const said = await read(await ask('/feed'));
    const all = (predicate: string) => values(said, STREAM, predicate);
    expect(all(RDF_TYPE)).toEqual([`${LDES}EventStream`]);
    expect(all(`${TREE}view`)).toEqual([`${BASE}/feed`]);
    expect(all(`${LDES}timestampPath`)).toEqual([`${AS}published`]);
    expect(all(`${LDES}versionOfPath`)).toEqual([IS_VERSION_OF]);
    expect(all(`${LDES}versionDeleteObject`)).toEqual([`${AS}Delete`]);
    const [policy = ''] = values(said, `${BASE}/feed`, `${LDES}retentionPolicy`);
    expect(values(said, policy, `${LDES}versionAmount`)).toEqual(['1']);
    expect(values(said, policy, `${LDES}versionDeleteDuration`)).toEqual(['P180D']);
  });

  it.each(['application/trig', 'application/n-quads'])(
    'has a member for each statement, in %s',
    async (type) => {
      await test.say(POD, [component(uriOf(1), { label: 'One', shapes: ['as:Note'] })]);
      await test.registry.upsertLocal([component(uriOf(1))]);
      const client = new Client(type);
      expect((await client.poll()).news).toEqual([`Create ${uriOf(1)}`, `Create ${uriOf(1)}`]);
      const [[member = '', about = []] = []] = client.members;
      expect(values(about, member, `${AS}published`)).toEqual([new Date(test.node.now).toISOString()]);
      expect(values(about, member, 'http://purl.org/dc/terms/source')).toEqual([POD.url]);
      expect(values(about, member, `${VOC}source`)).toEqual([POD.url]);
      expect(values(about, member, `${VOC}position`)).toEqual(['2']);
      const graphs = about.flatMap(({ subject, graph }) => (subject.value === uriOf(1) ? graph.value : []));
      expect(new Set(graphs)).toEqual(new Set([member]));
      expect(values(about, uriOf(1), `${VOC}label`)).toEqual(['One']);
      expect(values(about, uriOf(1), `${VOC}shapes`)).toEqual(['as:Note']);
    },
  );

  it('has many members in nodes of at most 1,000, of which a client reads the closed ones once', async () => {
    await test.say(POD, many(0, 1200));
    await test.say(LOCAL, many(1200, 2100));
    const client = new Client();
    expect(new Set((await client.poll()).news).size).toBe(2100);
    const sizes = [...client.nodes.values()];
    expect(Math.max(...sizes)).toBe(1000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2100);

    expect(await client.poll()).toEqual({ news: [], requests: expect.any(Number) });
    await test.say(POD, [...many(1, 1199), component(uriOf(1199), { label: 'new' }), ...many(5000, 5001)]);
    const { news, requests } = await client.poll();
    expect(news.sort()).toEqual([`Create ${uriOf(5000)}`, `Delete ${uriOf(0)}`, `Update ${uriOf(1199)}`]);
    expect(requests).toBeLessThanOrEqual(3);
    // All versions of a statement have one name.
    const names = [...client.members].map(([member, about]) => values(about, member, IS_VERSION_OF)[0]);
    expect([names.length, new Set(names).size]).toEqual([2103, 2101]);

    // The root gets another level, closed nodes lose what has changed: still nobody misses anything.
    for (let times = 1; times <= 8; times++) await test.say(POD, many(0, 1200, `again, ${times}`));
    expect((await test.registry.state()).feed.position).toBeGreaterThan(10_000);
    const after = await client.poll();
    expect(new Set(after.news).size).toBe(1201);
    expect(after.requests).toBeLessThan(30);
    const fresh = new Client();
    const all = (await fresh.poll()).news;
    expect(new Set(all).size).toBe(2101);
    expect(all.filter((one) => one.startsWith('Delete'))).toEqual([`Delete ${uriOf(5000)}`]);
    expect((await fresh.poll()).requests).toBeLessThanOrEqual(4);
  });

  it('leads by times, for clients that want only a part', async () => {
    await test.say(POD, many(0, 1500));
    test.node.now += 1000;
    await test.say(LOCAL, many(1500, 3000));
    const said = await read(await ask('/feed'));
    const relations = values(said, `${BASE}/feed`, `${TREE}relation`);
    const bounds = relations.map((relation) => [
      values(said, relation, RDF_TYPE)[0]?.slice(TREE.length),
      new URL(values(said, relation, `${TREE}node`)[0] ?? '').searchParams.get('after'),
      Date.parse(values(said, relation, `${TREE}value`)[0] ?? '') - test.node.now,
    ]);
    expect(bounds).toEqual([
      ['GreaterThanOrEqualToRelation', '0', -1000],
      ['LessThanOrEqualToRelation', '0', -1000],
      ['GreaterThanOrEqualToRelation', '1000', -1000],
      ['LessThanOrEqualToRelation', '1000', 0],
      ['GreaterThanOrEqualToRelation', '2000', 0],
      ['LessThanOrEqualToRelation', '2000', 0],
      ['GreaterThanOrEqualToRelation', '3000', 0],
    ]);
  });

  it('tells changes since a cursor in RDF, too, with a relation to the next page', async () => {
    const since = (await ask('/feed')).headers.get('feed-cursor');
    await test.say(POD, many(0, 3));
    const address = `${BASE}/feed?since=${since}&limit=2`;
    const answer = await ask(address);
    const said = await read(answer);
    expect(values(said, STREAM, `${TREE}member`)).toHaveLength(2);
    const [relation = ''] = values(said, address, `${TREE}relation`);
    expect(answer.headers.get('link')).toBe(`<${values(said, relation, `${TREE}node`)[0]}>; rel="next"`);
  });

  it('is 410 for nodes of another history, 400 for what is no node', async () => {
    await test.say(POD, many(0, 5));
    const { epoch } = (await test.registry.state()).revision;
    const at = async (parameters: string) => {
      const answer = await ask(`/feed/range?${parameters}`);
      const { reason } =
        answer.status === 200 ? { reason: '' } : ((await answer.json()) as { reason: string });
      return [answer.status, reason];
    };
    expect(await at(`epoch=${epoch}&after=0&until=1000`)).toEqual([200, '']);
    expect(await at('epoch=other&after=0&until=1000')).toEqual([410, 'epoch']);
    expect(await at(`epoch=${epoch}&after=1000&until=2000`)).toEqual([410, 'future']);
    for (const range of ['after=0&until=300', 'after=500&until=1500', 'after=10&until=0', 'after=0', '']) {
      expect(await at(`epoch=${epoch}&${range}`)).toEqual([400, undefined]);
    }
    expect((await ask(`/feed/range?epoch=${epoch}&after=0&until=1000`, 'application/json')).status).toBe(406);
  });

  it('is no stream of hints for a client that names no such stream', async () => {
    expect((await ask('/feed', 'text/*')).status).toBe(406);
    expect((await ask('/feed', 'text/*, application/json;q=0.1')).headers.get('content-type')).toBe(
      'application/json',
    );
  });
});
