import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Source } from '../../../../src/component/precedence.js';
import { payloadHash } from '../../../../src/component/statement-digest.js';
import type { SeenRequest } from '../../../support/fake-server.js';
import type { WireChange, WirePage } from '../../../support/feed-server.js';
import { FollowedOrigin } from '../../../support/followed-origin.js';
import { component } from '../../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://a.example/' };
const GRAPH = 'https://a.example/1';
const BYSTANDER: Source = { kind: 'peer', url: 'http://bystander.example' };

const named = (...names: string[]) => names.map((name) => component(name));

type Tamper = FollowedOrigin['feed']['tamper'];
type Where = (request: SeenRequest) => boolean;

const inChanges: Where = ({ url }) => url.startsWith('/feed?since=');
const everywhere: Where = () => true;

/** Changes pages that have changes, in the feed of changes alone or everywhere. */
const pages =
  (where: Where, tamper: (page: WirePage & { changes: WireChange[] }) => Partial<WirePage>): Tamper =>
  (page, request) =>
    where(request) && page.changes?.length
      ? { ...page, ...tamper({ ...page, changes: page.changes }) }
      : page;

const changes = (where: Where, tamper: (all: WireChange[]) => WireChange[]) =>
  pages(where, (page) => ({ changes: tamper(page.changes) }));

const digests =
  (where: Where): Tamper =>
  (page, request) => {
    if (!where(request)) return page;
    const lie = <L extends object>(line: L) => ({ ...line, digest: 'f'.repeat(32) });
    const { sources, source } = page;
    return {
      ...page,
      ...(sources ? { sources: sources.map(lie) } : {}),
      ...(source ? { source: lie(source) } : {}),
    };
  };

const moved = (cursor: string, by: number) =>
  cursor.replace(/\.(\d+)\./, (_, position) => `.${Number(position) + by}.`);

/** Says one thing more, at a position of its own. */
const adding = (where: Where, more: Partial<WireChange>) =>
  pages(where, (page) => {
    const [last] = page.changes.slice(-1) as [WireChange];
    return {
      cursor: moved(page.cursor, 1),
      changes: [...page.changes, { ...last, ...more, position: last.position + 1 }],
    };
  });

const created = (name: string): Partial<WireChange> => ({
  type: 'Create',
  uri: component(name).uri,
  hash: payloadHash(component(name)),
  component: { ...component(name) },
});
const removed = (name: string, more: Partial<WireChange>): Partial<WireChange> => ({
  ...{ type: 'Delete', uri: component(name).uri, ...more },
});

const otherHash = (one: WireChange) => ({ ...one, ...(one.hash ? { hash: 'x'.repeat(22) } : {}) });
const otherText = (one: WireChange) => ({
  ...one,
  ...(one.component ? { component: { ...one.component, label: 'something else' } } : {}),
});

/**
 * What is wrong in the changes alone: it is mended in the same poll, by reading what all its sources are like, those that
 * differ, or everything.
 */
const MENDED: readonly (readonly [lie: string, tamper: Tamper, read: 'lines' | 'source' | 'whole'])[] = [
  ['tells digests that it has not', digests(inChanges), 'lines'],
  ['leaves a change out', changes(inChanges, (all) => all.slice(1)), 'source'],
  ['leaves the last change out', changes(inChanges, (all) => all.slice(0, -1)), 'source'],
  ['leaves removals out', changes(inChanges, (all) => all.filter(({ type }) => type !== 'Delete')), 'source'],
  ['does not tell of its sources', pages(inChanges, () => ({ sources: [] })), 'lines'],
  [
    'adds what it does not say',
    adding(inChanges, { ...created('x'), source: LOCAL, graph: LOCAL.url }),
    'source',
  ],
  [
    'adds a source',
    adding(inChanges, {
      ...created('x'),
      source: { kind: 'pod', url: 'https://x.example/' },
      graph: 'https://x.example/1',
    }),
    'source',
  ],
  [
    'removes what it still says',
    adding(inChanges, removed('a', { source: LOCAL, graph: LOCAL.url })),
    'source',
  ],
  [
    'gives another payload, with its hash',
    changes(inChanges, (all) =>
      all.map((one) =>
        one.type === 'Delete'
          ? one
          : {
              ...one,
              hash: payloadHash({ ...component('x'), uri: one.uri }),
              component: { ...component('x'), uri: one.uri },
            },
      ),
    ),
    'source',
  ],
  ['gives payloads that do not match their hashes', changes(inChanges, (all) => all.map(otherText)), 'whole'],
  ['gives other hashes', changes(inChanges, (all) => all.map(otherHash)), 'whole'],
  [
    'repeats a position',
    changes(inChanges, (all) => all.map((one) => ({ ...one, position: all[0]?.position ?? 0 }))),
    'whole',
  ],
  ['tells positions backwards', changes(inChanges, (all) => all.toReversed()), 'whole'],
  [
    'repeats what was told before',
    changes(inChanges, (all) => all.map((one, i) => ({ ...one, position: i + 1 }))),
    'whole',
  ],
  [
    'has a cursor that does not move',
    (page, request) =>
      inChanges(request)
        ? { ...page, cursor: new URL(request.url, 'http://x').searchParams.get('since') ?? '' }
        : page,
    'whole',
  ],
  ['has a cursor of another life', pages(inChanges, ({ cursor }) => ({ cursor: `other${cursor}` })), 'whole'],
  ['has no cursor', pages(inChanges, () => ({ cursor: 'latest' })), 'whole'],
  [
    'says that there is more, and there is not',
    (page, request) => (inChanges(request) ? { ...page, changes: [], next: 'http://x.example/feed' } : page),
    'whole',
  ],
  [
    'describes something that is no component',
    changes(inChanges, (all) =>
      all.map((one) => ({ ...one, ...(one.component ? { component: { uri: one.uri, label: '' } } : {}) })),
    ),
    'whole',
  ],
  [
    'speaks as the node itself in a document of a pod',
    adding(inChanges, { ...created('x'), source: LOCAL, graph: GRAPH }),
    'whole',
  ],
  [
    'speaks as a pod in the graph of the node itself',
    adding(inChanges, { ...created('x'), source: POD, graph: LOCAL.url }),
    'whole',
  ],
];

