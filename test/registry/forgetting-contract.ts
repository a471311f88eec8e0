import { beforeEach, describe, expect, it } from 'vitest';
import type { State } from '../../src/catalog/catalog.js';
import { cursorOf } from '../../src/core/cursor.js';
import { feedDigest } from '../../src/core/source-digests.js';
import type { Engine } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { OK, POD_A, POD_B } from './sources.js';

/** Statements that one commit changes. */
const AT_ONCE = 200;
/** Statements of the largest document, which no single commit may remove. */
const LARGE = AT_ONCE + 100;
const SMALL = AT_ONCE - 50;

/** How every engine forgets a source that has said much (`Registry.forget`). Call it in the test file of an engine. */
export function forgettingContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the contract of forgetting: ${name}`, () => {
    const rig = Rig.of(createEngine, { mostAtOnce: AT_ONCE });
    let states: State[] = [];
    const watch = () => rig.registry.catalog.watch((state) => states.push(state));

    beforeEach(async () => {
      watch();
      const document = (url: string, count: number) => ({
        url: `${POD_A.url}${url}`,
        components: Array.from({ length: count }, (_, i) => component(`${url}-${i}`)),
        record: { etag: `"${url}"` },
      });
      const documents = [document('a', 30), document('large', LARGE), document('small', SMALL)];
      await rig.registry.commit({
        source: POD_A,
        documents,
        record: { ...OK, lastSuccess: 5, memo: { at: 1 } },
      });
      const kept = { url: POD_B.url, components: [component('kept'), component('a-7')], record: {} };
      await rig.registry.commit({ source: POD_B, documents: [kept], record: OK });
      states = [];
    });

    /** Breaks off behind the first commit that anybody sees. */
    async function forgetSome(): Promise<void> {
      const breaking = new AbortController();
      const unwatch = rig.registry.catalog.watch(() => breaking.abort(new Error('broken off')));
      await expect(rig.registry.forget(POD_A, breaking.signal)).rejects.toThrow('broken off');
      unwatch();
    }

    const sizes = () => states.map(({ components }) => components);

    it('removes a part with each commit, and each is a state like any other', async () => {
      const { components, ...before } = await rig.registry.state();
      await rig.registry.forget(POD_A);
      expect(await rig.registry.labels()).toEqual(['a-7', 'kept']);
      expect(await rig.registry.source(POD_A)).toBeUndefined();
      expect(sizes().at(-1)).toBe(2);
      const removed = sizes().map((size, i) => (i === 0 ? components : (sizes()[i - 1] ?? 0)) - size);
      expect(removed.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...removed)).toBeLessThanOrEqual(AT_ONCE);
      for (const { feed, networkRevision } of states)
        expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
      const told = await rig.changes({ since: cursorOf(before) });
      expect(told.changes.filter(({ metadata }) => metadata)).toEqual([]);
      expect(new Set(told.changes.map(({ uri }) => uri)).size).toBe(30 + LARGE + SMALL);
      const positions = told.changes.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other));
    });

    it('goes on after a restart with what is left', async () => {
      await forgetSome();
      const left = await rig.registry.size();
      expect(left).toBeGreaterThan(1);
      expect(left).toBeLessThan(1 + 30 + LARGE + SMALL);
      // A poll that comes first reads anew what has begun to go.
      const { record, documents } = (await rig.registry.source(POD_A)) ?? {};
      expect(record).toEqual({ failures: 0 });
      for (const { etag, components } of documents?.values() ?? [])
        expect([SMALL, LARGE, 30].includes(components) || etag === undefined).toBe(true);
      await rig.reopen();
      watch();
      expect(await rig.registry.size()).toBe(left);
      await rig.registry.forget(POD_A);
      expect(await rig.registry.labels()).toEqual(['a-7', 'kept']);
      expect((await rig.registry.sources()).map(({ source }) => source)).toEqual([POD_B]);
    });
  });
}
