import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { payloadHash } from '../../../src/component/statement-digest.js';
import { readFeed } from '../../../src/sync/peer/feed-reader.js';
import type { SeenRequest } from '../../support/fake-server.js';
import type { WireChange, WirePage } from '../../support/peer/feed-server.js';
import { FollowedOrigin } from '../../support/peer/followed-origin.js';
import { processorTime } from '../../support/processor-time.js';
import { component, named } from '../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://a.example/' };
const GRAPH = 'https://a.example/1';
const BYSTANDER: Source = { kind: 'peer', url: 'http://bystander.example' };
const OWN = { source: LOCAL, graph: LOCAL.url };

type Tamper = (page: WirePage, request: SeenRequest) => WirePage;
const created = (name: string, description?: string): Partial<WireChange> => {
  const said = component(name, { description });
  return { type: 'Create', uri: said.uri, hash: payloadHash(said), component: { ...said } };
};

/** Changes pages that have changes. */
const pages =
  (tamper: (page: WirePage, changes: readonly WireChange[]) => Partial<WirePage>): Tamper =>
  (page) =>
    page.changes?.length ? { ...page, ...tamper(page, page.changes) } : page;
const changes = (tamper: (all: readonly WireChange[]) => readonly WireChange[]) =>
  pages((_, all) => ({ changes: tamper(all) }));
const inChanges =
  (tamper: Tamper): Tamper =>
  (page, request) =>
    request.url.startsWith('/feed?since=') ? tamper(page, request) : page;
/** Says one thing more, at a position of its own. */
const adding = (more: Partial<WireChange>) =>
  pages(({ cursor }, all) => {
    const last = all.at(-1) as WireChange;
    const moved = cursor.replace(/\.(\d+)\./, (_, position) => `.${Number(position) + 1}.`);
    return { cursor: moved, changes: [...all, { ...last, ...more, position: last.position + 1 }] };
  });
const otherDigests: Tamper = (page) => ({
  ...page,
  sources: page.sources?.map((line) => ({ ...line, digest: 'f'.repeat(32) })) ?? [],
});
const withoutFirst = changes((all) => all.slice(1));
const otherTexts = changes((all) =>
  all.map((one) => (one.component ? { ...one, component: { ...one.component, label: 'else' } } : one)),
);

/** What is wrong in the changes alone: that poll fails and stores nothing, and the next one reads everything. */
const MENDED: readonly (readonly [lie: string, tamper: Tamper])[] = [
  ['tells digests that it has not', otherDigests],
  ['leaves a change out', withoutFirst],
  ['leaves removals out', changes((all) => all.filter(({ type }) => type !== 'Delete'))],
  ['does not tell of its sources', pages(() => ({ sources: [] }))],
  ['adds what it does not say', adding({ ...created('x'), ...OWN })],
  ['removes what it still says', adding({ type: 'Delete', uri: component('a').uri, ...OWN })],
  ['gives payloads that do not match their hashes', otherTexts],
];

/** What is wrong wherever one looks: the peer is failing, says why, and nothing of it is stored. */
const FAILING: readonly (readonly [lie: string, tamper: Tamper, why: string])[] = [
  ['tells digests that it has not', otherDigests, 'not the state that its cursor names'],
  ['says something that its digests do not cover', withoutFirst, 'does not lead to the digests'],
  ['gives payloads that do not match their hashes', otherTexts, 'does not lead to the digests'],
];

/** Bytes count, whatever they are: these cost nobody much. */
const padding = 'x'.repeat(3_000_000);
const several = <T>(count: number, one: (i: number) => T) => Array.from({ length: count }, (_, i) => one(i));

