import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { feedDigest } from '../../src/core/source-digests.js';
import { KeepFull } from '../../src/keep/faults.js';
import { systemClock } from '../../src/lib/clock.js';
import { compareText } from '../../src/lib/compare-text.js';
import { OutcomeUnknown } from '../../src/lib/faults.js';
import { metadataList } from '../support/arbitrary.js';
import { breakCommits, type Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { authority, LEARNED, OK, ORDER, PEER, POD_A, POD_B } from './sources.js';

/** What every engine does with changes: `Registry`, sentence by sentence. Call it in the test file of an engine. */
export function registryContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the registry contract: ${name}`, () => {
    let engine: Engine;
    let registry: TestRegistry;

    beforeEach(async () => {
      engine = await createEngine();
      registry = await engine.open({ order: ORDER });
    });
    afterEach(async () => {
      await registry.close();
      await engine.remove();
    });

    async function reopen(more: Parameters<Engine['open']>[0] = {}): Promise<void> {
      await registry.close();
      registry = await engine.open({ order: ORDER, ...more });
    }
    const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
      registry.commit({ source, documents: [{ url, components, record: { etag: '"1"' } }], record: OK });
    const served = () => registry.list();
    const labels = () => registry.labels();
    const everything = () => registry.everything();

    it('serves what was committed, before and after a restart', async () => {
      await fc.assert(
        fc.asyncProperty(metadataList, async (components) => {
          await say(POD_A, components);
          const expected = [...components].sort((a, b) => compareText(a.uri, b.uri));
          expect(await served()).toEqual(expected);
          await reopen();
          expect(await served()).toEqual(expected);
        }),
        { numRuns: 25 },
      );
    });

    it('counts what a commit changes, and moves the revision for nothing else', async () => {
      expect(await say(POD_A, [component('a'), component('b')])).toMatchObject({
        added: 2,
        changed: 0,
        removed: 0,
      });
      const { revision } = await registry.state();
      expect(await say(POD_A, [component('b'), component('a')])).toMatchObject({
        added: 0,
        changed: 0,
        removed: 0,
      });
      expect((await registry.state()).revision).toEqual(revision);
      expect(await say(POD_A, [component('a', { label: 'A' })])).toMatchObject({
        added: 0,
        changed: 1,
        removed: 1,
      });
      expect((await registry.state()).revision.number).toBe(revision.number + 1);
      expect(await labels()).toEqual(['A']);
    });

    it('takes changes that name a document, or a uri, more than once together', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const url = `${POD_A.url}doc`;
      const again = component('a', { label: 'again' });
      const documents = [
        { url, amend: { remove: [again.uri, component('b').uri] }, record: {} },
        { url, amend: { put: [again, component('c'), component('c')] }, record: { etag: '"2"' } },
      ];
      const counted = await registry.commit({ source: POD_A, documents, record: OK });
      expect(counted).toMatchObject({ added: 1, changed: 1, removed: 1 });
      expect(await labels()).toEqual(['again', 'c']);
      expect((await registry.source(POD_A))?.documents.get(url)).toEqual({ etag: '"2"', components: 2 });
    });

    it('keeps the revision over a restart, but not when the same quads look different', async () => {
      await say(POD_A, [component('a')]);
      const { revision } = await registry.state();
      await reopen();
      expect((await registry.state()).revision).toEqual(revision);
      await reopen({ baseUrl: 'https://elsewhere.example' });
      expect((await registry.state()).revision.number).toBe(revision.number + 1);
      expect((await registry.state()).revision.epoch).toBe(revision.epoch);
      const moved = (await registry.state()).revision;
      await reopen({ baseUrl: 'https://elsewhere.example', servedAs: 'another order' });
      expect((await registry.state()).revision.number).toBe(moved.number + 1);
    });

    it('dates a change by when readers saw it, where writing it took into another second', async () => {
      let now = Math.ceil(Date.now() / 1000) * 1000 + 60_900;
      await reopen({ clock: { ...systemClock, now: () => now } });
      const written = now + 1_300;
      const commit = registry.keep.commit.bind(registry.keep);
      registry.keep.commit = async (...asked) => {
        const head = await commit(...asked);
        now = written;
        return head;
      };
      await say(POD_A, [component('a')]);
      const { revision } = await registry.state();
      expect(revision.since).toBe(written);
      await reopen();
      expect((await registry.state()).revision).toEqual(revision);
    });

    it('has one order of uris, whatever orders bytes and characters have, also after a restart', async () => {
      const long = 'l'.repeat(1_500);
      const names = [
        '\u{1f984}',
        '\uff5e',
        'a',
        'A',
        'é',
        'a%20b',
        ...[...'abcdef'].map((one) => long + one),
      ];
      await say(
        POD_A,
        names.map((name) => component(name)),
      );
      const uris = async () => (await served()).map(({ uri }) => uri);
      const wanted = names.map((name) => component(name).uri).sort(compareText);
      expect(await uris()).toEqual(wanted);
      const told = async () => {
        const answer = await registry.catalog.changes({ limit: 100 });
        return 'unknown' in answer ? answer : answer.changes.map(({ uri }) => uri);
      };
      const before = await told();
      await reopen();
      expect([await uris(), await told()]).toEqual([wanted, before]);
    });

    it('serves exactly one description of a component, by precedence', async () => {
      const from = (label: string) => [component('x', { label })];
      const ranking = async () => (await everything()).map(({ metadata }) => metadata.label);
      const expected = ['a', 'b', 'own', 'learned', 'peer'];
      await say(PEER, from('peer'));
      expect(await labels()).toEqual(['peer']);
      await say(LEARNED, from('learned'));
      expect(await labels()).toEqual(['learned']);
      await registry.upsertLocal(from('own'));
      expect(await labels()).toEqual(['own']);
      await say(POD_B, from('b'));
      await say(POD_A, from('a'));
      expect(await labels()).toEqual(['a']);
      expect(await ranking()).toEqual(expected);
      await reopen();
      expect(await ranking()).toEqual(expected);
      await registry.forget(POD_A);
      await registry.forget(POD_B);
      expect(await labels()).toEqual(['own']);
      expect(await registry.removeLocal(component('x').uri)).toBe(true);
      expect(await labels()).toEqual(['learned']);
    });

    it('remembers of sources and documents what it was told, in the same batch', async () => {
      const url = `${POD_A.url}doc`;
      await registry.commit({
        source: POD_A,
        documents: [
          { url, components: [component('a')], record: { etag: '"1"', modified: '2026' } },
          { url: `${POD_A.url}empty`, components: [], record: { etag: 'x' } },
        ],
        record: { failures: 0, lastSuccess: 5, memo: { listing: 1 } },
      });
      await registry.commit({
        source: POD_A,
        documents: [{ url, record: { etag: '"2"' } }],
        record: { failures: 2, error: 'down' },
      });
      await reopen();
      const held = await registry.source(POD_A);
      expect(held?.record).toEqual({ failures: 2, error: 'down' });
      expect(Object.fromEntries(held?.documents ?? [])).toEqual({
        [url]: { etag: '"2"', components: 1 },
        [`${POD_A.url}empty`]: { etag: 'x', components: 0 },
      });
      await registry.commit({ source: POD_A, documents: [{ url, record: null }], record: OK });
      expect(await registry.size()).toBe(0);
      await registry.forget(POD_A);
      await reopen();
      expect(await registry.source(POD_A)).toBeUndefined();
    });

    it('takes writes to its own graph one after another, all or nothing', async () => {
      await Promise.all(
        [...'abcde'].map((name) =>
          registry.upsertLocal([component(name), component('shared', { label: name })]),
        ),
      );
      expect(await registry.size()).toBe(6);
      await reopen();
      expect(await registry.size()).toBe(6);
      expect((await registry.source(LOCAL))?.documents.get(LOCAL.url)?.components).toBe(6);
      expect(await registry.removeLocal('https://c.example/none.js')).toBe(false);
    });

    it('keeps apart two sources that hold the same document', async () => {
      const url = 'https://a.example/shared';
      await say(POD_A, [component('x')], url);
      await say(POD_B, [component('x')], url);
      await registry.forget(POD_A);
      await reopen();
      expect((await everything()).map(({ source }) => source)).toEqual([POD_B]);
    });

    it('says everything anew when the vocabulary changes, and reads its documents again', async () => {
      await say(POD_A, [component('a', { tag: ['t'] })]);
      await reopen({ namespace: 'https://other.example/voc#' });
      expect(await served()).toEqual([component('a', { tag: ['t'] })]);
      expect((await registry.source(POD_A))?.documents.get(`${POD_A.url}doc`)).toEqual({ components: 1 });
      await reopen({ namespace: 'https://other.example/voc#' });
      expect(await served()).toEqual([component('a', { tag: ['t'] })]);
    });

    it('moves the revision of the lists only when they change', async () => {
      const lists = { peers: [{ url: 'https://p.example', hops: 0, via: [] }], storage: [] };
      await registry.setNetwork(lists);
      const { networkRevision } = await registry.state();
      await registry.setNetwork(structuredClone(lists));
      expect((await registry.state()).networkRevision).toEqual(networkRevision);
      await reopen();
      expect((await registry.state()).networkRevision).toEqual(networkRevision);
      expect(await registry.catalog.network()).toEqual(lists);
      await registry.setNetwork({ peers: [], storage: [] });
      expect((await registry.state()).networkRevision.number).toBe(networkRevision.number + 1);
    });

    it('takes changes of different sources at once, and each is whole', async () => {
      const sources = Array.from(
        { length: 12 },
        (_, i): Source => ({ kind: 'pod', url: `https://p${i}.example/` }),
      );
      await Promise.all(
        sources.map((source, i) =>
          say(source, [component(`c${i}`), component('shared', { label: source.url })]),
        ),
      );
      expect(await registry.size()).toBe(sources.length + 1);
      const shared = await registry.catalog.statements(component('shared').uri);
      expect(new Set(shared.map(({ source }) => source.url))).toEqual(new Set(sources.map(({ url }) => url)));
      await reopen();
      expect(await registry.size()).toBe(sources.length + 1);
    });

    it('changes what is remembered of a source from what is there when the change has its turn', async () => {
      const record = (lastAttempt: number) => (current: { failures: number }) => ({
        lastAttempt,
        failures: current.failures + 1,
      });
      await Promise.all(
        [1, 2, 3].map((n) => registry.commit({ source: POD_A, documents: [], record: record(n) })),
      );
      expect((await registry.source(POD_A))?.record).toEqual({ failures: 3, lastAttempt: 3 });
      await reopen();
      expect((await registry.source(POD_A))?.record).toEqual({ failures: 3, lastAttempt: 3 });
    });

    it('serves another description of a source when the authorities of its documents change', async () => {
      const ranked = (one: number, other: number) =>
        registry.commit({
          source: PEER,
          documents: [
            {
              url: 'https://x.example/1',
              components: [component('x', { label: 'one' })],
              record: { authority: authority(one) },
            },
            {
              url: 'https://x.example/2',
              components: [component('x', { label: 'two' })],
              record: { authority: authority(other) },
            },
          ],
          record: OK,
        });
      await ranked(0, 1);
      expect(await labels()).toEqual(['one']);
      const before = await registry.state();
      await ranked(1, 0);
      expect(await labels()).toEqual(['two']);
      expect((await registry.state()).revision.number).toBe(before.revision.number + 1);
      await reopen();
      expect(await labels()).toEqual(['two']);
    });

    it.each(['refused', 'unsettled'] as const)(
      'says of a commit that fails whether it is stored, or that nobody knows: %s',
      async (how) => {
        await registry.upsertLocal([component('before')]);
        const repair = breakCommits(registry, how);
        const failure = await registry.upsertLocal([component('a')]).catch((error) => error);
        repair();
        expect(failure).toBeInstanceOf(how === 'unsettled' ? OutcomeUnknown : KeepFull);
        if (how === 'refused') expect(await labels()).toEqual(['before']);
        await reopen();
        expect(await labels()).toEqual(how === 'unsettled' ? ['a', 'before'] : ['before']);
        await registry.upsertLocal([component('a'), component('b')]);
        expect(await labels()).toEqual(['a', 'b', 'before']);
        const { feed, networkRevision } = await registry.state();
        expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
      },
    );
  });
}
