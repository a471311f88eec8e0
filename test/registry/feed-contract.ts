import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Changes, ChangesRequest } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import { type Source, sourceKey } from '../../src/component/source.js';
import { type Cursor, cursorOf, cursorText, parseCursor } from '../../src/core/cursor.js';
import { systemClock } from '../../src/lib/clock.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { OK, ORDER, POD_A, POD_B } from './sources.js';

const DAY = 24 * 60 * 60 * 1000;

/** What every engine tells those who follow changes: `Catalog.changes` and `State.feed`. Call it in the test file of an engine. */
export function feedContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the contract of the feed: ${name}`, () => {
    let engine: Engine;
    let registry: TestRegistry;
    let now = Date.UTC(2026, 10, 22);
    const clock = { now: () => now, sleep: systemClock.sleep };

    beforeEach(async () => {
      now = Date.UTC(2026, 10, 22);
      engine = await createEngine();
      registry = await engine.open({ order: ORDER, clock });
    });
    afterEach(async () => {
      await registry.close();
      await engine.remove();
    });

    async function reopen(more: Parameters<Engine['open']>[0] = {}): Promise<void> {
      await registry.close();
      registry = await engine.open({ order: ORDER, clock, ...more });
    }
    const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
      registry.commit({ source, documents: [{ url, components, record: {} }], record: OK });
    const cursor = async (): Promise<Cursor> => cursorOf(await registry.state());
    async function changes(request: Partial<ChangesRequest> = {}): Promise<Changes> {
      const answer = await registry.catalog.changes({ limit: 1000, ...request });
      if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
      return answer;
    }
    const unknown = async (since: Cursor) => registry.catalog.changes({ since, limit: 1 });
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
      expect((await registry.state()).feed.tombstones).toBe(1);
      await say(POD_A, [component('a')]);
      expect((await registry.state()).feed.tombstones).toBe(0);
      await reopen();
      expect(told(await changes({ since }))).toEqual(['+b', '+a']);
    });

    it('tells a source that is forgotten as removals', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const since = await cursor();
      await registry.forget(POD_A);
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

    it('goes on page by page, and meets what changes meanwhile behind all others', async () => {
      await say(
        POD_A,
        ['a', 'b', 'c', 'd'].map((each) => component(each)),
      );
      const first = await changes({ limit: 2 });
      const since = cursorOf(first.state);
      expect(first.changes).toHaveLength(2);
      const seen = first.changes.map(({ uri }) => nameOf(uri));
      const gone = seen[0] as string;
      await say(
        POD_A,
        ['a', 'b', 'c', 'd'].filter((each) => each !== gone).map((each) => component(each)),
      );
      const second = await changes({ since, after: first.next, limit: 10 });
      expect(second.next).toBeUndefined();
      expect(told(second).at(-1)).toBe(`-${gone}`);
      expect([...seen, ...second.changes.map(({ uri }) => nameOf(uri))].sort()).toEqual(
        ['a', 'b', 'c', 'd', gone].sort(),
      );
    });

    it('tells by whom a component is described no longer', async () => {
      await say(POD_A, [component('a'), component('b')]);
      await say(POD_B, [component('a')]);
      await say(POD_A, [component('b', { label: 'B' })]);
      const { uri } = component('a');
      const removals = await registry.catalog.removals(uri);
      expect(removals.map(({ source }) => source)).toEqual([POD_A]);
      expect(await registry.catalog.removals(component('b').uri)).toEqual([]);
    });

    it('dates statements by when they came in this form, never earlier than those before', async () => {
      await say(POD_A, [component('a'), component('b')]);
      const first = now;
      now -= DAY;
      await say(POD_A, [component('a'), component('b', { label: 'B' })]);
      const [a, b] = (await registry.everything()).map(({ since }) => since);
      expect([a, b]).toEqual([first, first]);
      now += 2 * DAY;
      await say(POD_A, [component('a'), component('b')]);
      expect((await registry.everything()).map(({ since }) => since)).toEqual([first, now]);
      await reopen();
      expect((await registry.everything()).map(({ since }) => since)).toEqual([first, now]);
      expect((await changes()).changes.map(({ at }) => at)).toEqual([first, now]);
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
          registry.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] }),
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
      now += 181 * DAY;
      expect('unknown' in (await unknown(before))).toBe(false);
      await say(POD_B, [component('c')]);
      for (const _ of ['now', 'after a restart']) {
        expect(await unknown(before)).toEqual({ unknown: 'expired' });
        expect(told(await changes({ since: after }))).toEqual(['+c']);
        expect((await registry.state()).feed.tombstones).toBe(0);
        await reopen();
      }
    });

    it('amends a document, and counts what has really changed', async () => {
      await say(
        POD_A,
        ['a', 'b', 'c'].map((each) => component(each)),
      );
      const record = { etag: '"2"' };
      const url = `${POD_A.url}doc`;
      const amend = {
        put: [component('c'), component('b', { label: 'B' }), component('d')],
        remove: [component('a').uri, component('unknown').uri],
      };
      expect(
        await registry.commit({ source: POD_A, documents: [{ url, amend, record }], record: OK }),
      ).toEqual({
        added: 1,
        changed: 1,
        removed: 1,
        examples: {
          added: [{ uri: component('d').uri, label: 'd' }],
          changed: [{ uri: component('b').uri, label: 'B' }],
          removed: [{ uri: component('a').uri, label: 'a' }],
        },
      });
      await reopen();
      expect(await registry.labels()).toEqual(['B', 'c', 'd']);
      expect((await registry.source(POD_A))?.documents.get(url)).toMatchObject({
        etag: '"2"',
        components: 3,
      });
    });
  });
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1, -'.js'.length);
}
