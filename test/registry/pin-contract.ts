import { describe, expect, it } from 'vitest';
import { descriptionsOf, type State } from '../../src/catalog/catalog.js';
import type { Description } from '../../src/catalog/description.js';
import type { Source } from '../../src/component/source.js';
import { cursorOf } from '../../src/core/cursor.js';
import type { StoredPin } from '../../src/core/pins.js';
import { forgetPins } from '../../src/registry/pins.js';
import { type Engine, watchWrites } from '../support/engines.js';
import { component } from '../support/registry.js';
import { Rig } from './rig.js';
import { authority, PEER, POD_A, POD_B } from './sources.js';

/** What every engine does with pins: `Pins`, sentence by sentence. Call it in the test file of an engine. */
export function pinContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the contract of pins: ${name}`, () => {
    const rig = Rig.of(createEngine);
    const { say, reopen } = rig;
    const one = component('one', { version: '1.0.0' });
    /** As seen first for what `POD_A` says. */
    const pin = (bytes: string, more: Partial<StoredPin> = {}): StoredPin => ({
      ...{ uri: one.uri, version: '1.0.0', source: POD_A },
      ...{ first: `sha384-${bytes}`, last: `sha384-${bytes}`, since: 1, checked: 1 },
      ...more,
    });
    const CHANGED = pin('a', { last: 'sha384-b', changedAt: 5 });
    const served = async (): Promise<readonly Description[]> =>
      descriptionsOf(await rig.registry.catalog.page({}));
    const shown = async () => (await served()).map((one) => one.pin);
    const state = () => rig.registry.catalog.state();

    it('shows the pin of a version with each statement about it, also after a restart', async () => {
      await say(POD_A, [one, component('two', { version: '1.0.0' })]);
      await say(POD_B, [{ ...one, label: 'shadowed' }]);
      const before = await state();
      await rig.registry.setPins([pin('a'), pin('z', { version: '2.0.0' })]);
      const after = await state();
      expect(after.revision.number).toBeGreaterThan(before.revision.number);
      expect(after.feed.position).toBe(before.feed.position);
      expect(after.feed.digest).toBe(before.feed.digest);
      for (let round = 0; round < 2; round++) {
        expect(await shown()).toEqual([{ integrity: 'sha384-a' }, undefined]);
        const statements = await rig.registry.catalog.statements(one.uri);
        expect(statements.map((statement) => statement.pin)).toEqual([
          { integrity: 'sha384-a' },
          { integrity: 'sha384-a' },
        ]);
        expect(statements.map(({ metadata }) => metadata.label)).toEqual(['one', 'shadowed']);
        await reopen();
      }
      await say(POD_A, [component('two', { version: '1.0.0' })]);
      expect(await shown()).toEqual([{ integrity: 'sha384-a' }, undefined]);
      expect(await rig.registry.pins.get([pin(''), component('two')])).toEqual([pin('a'), undefined]);
    });

    it('stores a pin that changes, and the position that tells of it, in one commit', async () => {
      await say(POD_A, [one]);
      await rig.registry.setPins([pin('a')]);
      const commits: (readonly string[])[] = [];
      watchWrites(rig.registry, ({ rows = [] }) =>
        commits.push(rows.map(({ table, value = '' }) => `${table} ${value}`)),
      );
      await rig.registry.setPins([CHANGED]);
      const { position } = (await state()).feed;
      const [rows = []] = commits.filter((each) => each.some((row) => row.startsWith('pin ')));
      for (const beginning of ['meta ', 'statement '])
        expect(rows.find((row) => row.startsWith(beginning))).toContain(`"position":${position},`);
    });

    it('counts a promise on a mirror against what was seen for whom it is of, and for nobody else', async () => {
      const promising = { ...one, integrity: `sha384-${'p'.repeat(64)}` };
      await say(PEER, [promising], 'https://far.example/doc', { authority: authority(0) });
      const [mirrored] = await served();
      const { integrity } = promising;
      for (const source of [PEER, mirrored?.source as Source]) {
        await rig.registry.setPins([pin('a', { source, last: integrity })]);
        const expected = source === PEER ? { integrity } : { integrity: 'sha384-a', changed: integrity };
        for (let round = 0; round < 2; round++) {
          expect(await shown()).toEqual([expected]);
          await reopen();
        }
      }
    });

    it('moves nothing when readers see the same', async () => {
      await say(POD_A, [one]);
      await rig.registry.setPins([pin('a')]);
      const before = await state();
      await rig.registry.setPins([pin('a', { checked: 9, etag: '"x"' })]);
      expect(await state()).toBe(before);
      expect(await rig.registry.pins.get([pin('')])).toEqual([pin('a', { checked: 9, etag: '"x"' })]);
      // Of another version than the one that is described.
      await rig.registry.setPins([{ ...CHANGED, version: '0.9.0' }]);
      expect(await state()).toBe(before);
    });

    it('tells the feed when bytes have changed, and when they are again what they were', async () => {
      await say(POD_A, [one]);
      await say(POD_B, [{ ...one, label: 'shadowed' }, component('two')]);
      await rig.registry.setPins([pin('a')]);
      const told = async (since: State) => {
        const answer = await rig.changes({ since: cursorOf(since) });
        expect(answer.state).toEqual(await state());
        return answer.changes.map((one) => [one.uri, one.metadata?.label, one.isUpdate, one.pin]);
      };
      const first = await state();
      await rig.registry.setPins([CHANGED]);
      const changed = { integrity: 'sha384-a', changed: 'sha384-b' };
      expect(await shown()).toEqual([changed, undefined]);
      expect(await told(first)).toEqual([[one.uri, 'one', true, changed]]);
      const second = await state();
      expect(second.feed.digest).toBe(first.feed.digest);
      // Other bytes again are shown, and are no news for followers.
      await rig.registry.setPins([{ ...CHANGED, last: 'sha384-c' }]);
      expect(await shown()).toEqual([{ ...changed, changed: 'sha384-c' }, undefined]);
      expect(await told(second)).toEqual([]);
      await reopen();
      expect(await told(second)).toEqual([]);
      await rig.registry.setPins([pin('a')]);
      expect(await told(second)).toEqual([[one.uri, 'one', true, undefined]]);
      expect(await shown()).toEqual([{ integrity: 'sha384-a' }, undefined]);
      // So is another file that the module imports.
      const third = await state();
      const files = [{ uri: 'https://one.example/a.js', integrity: 'sha384-d', changed: 'sha384-e' }];
      await rig.registry.setPins([pin('a', { files, changedAt: 6 })]);
      expect(await told(third)).toEqual([[one.uri, 'one', true, { integrity: 'sha384-a', files }]]);
    });

    it('leaves since when it is said as it was, and the times of the feed in their order', async () => {
      const said = rig.now;
      await say(POD_A, [one]);
      await rig.registry.setPins([pin('a')]);
      rig.now += 1000;
      await say(POD_A, [one, component('two')]);
      rig.now += 1000;
      await rig.registry.setPins([CHANGED]);
      const shownSince = async () => (await served()).map((one) => one.since);
      const times = async () => (await rig.changes()).changes.map(({ uri, at }) => [uri, at]);
      for (let round = 0; round < 2; round++) {
        expect(await shownSince()).toEqual([said, said + 1000]);
        expect((await times()).slice(-1)).toEqual([[one.uri, said + 2000]]);
        await reopen();
      }
      await rig.registry.setPins([pin('a')]);
      expect(await shownSince()).toEqual([said, said + 1000]);
      rig.now += 1000;
      await say(POD_A, [{ ...one, label: 'said anew' }, component('two')]);
      expect(await shownSince()).toEqual([said + 3000, said + 1000]);
    });

    it('lists and counts them, and forgets those of one component, of all its versions or of one', async () => {
      await say(POD_A, [one]);
      const longer = pin('z', { uri: `${one.uri}x` });
      const old = pin('y', { version: '0.1.0' });
      await rig.registry.setPins([longer, CHANGED, old]);
      const { pins } = rig.registry;
      expect(await pins.list({})).toEqual([old, CHANGED, longer]);
      expect(await pins.list({ limit: 1 })).toEqual([old]);
      expect(await pins.list({ changed: true })).toEqual([CHANGED]);
      expect(await pins.counts()).toEqual({ all: 3, changed: 1 });
      expect(await forgetPins(pins, one.uri, '0.1.0')).toBe(1);
      expect(await forgetPins(pins, one.uri, '0.1.0')).toBe(0);
      const before = await state();
      expect(await forgetPins(pins, one.uri)).toBe(1);
      await reopen();
      expect(await rig.registry.pins.list({})).toEqual([longer]);
      expect(await rig.registry.pins.counts()).toEqual({ all: 1, changed: 0 });
      expect(await shown()).toEqual([undefined]);
      // It was changed, and is not any more: followers hear of it.
      expect((await state()).feed.position).toBeGreaterThan(before.feed.position);
    });

    it('forgets what nobody has described for 180 days, however long ago it was looked at', async () => {
      const DAY = 86_400_000;
      const began = rig.now;
      await say(POD_A, [one]);
      await say(POD_B, [{ ...one, version: '1.1.0' }]);
      const versions = ['0.9.0', '1.0.0', '1.1.0'];
      await rig.registry.setPins(versions.map((version) => pin('a', { version, checked: began })));
      /** The versions of which something is remembered after a walk on a day. */
      const walked = async (day: number) => {
        rig.now = began + day * DAY;
        await rig.registry.pins.forgetUnused();
        const left = (await rig.registry.pins.list({})).map(({ version }) => version);
        await reopen();
        expect((await rig.registry.pins.list({})).map(({ version }) => version)).toEqual(left);
        return left;
      };
      expect(await walked(0)).toEqual(versions);
      expect(await walked(179)).toEqual(versions);
      await say(POD_A, []);
      expect(await walked(181)).toEqual(['1.0.0', '1.1.0']);
      await say(POD_A, [one]);
      expect(await walked(300)).toEqual(['1.0.0', '1.1.0']);
      await say(POD_A, []);
      expect(await walked(320)).toEqual(['1.0.0', '1.1.0']);
      expect(await walked(499)).toEqual(['1.0.0', '1.1.0']);
      expect(await walked(501)).toEqual(['1.1.0']);
    });

    it('decides while nobody else changes them, and remembers what was decided last', async () => {
      await rig.registry.setPins([pin('a', { checked: 0 })]);
      const once = () =>
        rig.registry.pins.change([one], (_, known) => known && { ...known, checked: known.checked + 1 });
      await Promise.all(Array.from({ length: 20 }, once));
      expect((await rig.registry.pins.get([one]))[0]?.checked).toBe(20);
    });
  });
}
