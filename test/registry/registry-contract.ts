import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Changes, StatementChange } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import { takenFrom } from '../../src/component/provenance.js';
import type { Query } from '../../src/component/query.js';
import { LOCAL, SAMPLES, type Source, sourceKey } from '../../src/component/source.js';
import { statementElement } from '../../src/component/statement-digest.js';
import { type Cursor, cursorText, parseCursor } from '../../src/core/cursor.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import { type Authority, STATEMENT_CLASSES } from '../../src/core/precedence.js';
import { compareText } from '../../src/lib/compare-text.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { metadataList } from '../support/arbitrary.js';
import type { Engine } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { LEARNED, OK, PEER, POD_A, POD_B } from './sources.js';

const DAY = 24 * 60 * 60 * 1000;

/**
 * What every engine does with changes, and tells of them, beside what histories compare with a model. Call it in the test file of an
 * engine.
 */
export function registryContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the registry contract: ${name}`, () => {
    const rig = Rig.of(createEngine);
    const { say, reopen, cursor, changes } = rig;
    const served = () => rig.registry.list();
    const labels = () => rig.registry.labels();

    const unknown = async (since: Cursor) => rig.registry.catalog.changes({ since, limit: 1 });
    const told = ({ changes: list }: Changes) =>
      list.map(({ uri, metadata, isUpdate }) => `${metadata ? (isUpdate ? '~' : '+') : '-'}${nameOf(uri)}`);

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
      const counted = async (...components: Metadata[]) => {
        const { added, changed, removed } = await say(POD_A, components);
        return [added, changed, removed];
      };
      expect(await counted(component('a'), component('b'))).toEqual([2, 0, 0]);
      const { revision } = await rig.registry.state();
      expect(await counted(component('b'), component('a'))).toEqual([0, 0, 0]);
      expect((await rig.registry.state()).revision).toEqual(revision);
      expect(await counted(component('a', { label: 'A' }))).toEqual([0, 1, 1]);
      expect((await rig.registry.state()).revision.number).toBe(revision.number + 1);
      expect(await labels()).toEqual(['A']);
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
      const before = told(await changes());
      await reopen();
      expect([await uris(), told(await changes())]).toEqual([wanted, before]);
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
      expect((await rig.registry.everything()).map(({ source }) => source)).toEqual([POD_B]);
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

    it('shows what a mirror holds as what it is at the upstream, and finds it so', async () => {
      const far = { kind: 'pod', url: 'https://far.example/' } as const;
      const stranger = { kind: 'pod', url: 'https://stranger.example/' } as const;
      const held = (name: string, url: string, said: Authority) => ({
        ...{ url, components: [component(name), component('both', { label: name })] },
        record: { authority: said },
      });
      const documents = [
        held('stranger', 'https://stranger.example/doc', { ...stranger, class: 'learned-pod', place: 0 }),
        held('own', LOCAL.url, { ...LOCAL, class: 'own', place: 0 }),
        held('far', 'https://far.example/doc', { ...far, class: 'configured-pod', place: 1 }),
      ];
      await rig.registry.commit({ source: PEER, documents, record: OK });
      const labelsOf = async (query: Query) =>
        (await rig.registry.list(query)).map(({ label }) => label).sort();
      for (const _ of ['now', 'after a restart']) {
        const statements = await rig.registry.catalog.statements(component('both').uri);
        expect(statements.map(({ source, trust, document }) => [source, trust, document])).toEqual([
          [far, 'configured', 'https://far.example/doc'],
          [LOCAL, 'configured', LOCAL.url],
          [stranger, 'learned', 'https://stranger.example/doc'],
        ]);
        expect(await labelsOf({ source: far.url })).toEqual(['far', 'far']);
        expect(await labelsOf({ source: PEER.url })).toEqual([]);
        expect(await labelsOf({ trust: 'learned' })).toEqual(['stranger']);
        expect(await labelsOf({ trust: 'configured' })).toEqual(['far', 'far', 'own']);
        expect(await labelsOf({ trust: 'own' })).toEqual([]);
        const served = [...(await rig.registry.catalog.served())].sort();
        expect(served).toEqual([
          [sourceKey(LOCAL), 1],
          [sourceKey(far), 2],
          [sourceKey(stranger), 1],
        ]);
        expect((await changes()).changes.every(({ source }) => source.url === PEER.url)).toBe(true);
        await reopen();
      }
    });

    it('orders by the table of classes, whichever order it has, and so does who reads the feed', async () => {
      const other: Source = { kind: 'peer', url: 'https://other.example' };
      const x = (label: string) => [component('x', { label })];
      await rig.registry.upsertLocal(x('own'));
      for (const source of [POD_A, LEARNED, SAMPLES]) await say(source, x(source.url));
      for (const source of [PEER, other]) await say(source, x(source.url), takenFrom(source.url, LOCAL.url));
      await say(PEER, x('passed on'), takenFrom(PEER.url, 'https://stranger.example/doc'));
      await reopen({ order: { pods: [POD_A.url], peers: [PEER.url] } });
      const statements = await rig.registry.catalog.statements(component('x').uri);
      expect(statements.map((one) => one.class)).toEqual(STATEMENT_CLASSES.map(({ name }) => name));
      expect(await rig.registry.labels()).toEqual([statements[0]?.metadata.label]);
      const told = await changes();
      const rankOf = ({ source, rank = 0 }: StatementChange) =>
        (told.sources.find((line) => sourceKey(line.source) === sourceKey(source))?.rank ?? 0) + rank;
      const inOrder = told.changes.toSorted((one, two) => rankOf(one) - rankOf(two));
      expect(inOrder.map(({ document }) => document)).toEqual(statements.map(({ document }) => document));
    });

    it('forgets a removal when the statement is there again, and not before', async () => {
      await say(POD_A, [component('a')]);
      const since = await cursor();
      await say(POD_A, []);
      await say(POD_A, [component('b')], `${POD_A.url}other`);
      expect((await rig.registry.state()).feed.tombstones).toBe(1);
      await say(POD_A, [component('a')]);
      expect((await rig.registry.state()).feed.tombstones).toBe(0);
      await reopen();
      expect(told(await changes({ since }))).toEqual(['+b', '+a']);
    });

    it('tells whose line has changed since', async () => {
      await say(POD_A, [component('a')]);
      const since = await cursor();
      await say(POD_B, [component('b')]);
      const urls = async () => (await changes({ since })).sources.map(({ source }) => source.url);
      expect(await urls()).toEqual([POD_B.url]);
      await reopen({ order: { pods: [POD_B.url, POD_A.url], peers: [] } });
      expect((await urls()).sort()).toEqual([POD_A.url, POD_B.url]);
    });

    it('dates statements by when they came in this form, never earlier than those before', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const first = rig.now;
      rig.now -= DAY;
      await say(POD_A, [component('a'), component('b', { label: 'B' })]);
      const since = async () => (await rig.registry.everything()).map((one) => one.since);
      expect(await since()).toEqual([first, first]);
      rig.now += 2 * DAY;
      await say(POD_A, [component('a'), component('b')]);
      expect(await since()).toEqual([first, rig.now]);
      await reopen();
      expect(await since()).toEqual([first, rig.now]);
      expect((await changes()).changes.map(({ at }) => at)).toEqual([first, rig.now]);
    });

    it('moves the cursor with what is stored, with the network lists, with the ranks of sources, and with nothing else', async () => {
      const seen = [cursorText(await cursor())];
      const moves = async (what: () => Promise<unknown>) => {
        await what();
        const text = cursorText(await cursor());
        const isNew = !seen.includes(text);
        seen.push(text);
        return isNew;
      };
      expect(await moves(() => say(POD_A, [component('a')]))).toBe(true);
      expect(await moves(() => say(POD_A, [component('a')]))).toBe(false);
      expect(
        await moves(() =>
          rig.registry.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] }),
        ),
      ).toBe(true);
      expect(await moves(() => reopen())).toBe(false);
      const other = { pods: [POD_B.url, POD_A.url], peers: [] };
      expect(await moves(() => reopen({ order: other }))).toBe(true);
      expect(await moves(() => reopen({ order: other }))).toBe(false);
      expect(parseCursor(seen.at(-1) as string)).toEqual(await cursor());
    });

    it('knows its former states, over a restart too, and no others', async () => {
      const states = [await cursor()];
      for (const each of ['a', 'b', 'c']) {
        await say(POD_A, [component(each)]);
        states.push(await cursor());
      }
      await reopen();
      for (const since of states) expect('unknown' in (await unknown(since))).toBe(false);
      const [, state] = states as [Cursor, Cursor];
      expect(await unknown({ ...state, epoch: 'other' })).toEqual({ unknown: 'epoch' });
      expect(await unknown({ ...state, position: state.position + 99 })).toEqual({ unknown: 'future' });
      expect(await unknown({ ...state, digest: '00000000' })).toEqual({ unknown: 'fork' });
      expect(await unknown({ ...state, position: (await cursor()).position })).toEqual({ unknown: 'fork' });
    });

    it('forgets removals after 180 days, and with them the states from before', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const before = await cursor();
      await say(POD_A, [component('b')]);
      const after = await cursor();
      rig.now += 181 * DAY;
      expect('unknown' in (await unknown(before))).toBe(false);
      await say(POD_B, [component('c')]);
      for (const _ of ['now', 'after a restart']) {
        expect(await unknown(before)).toEqual({ unknown: 'expired' });
        expect(told(await changes({ since: after }))).toEqual(['+c']);
        expect((await rig.registry.state()).feed.tombstones).toBe(0);
        await reopen();
      }
    });

    it('digests documents by what they belong to, and lets that change', async () => {
      const urlOf = (name: string) => `https://x.example/${name}`;
      for (const [name, of] of [
        ['a', 'pod x'],
        ['b', 'pod y'],
        ['b', 'pod x'],
      ] as const)
        await say(PEER, [component(name)], urlOf(name), { of });
      await reopen();
      const both = LtHash.empty();
      for (const name of ['a', 'b']) both.add(statementElement(urlOf(name), component(name)));
      const expected = new Map([['pod x', both.digest()]]);
      await rig.registry.commit({ source: PEER, documents: [], record: OK, expected });
      const unread = { url: urlOf('a'), record: { of: 'pod z' } };
      const change = { source: PEER, documents: [unread], record: OK };
      await expect(rig.registry.commit(change)).rejects.toThrow(TypeError);
    });

    it('refuses a change that names a document twice: it would be counted twice', async () => {
      const one = { url: 'https://x.example/a', components: [component('a')], record: {} };
      const change = { source: POD_A, documents: [one, one], record: OK };
      await expect(rig.registry.commit(change)).rejects.toThrow('each document once');
    });
  });
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1, -'.js'.length);
}