/** What is wrong wherever one looks: the peer is failing, says why, and nothing of it is stored. */
const FAILING: readonly (readonly [lie: string, tamper: Tamper, why: string])[] = [
  ['tells digests that it has not', digests(everywhere), 'does not lead to the digests'],
  [
    'says something that its digests do not cover',
    changes(everywhere, (all) => all.slice(1)),
    'does not lead to the digests',
  ],
  [
    'gives payloads that do not match their hashes',
    changes(everywhere, (all) => all.map(otherText)),
    'its hash is not that of the component',
  ],
  [
    'repeats a position',
    changes(everywhere, (all) => all.map((one) => ({ ...one, position: 1000 }))),
    'position',
  ],
  ['has no cursor', (page) => ({ ...page, cursor: 'latest' }), 'no change feed'],
];

describe('a peer whose feed lies', () => {
  let pair: FollowedOrigin;
  let before: string[];
  let bystanders: string[];
  const others = async () =>
    (await pair.reader.registry.everything())
      .filter(({ source }) => source.url !== pair.reader.source.url)
      .map(
        ({ source, document, metadata }) => `${source.kind} ${document} ${metadata.uri} ${metadata.label}`,
      );

  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal(named('a', 'b', 'c'));
    await pair.say(POD, GRAPH, named('p', 'q'));
    await pair.poll();
    before = await pair.taken();
    const { registry } = pair.reader;
    await registry.upsertLocal(named('mine', 'a'));
    const record = { of: 'pod https://a.example/' };
    const documents = [{ url: GRAPH, components: named('p', 'theirs'), record }];
    await registry.commit({ source: BYSTANDER, documents, record: (current) => current });
    bystanders = await others();
    const put = [component('b', { label: 'B' }), component('d')];
    await pair.origin.registry.commitOwn({ put, remove: named('c').map(({ uri }) => uri) });
    await pair.say(POD, GRAPH, named('q', 'r'));
    pair.requests();
  });

  /** Whatever it has said before, once it tells the truth again the reader has all of it, and nothing of others was touched. */
  async function expectTruth(): Promise<void> {
    pair.feed.tamper = (page) => page;
    pair.override = () => undefined;
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    expect(await others()).toEqual(bystanders);
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.requests()).toEqual([expect.stringMatching(/^\/feed[?].* 304$/)]);
  }

  it.each(MENDED)('in its changes: it %s, and is mended', async (_, tamper, read) => {
    pair.feed.tamper = tamper;
    const report = await pair.poll();
    expect(report).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    if (read === 'lines') {
      expect(report).not.toHaveProperty('repairs');
      expect(pair.requests()).toContain('/feed/sources 200');
    } else {
      expect(report.repairs?.[read]).toBe(1);
      expect(await pair.following()).toMatchObject({ by: 'feed', lastRepair: { at: pair.clock.now() } });
    }
    expect(await others()).toEqual(bystanders);
    await expectTruth();
  });

  it.each(FAILING)('wherever one looks: it %s, and is failing', async (_, tamper, why) => {
    pair.feed.tamper = tamper;
    for (let round = 0; round < 3; round++) {
      const report = await pair.poll();
      expect(report).toMatchObject({ ok: false, error: expect.stringContaining(why) });
      expect(pair.requests().length).toBeLessThan(20);
      expect(await pair.taken()).toEqual(before);
      expect(await others()).toEqual(bystanders);
    }
    expect((await pair.reader.stored())?.record).toMatchObject({ failures: 3 });
    await expectTruth();
  });

  it('that has failed so is read whole next time, at once', async () => {
    pair.feed.tamper = digests(everywhere);
    await pair.poll();
    pair.requests();
    pair.feed.tamper = (page) => page;
    expect(await pair.poll()).toMatchObject({ ok: true, repairs: { source: 0, whole: 1 } });
    expect(pair.requests()).not.toContainEqual(expect.stringContaining('since='));
    await expectTruth();
  });

  it.each([
    [
      'a document of another source',
      { source: { kind: 'pod' as const, url: 'https://other.example/' }, graph: GRAPH },
    ],
    [
      'a document of another peer',
      { source: POD, graph: `urn:registry:peer:${encodeURIComponent(BYSTANDER.url)}:x` },
    ],
    ['a document that nobody has', { source: POD, graph: 'https://a.example/none' }],
  ])('removes something from %s, and removes nothing', async (_, where) => {
    pair.feed.tamper = adding(inChanges, removed('q', where));
    await pair.poll();
    expect(await pair.taken()).toEqual(await pair.said());
    expect(await others()).toEqual(bystanders);
    await expectTruth();
  });

  it('has other names for the documents of others, and touches only its own', async () => {
    pair.feed.tamper = adding(everywhere, { ...created('theirs'), source: POD, graph: GRAPH });
    await pair.poll();
    expect(await others()).toEqual(bystanders);
    await expectTruth();
  });

  describe('without an end', () => {
    /** Pages that go on for ever, each with so many changes. */
    const endless = (count: number, change: (position: number) => Partial<WireChange>) => {
      let position = 0;
      pair.override = ({ url }) => {
        if (!url.startsWith('/feed?')) return undefined;
        const since = /since=(\w+)\.(\d+)\.(\w+)/.exec(url) ?? [];
        position = Math.max(position, Number(since[2]));
        const all = Array.from({ length: count }, () => {
          position += 1;
          return {
            position,
            at: 0,
            source: LOCAL,
            graph: LOCAL.url,
            ...created(`e${position}`),
            ...change(position),
          };
        });
        const cursor = `${since[1]}.${position}.${since[3]}`;
        return { body: { cursor, network: 0, changes: all, sources: [], next: 'http://x.example/' } };
      };
    };

    it('of new components: no more are kept than this node keeps', async () => {
      pair = await FollowedOrigin.open({ maxComponents: 500 });
      await pair.origin.registry.upsertLocal(named('a'));
      await pair.poll();
      endless(100, () => ({}));
      // Everything that it says together does fit.
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(await pair.taken()).toEqual(await pair.said());
      expect(pair.requests().length).toBeLessThan(30);
    });

    it('of pages that are almost empty: it is not read to its end', async () => {
      endless(1, () => created('e'));
      expect(await pair.poll()).toMatchObject({ ok: true, repairs: { source: 0, whole: 1 } });
      expect(pair.requests().length).toBeLessThan(120);
      await expectTruth();
    });

    it('of the same component, or of what does not concern this node', async () => {
      pair = await FollowedOrigin.open({ maxComponents: 10 });
      await pair.origin.registry.upsertLocal(named('a'));
      await pair.poll();
      for (const change of [created('e'), { graph: 'urn:registry:peer:x:y', source: BYSTANDER }]) {
        endless(2000, () => change);
        expect(await pair.poll()).toMatchObject({
          ok: false,
          error: expect.stringContaining('do not concern'),
        });
        expect(pair.requests().length).toBeLessThan(80);
      }
      expect(await pair.taken()).toEqual(await pair.said());
    }, 30_000);

    it('of removals: everything is read instead', async () => {
      pair = await FollowedOrigin.open({ maxComponents: 10 });
      await pair.origin.registry.upsertLocal(named('a'));
      await pair.poll();
      endless(2000, (position) => ({ type: 'Delete', uri: `https://c.example/gone${position}` }));
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(await pair.taken()).toEqual(await pair.said());
    }, 30_000);
  });

  it('does not even know the states of its pages: it is failing, and nothing is stored', async () => {
    pair.feed.pageSize = 2;
    pair.override = ({ url }) =>
      url.startsWith('/feed?since') ? { status: 410, body: { reason: 'fork' } } : undefined;
    for (let round = 0; round < 5; round++) {
      expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining('fork') });
      expect(await pair.taken()).toEqual(before);
    }
    await expectTruth();
  });

  it('forgets every state as soon as the poll is over: it is read whole a few times, and then by its listing', async () => {
    let isNew = true;
    pair.override = ({ url }) => {
      if (url === '/component') return { body: [{ ...component('listed') }], etag: '"l"' };
      if (url === '/feed/sources') isNew = true;
      return url.startsWith('/feed?since') && !isNew ? { status: 410, body: { reason: 'fork' } } : undefined;
    };
    for (let round = 0; round < 3; round++) {
      isNew = false;
      expect(await pair.poll()).toMatchObject({ ok: true, repairs: { source: 0, whole: 1 } });
      expect(await pair.taken()).toEqual(await pair.said());
      expect(await pair.following()).toMatchObject({ lastRepair: { why: expect.stringContaining('fork') } });
    }
    isNew = false;
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.following()).toMatchObject({ by: 'listing', why: expect.stringContaining('fork') });
    expect(await pair.reader.registry.get(component('listed').uri)).toBeDefined();
    expect(await others()).toEqual(bystanders);
  });
});