describe('a peer whose feed lies', () => {
  let pair: FollowedOrigin;
  /** What the reader has of it before the lies, and of others. */
  let taken: readonly string[];
  let others: readonly unknown[];
  const ofOthers = async () =>
    (await pair.registry.everything()).filter(
      ({ source }) => source.kind !== 'peer' || source.url === BYSTANDER.url,
    );

  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.upsertLocal(named('a', 'b', 'c'));
    await pair.say(POD, GRAPH, named('p', 'q'));
    await pair.poll();
    await pair.registry.upsertLocal(named('mine', 'a'));
    const documents = [{ url: GRAPH, components: named('p', 'theirs'), record: { of: `pod ${POD.url}` } }];
    await pair.registry.commit({ source: BYSTANDER, documents, record: { failures: 0 } });
    taken = await pair.taken();
    others = await ofOthers();
    const put = [component('b', { label: 'B' }), component('d')];
    await pair.origin.commitOwn({ put, remove: named('c').map(({ uri }) => uri) });
    await pair.say(POD, GRAPH, named('q', 'r'));
    pair.requests();
  });

  /** Whatever it has said before: once it tells the truth again, the reader has all of it, and nothing of others was touched. */
  async function expectTruth(): Promise<void> {
    pair.feed.tamper = (page) => page;
    pair.override = () => undefined;
    expect(await pair.poll({ acceptsShrink: true })).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    expect(await ofOthers()).toEqual(others);
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.paths()).toEqual(['/feed 304']);
  }

  it.each(MENDED)('in its changes: it %s, and is read whole next time', async (_, tamper) => {
    pair.feed.tamper = inChanges(tamper);
    expect(await pair.poll()).toMatchObject({ ok: false, repairs: 1 });
    expect(await pair.taken()).toEqual(taken);
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.requests()).not.toContainEqual(expect.stringContaining('since='));
    await expectTruth();
  });

  it.each(FAILING)('wherever one looks: it %s, and is failing', async (_, tamper, why) => {
    pair.feed.tamper = tamper;
    for (let round = 0; round < 3; round++) {
      expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining(why) });
      expect(await pair.taken()).toEqual(taken);
    }
    expect((await pair.stored())?.record).toMatchObject({ failures: 3 });
    await expectTruth();
  });

  it('in its changes leads nowhere: it is read whole in the same poll, and that is no repair', async () => {
    pair.feed.tamper = inChanges(pages(() => ({ next: 'http://x.example/feed' })));
    const { ok, repairs } = await pair.poll();
    expect({ ok, repairs }).toEqual({ ok: true, repairs: undefined });
    expect(await pair.taken()).toEqual(await pair.said());
    await expectTruth();
  });

  it('names a document by what is no IRI: that document is refused, by name, and all others are read', async () => {
    pair.feed.tamper = adding({ ...created('x'), source: POD, graph: 'https://a.example/?{x}' });
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    const refused = [...((await pair.stored())?.documents ?? [])].filter(
      ([, { error }]) => error !== undefined,
    );
    expect(refused).toMatchObject([
      [expect.stringContaining('%257Bx%257D'), { components: 0, error: expect.stringContaining('{x}') }],
    ]);
  });

  it('describes something that is no component: its neighbours are taken, and it is named', async () => {
    const { uri = '' } = created('x');
    pair.feed.tamper = adding({ ...created('x'), component: { uri, label: '' }, source: POD, graph: GRAPH });
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    const documents = [...((await pair.stored())?.documents.values() ?? [])];
    expect(documents.flatMap(({ invalid }) => invalid ?? [])).toMatchObject([
      { subject: uri, reasons: [expect.stringContaining('label')] },
    ]);
  });

  type Page = (position: number) => { changes?: Partial<WireChange>[]; sources?: object[]; padding?: string };
  /** A page of changes; no two on all pages have one number. */
  const told =
    (count: number, one: (number: number) => Partial<WireChange>): Page =>
    (at) => ({ changes: several(count, (i) => one(at + i)) });
  const long = (number: number) => `urn:registry:peer:x:${number}${'x'.repeat(1900)}`;
  const strange = { ...created('e'), source: BYSTANDER };
  const summary = { kind: 'pod', rank: 0, count: 1, digest: 'f'.repeat(32) };
  it.each<[what: string, requests: number, page: Page]>([
    ['new components', 10, told(400, (n) => ({ ...OWN, ...created(`e${n}`, 'x'.repeat(3000)) }))],
    ['new documents', 9, told(400, (n) => ({ ...strange, graph: long(n) }))],
    [
      'new sources',
      8,
      (at) => ({ sources: several(3000, (i) => ({ ...summary, url: `https://s${at}-${i}.example/` })) }),
    ],
    ['pages that are almost empty', 450, told(1, () => ({ ...OWN, ...created('e') }))],
    [
      'what does not concern this node',
      15,
      (at) => ({ ...told(1, () => ({ ...strange, graph: 'urn:registry:peer:x:y' }))(at), padding }),
    ],
  ])(
    'comes without an end, of %s: it is not read on, but from its beginning',
    async (_, requests, page) => {
      pair.maxComponents = 500;
      pair.override = ({ url }) => {
        if (!url.startsWith('/feed?since=')) return undefined;
        const asked = new URL(url, 'http://x.example').searchParams;
        const [epoch, position, digest] = (asked.get('since') ?? '').split('.');
        const from = Number(asked.get('after') ?? position);
        const { changes = [], ...more } = page(from);
        const to = from + 400;
        return {
          headers: { link: `</feed?since=${asked.get('since')}&after=${to}>; rel="next"` },
          body: {
            ...{ cursor: `${epoch}.${to}.${digest}`, network: 0, digestVersion: 2, sources: [], ...more },
            changes: changes.map((one, i) => ({ ...one, position: from + i + 1, at: 0 })),
          },
        };
      };
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(pair.requests().length).toBeLessThan(requests);
      expect(await pair.taken()).toEqual(await pair.said());
      await expectTruth();
    },
    30_000,
  );
});

it('a page costs what is on it, however many sources the pages before have told of', async () => {
  const [peer, clock] = ['https://p.example', { now: () => 0 }];
  const limits = { most: { components: 1, bytes: 1 }, isWanted: () => true };
  const text = new Uint8Array(5_000_000);
  let asked = 0;
  const ask = async (url: string) => {
    const headers = new Headers(asked++ < 3_000 ? { link: `</feed?after=${asked}>; rel="next"` } : {});
    return { page: { url, headers, mediaType: '', text: asked === 1 ? text : '' } };
  };
  const changes = several(10_000, (i) => ({ position: 2, of: `pod https://s${i}.example/`, graph: GRAPH }));
  const parse = async () => ({
    ...{ cursor: { epoch: 'e', position: 1, digest: '' }, network: 0, summaries: [] },
    changes: asked === 1 ? changes : [],
  });
  const polling = { url: peer, peer, clock, remembered: {}, ask, parse, limits } as never;
  const busyMs = processorTime();
  await readFeed(polling, { read: async () => undefined, isCurrent: true } as never);
  expect(asked).toBe(3_001);
  // Walking through all of the sources for each page took five seconds.
  expect(busyMs()).toBeLessThan(2_000);
});
