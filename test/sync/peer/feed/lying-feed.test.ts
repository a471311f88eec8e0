import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/component/source.js';
import { payloadHash } from '../../../../src/component/statement-digest.js';
import type { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';
import {
  adding,
  changes,
  created,
  digests,
  everywhere,
  GRAPH,
  inChanges,
  LyingOrigin,
  otherText,
  POD,
  pages,
  removed,
  type Tamper,
} from './lying-origin.js';

/** What is wrong in the changes alone: that poll fails and stores nothing, and the next one reads everything. */
const MENDED: readonly (readonly [lie: string, tamper: Tamper])[] = [
  ['tells digests that it has not', digests(inChanges)],
  ['leaves a change out', changes(inChanges, (all) => all.slice(1))],
  ['leaves removals out', changes(inChanges, (all) => all.filter(({ type }) => type !== 'Delete'))],
  ['does not tell of its sources', pages(inChanges, () => ({ sources: [] }))],
  ['adds what it does not say', adding(inChanges, { ...created('x'), source: LOCAL, graph: LOCAL.url })],
  ['removes what it still says', adding(inChanges, removed('a', { source: LOCAL, graph: LOCAL.url }))],
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
  ],
  ['gives payloads that do not match their hashes', changes(inChanges, (all) => all.map(otherText))],
  [
    'repeats a position',
    changes(inChanges, (all) => all.map((one) => ({ ...one, position: all[0]?.position ?? 0 }))),
  ],
  [
    'has a cursor that does not move',
    (page, request) =>
      inChanges(request)
        ? { ...page, cursor: new URL(request.url, 'http://x').searchParams.get('since') ?? '' }
        : page,
  ],
  ['has a cursor of another life', pages(inChanges, ({ cursor }) => ({ cursor: `other${cursor}` }))],
  [
    'says that there is more, and there is not',
    (page, request) => (inChanges(request) ? { ...page, changes: [], next: 'http://x.example/feed' } : page),
  ],
  [
    'speaks as the node itself in a document of a pod',
    adding(inChanges, { ...created('x'), source: LOCAL, graph: GRAPH }),
  ],
  [
    'speaks as a pod in the graph of the node itself',
    adding(inChanges, { ...created('x'), source: POD, graph: LOCAL.url }),
  ],
];

/** What is wrong wherever one looks: the peer is failing, says why, and nothing of it is stored. */
const FAILING: readonly (readonly [lie: string, tamper: Tamper, why: string])[] = [
  ['tells digests that it has not', digests(everywhere), 'not the state that its cursor names'],
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
    'makes its digests in another way',
    (page) => ({ ...page, digestVersion: 3 }),
    'its digests are of version 3, not of version 2',
  ],
  ['has no cursor', (page) => ({ ...page, cursor: 'latest' }), 'it names no state'],
];

describe('a peer whose feed lies', () => {
  let lying: LyingOrigin;
  let pair: FollowedOrigin;
  beforeEach(async () => {
    lying = await LyingOrigin.open();
    pair = lying.pair;
  });

  it.each(MENDED)('in its changes: it %s, and is read whole next time', async (_, tamper) => {
    pair.feed.tamper = tamper;
    expect(await pair.poll()).toMatchObject({ ok: false });
    expect(await pair.taken()).toEqual(lying.before);
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.requests()).not.toContainEqual(expect.stringContaining('since='));
    expect(await pair.taken()).toEqual(await pair.said());
    expect(await pair.following()).toMatchObject({ by: 'feed' });
    await lying.expectTruth();
  });

  it.each(FAILING)('wherever one looks: it %s, and is failing', async (_, tamper, why) => {
    pair.feed.tamper = tamper;
    for (let round = 0; round < 3; round++) {
      const { ok, error } = await pair.poll();
      expect(ok).toBe(false);
      // A feed that cannot be read from its beginning is none, and this peer has no other listing.
      expect(error).toMatch(round === 0 ? why : new RegExp(`${why}|GET /component`));
      expect(pair.requests().length).toBeLessThan(20);
      expect(await pair.taken()).toEqual(lying.before);
      await lying.expectOthersUntouched();
    }
    expect((await pair.reader.stored())?.record).toMatchObject({ failures: 3 });
    await lying.expectTruth();
  });

  it('names a document by what is no IRI: that document is refused, by name, and all others are read', async () => {
    const foreign = { source: POD, graph: 'https://a.example/?{x}' };
    pair.feed.tamper = adding(everywhere, { ...created('x'), ...foreign });
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    const { documents, record } = (await pair.reader.stored()) ?? {};
    const refused = [...(documents ?? [])].filter(([, { error }]) => error !== undefined);
    expect(refused).toEqual([
      [
        expect.stringContaining('%257Bx%257D'),
        expect.objectContaining({ components: 0, error: expect.stringContaining('{x}') }),
      ],
    ]);
    expect(record?.following).toMatchObject({ by: 'feed' });
    await lying.expectOthersUntouched();
  });

  it('describes something that is no component wherever one looks: its neighbours are taken', async () => {
    const component = { uri: created('x').uri ?? '', label: '' };
    pair.feed.tamper = adding(everywhere, { ...created('x'), component, source: POD, graph: GRAPH });
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    const invalid = [...((await pair.reader.stored())?.documents.values() ?? [])].flatMap(
      (one) => one.invalid ?? [],
    );
    expect(invalid).toMatchObject([{ subject: component.uri, reasons: [expect.stringContaining('label')] }]);
  });
});
