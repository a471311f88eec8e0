import { describe, expect, it } from 'vitest';
import type { Changes } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import { sourceKey } from '../../src/component/source.js';
import { statementElement } from '../../src/component/statement-digest.js';
import { type Cursor, cursorOf, cursorText, parseCursor } from '../../src/core/cursor.js';
import { DigestMismatch } from '../../src/core/source-digests.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import type { Engine } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { OK, PEER, POD_A, POD_B } from './sources.js';

const DAY = 24 * 60 * 60 * 1000;

/** What every engine tells those who follow changes: `Catalog.changes` and `State.feed`. Call it in the test file of an engine. */
export function feedContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the contract of the feed: ${name}`, () => {
    const rig = Rig.of(createEngine);
    const { say, reopen, cursor, changes } = rig;
    const unknown = async (since: Cursor) => rig.registry.catalog.changes({ since, limit: 1 });
    const told = ({ changes: list }: Changes) =>
      list.map(({ uri, metadata, isUpdate }) => `${metadata ? (isUpdate ? '~' : '+') : '-'}${nameOf(uri)}`);

    it('tells each statement once, by its newest position, in the order of commits', async () => {
      await say(POD_A, [component('a'), component('b')]);
      await say(POD_B, [component('c')]);
      await say(POD_A, [component('a', { label: 'A' }), component('b')]);
      const all = await changes();
      expect(told(all)).toEqual(['+b', '+c', '~a']);
      const positions = all.changes.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
      expect(all.state.feed.position).toBe(positions.at(-1));
    });

    it('tells what came after a state, removals included, and nothing else', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const since = await cursor();
      expect(told(await changes({ since }))).toEqual([]);
      await say(POD_A, [component('b', { label: 'B' }), component('c')]);
      expect(told(await changes({ since })).sort()).toEqual(['+c', '-a', '~b']);
      await reopen();
      expect(told(await changes({ since })).sort()).toEqual(['+c', '-a', '~b']);
      expect(told(await changes())).not.toContain('-a');
    });

    it('tells all that it remembers, removals at their positions, on request', async () => {
      await say(POD_A, [component('a'), component('b')]);
      await say(POD_A, [component('b')]);
      await say(POD_B, [component('c')]);
      expect(told(await changes({ removals: true }))).toEqual(['+b', '-a', '+c']);
      const [, { position: removed } = { position: 0 }] = (await changes({ removals: true })).changes;
      expect(told(await changes({ removals: true, after: removed - 1, limit: 1 }))).toEqual(['-a']);
      expect(told(await changes({ removals: true, after: removed }))).toEqual(['+c']);
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

    it('goes on page by page, and meets what changes meanwhile behind all others', async () => {
      const names = ['a', 'b', 'c', 'd'];
      await say(
        POD_A,
        names.map((name) => component(name)),
      );
      const first = await changes({ limit: 2 });
      const seen = first.changes.map(({ uri }) => nameOf(uri));
      const [gone] = seen;
      expect(seen).toHaveLength(2);
      await say(
        POD_A,
        names.flatMap((name) => (name === gone ? [] : component(name))),
      );
      const second = await changes({ since: cursorOf(first.state), after: first.next });
      expect(second.next).toBeUndefined();
      const others = names.filter((name) => !seen.includes(name));
      expect(told(second)).toEqual([...others.map((name) => `+${name}`), `-${gone}`]);
    });

    it('tells a source that is forgotten as removals', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const since = await cursor();
      await rig.registry.forget(POD_A);
      const { changes: list, sources } = await changes({ since });
      expect(list.map(({ source, document, metadata }) => [sourceKey(source), document, metadata])).toEqual(
        Array(2).fill([sourceKey(POD_A), `${POD_A.url}doc`, undefined]),
      );
      expect(sources).toEqual([]);
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

    it('tells by whom a component is described no longer', async () => {
      await say(POD_A, [component('a'), component('b')]);
      await say(POD_B, [component('a')]);
      await say(POD_A, [component('b', { label: 'B' })]);
      const { uri } = component('a');
      const removals = await rig.registry.catalog.removals(uri);
      expect(removals.map(({ source }) => source)).toEqual([POD_A]);
      expect(await rig.registry.catalog.removals(component('b').uri)).toEqual([]);
    });

    it('dates statements by when they came in this form, never earlier than those before', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const first = rig.now;
      rig.now -= DAY;
      await say(POD_A, [component('a'), component('b', { label: 'B' })]);
      const [a, b] = (await rig.registry.everything()).map(({ since }) => since);
      expect([a, b]).toEqual([first, first]);
      rig.now += 2 * DAY;
      await say(POD_A, [component('a'), component('b')]);
      expect((await rig.registry.everything()).map(({ since }) => since)).toEqual([first, rig.now]);
      await reopen();
      expect((await rig.registry.everything()).map(({ since }) => since)).toEqual([first, rig.now]);
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

    it('refuses a commit that would not lead to the digest that is expected, and changes nothing', async () => {
      const of = 'pod https://theirs.example/';
      const url = 'https://theirs.example/doc';
      const commit = (components: Metadata[], digest: string) =>
        rig.registry.commit({
          source: PEER,
          documents: [{ url, components, record: { of } }],
          record: OK,
          expected: new Map([[of, digest]]),
        });
      const one = LtHash.empty();
      one.add(statementElement(url, component('a')));
      await commit([component('a')], one.digest());
      const before = await rig.registry.state();
      await expect(commit([component('a', { label: 'lie' })], one.digest())).rejects.toThrow(DigestMismatch);
      expect(await rig.registry.state()).toEqual(before);
      expect(await rig.registry.labels()).toEqual(['a']);
      await commit([], LtHash.empty().digest());
      expect(await rig.registry.labels()).toEqual([]);
    });

    it('digests documents by what they belong to, and lets that change', async () => {
      const urlOf = (name: string) => `https://x.example/${name}`;
      const say = (name: string, of: string) =>
        rig.registry.commit({
          source: PEER,
          documents: [{ url: urlOf(name), components: [component(name)], record: { of } }],
          record: OK,
        });
      await say('a', 'pod x');
      await say('b', 'pod y');
      await say('b', 'pod x');
      await reopen();
      const both = LtHash.empty();
      for (const name of ['a', 'b']) both.add(statementElement(urlOf(name), component(name)));
      const expected = new Map([['pod x', both.digest()]]);
      await rig.registry.commit({ source: PEER, documents: [], record: OK, expected });
      const unread = { url: urlOf('a'), record: { of: 'pod z' } };
      const change = { source: PEER, documents: [unread], record: OK };
      await expect(rig.registry.commit(change)).rejects.toThrow(TypeError);
    });
  });
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1, -'.js'.length);
}
