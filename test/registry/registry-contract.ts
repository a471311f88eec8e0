import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import { compareText } from '../../src/lib/compare-text.js';
import { metadataList } from '../support/arbitrary.js';
import type { Engine } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { OK, POD_A, POD_B } from './sources.js';

/** What every engine does with changes: `Registry`, sentence by sentence. Call it in the test file of an engine. */
export function registryContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the registry contract: ${name}`, () => {
    const rig = Rig.of(createEngine);
    const { say, reopen } = rig;
    const served = () => rig.registry.list();
    const labels = () => rig.registry.labels();
    const everything = () => rig.registry.everything();

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
      const { revision } = await rig.registry.state();
      expect(await say(POD_A, [component('b'), component('a')])).toMatchObject({
        added: 0,
        changed: 0,
        removed: 0,
      });
      expect((await rig.registry.state()).revision).toEqual(revision);
      expect(await say(POD_A, [component('a', { label: 'A' })])).toMatchObject({
        added: 0,
        changed: 1,
        removed: 1,
      });
      expect((await rig.registry.state()).revision.number).toBe(revision.number + 1);
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
      const counted = await rig.registry.commit({ source: POD_A, documents, record: OK });
      expect(counted).toMatchObject({ added: 1, changed: 1, removed: 1 });
      expect(await labels()).toEqual(['again', 'c']);
      expect((await rig.registry.source(POD_A))?.documents.get(url)).toEqual({ etag: '"2"', components: 2 });
    });

    it('keeps the revision over a restart, but not when the same quads look different', async () => {
      await say(POD_A, [component('a')]);
      const { revision } = await rig.registry.state();
      await reopen();
      expect((await rig.registry.state()).revision).toEqual(revision);
      await reopen({ baseUrl: 'https://elsewhere.example' });
      expect((await rig.registry.state()).revision.number).toBe(revision.number + 1);
      expect((await rig.registry.state()).revision.epoch).toBe(revision.epoch);
      const moved = (await rig.registry.state()).revision;
      await reopen({ baseUrl: 'https://elsewhere.example', servedAs: 'another order' });
      expect((await rig.registry.state()).revision.number).toBe(moved.number + 1);
    });

    it('dates a change by when readers saw it, where writing it took into another second', async () => {
      rig.now += 900;
      const written = rig.now + 1_300;
      const commit = rig.registry.keep.commit.bind(rig.registry.keep);
      rig.registry.keep.commit = async (...asked) => {
        const head = await commit(...asked);
        rig.now = written;
        return head;
      };
      await say(POD_A, [component('a')]);
      const { revision } = await rig.registry.state();
      expect(revision.since).toBe(written);
      await reopen();
      expect((await rig.registry.state()).revision).toEqual(revision);
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
        const answer = await rig.registry.catalog.changes({ limit: 100 });
        return 'unknown' in answer ? answer : answer.changes.map(({ uri }) => uri);
      };
      const before = await told();
      await reopen();
      expect([await uris(), await told()]).toEqual([wanted, before]);
    });

    it('leaves a poll with the documents that it began with, and forgets what goes, however long its name is', async () => {
      const urls = ['short', 'é'.repeat(600), 'x'.repeat(1_500)].map((name) => POD_A.url + name);
      const change = (documents: readonly DocumentChange[]) =>
        rig.registry.commit({ source: POD_A, documents, record: { ...OK, lastSuccess: documents.length } });
      await change(urls.map((url, i) => ({ url, components: [component(`${i}`)], record: { etag: '"1"' } })));
      const before = await rig.registry.source(POD_A);
      await change(urls.slice(1).map((url) => ({ url, record: null })));
      expect(before?.documents.size).toBe(urls.length);
      for (const _ of ['now', 'after a restart']) {
        const { record, documents } = (await rig.registry.source(POD_A)) ?? {};
        expect(record).toEqual({ failures: 0, lastSuccess: 2 });
        expect(Object.fromEntries(documents ?? [])).toEqual({
          [`${urls[0]}`]: { etag: '"1"', components: 1 },
        });
        expect(await labels()).toEqual(['0']);
        await reopen();
      }
      await rig.registry.forget(POD_A);
      expect(await rig.registry.source(POD_A)).toBeUndefined();
    });

    it('takes writes to its own graph one after another, all or nothing', async () => {
      await Promise.all(
        [...'abcde'].map((name) =>
          rig.registry.upsertLocal([component(name), component('shared', { label: name })]),
        ),
      );
      expect(await rig.registry.size()).toBe(6);
      await reopen();
      expect(await rig.registry.size()).toBe(6);
      expect((await rig.registry.source(LOCAL))?.documents.get(LOCAL.url)?.components).toBe(6);
      expect(await rig.registry.removeLocal('https://c.example/none.js')).toBe(false);
    });

    it('keeps apart two sources that hold the same document', async () => {
      const url = 'https://a.example/shared';
      await say(POD_A, [component('x')], url);
      await say(POD_B, [component('x')], url);
      await rig.registry.forget(POD_A);
      await reopen();
      expect((await everything()).map(({ source }) => source)).toEqual([POD_B]);
    });

    it('says everything anew when the vocabulary changes, and reads its documents again', async () => {
      await say(POD_A, [component('a', { tag: ['t'] })]);
      await reopen({ namespace: 'https://other.example/voc#' });
      expect(await served()).toEqual([component('a', { tag: ['t'] })]);
      expect((await rig.registry.source(POD_A))?.documents.get(`${POD_A.url}doc`)).toEqual({ components: 1 });
      await reopen({ namespace: 'https://other.example/voc#' });
      expect(await served()).toEqual([component('a', { tag: ['t'] })]);
    });

    it('moves the revision of the lists only when they change', async () => {
      const lists = { peers: [{ url: 'https://p.example', hops: 0, via: [] }], storage: [] };
      await rig.registry.setNetwork(lists);
      const { networkRevision } = await rig.registry.state();
      await rig.registry.setNetwork(structuredClone(lists));
      expect((await rig.registry.state()).networkRevision).toEqual(networkRevision);
      await reopen();
      expect((await rig.registry.state()).networkRevision).toEqual(networkRevision);
      expect(await rig.registry.catalog.network()).toEqual(lists);
      await rig.registry.setNetwork({ peers: [], storage: [] });
      expect((await rig.registry.state()).networkRevision.number).toBe(networkRevision.number + 1);
    });

    it('changes what is remembered of a source from what is there when the change has its turn', async () => {
      const record = (lastAttempt: number) => (current: { failures: number }) => ({
        lastAttempt,
        failures: current.failures + 1,
      });
      await Promise.all(
        [1, 2, 3].map((n) => rig.registry.commit({ source: POD_A, documents: [], record: record(n) })),
      );
      expect((await rig.registry.source(POD_A))?.record).toEqual({ failures: 3, lastAttempt: 3 });
      await reopen();
      expect((await rig.registry.source(POD_A))?.record).toEqual({ failures: 3, lastAttempt: 3 });
    });
  });
}
