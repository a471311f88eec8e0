import { beforeEach, describe, expect, it } from 'vitest';
import { NO_NETWORK } from '../../../src/core/network-lists.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { isSuspicious } from '../../../src/core/shrink-guard.js';
import { type SourceStatus, sourceStatuses } from '../../../src/explain/source-status.js';
import { component } from '../../support/registry.js';
import { MINUTE, SchedulerRig } from '../../support/scheduler-rig.js';

const HOUR = 60 * MINUTE;

describe('a loss', () => {
  it.each([
    [100, 51, false],
    [100, 50, false],
    [100, 49, true],
    [40, 19, true],
    [40, 20, false],
    [21, 0, true],
    [20, 0, false],
    [0, 0, false],
    [10, 100, false],
  ])('from %i components to %i is suspicious: %s', (from, to, suspicious) => {
    expect(isSuspicious({ from, to })).toBe(suspicious);
  });
});

describe('a source that loses more than half of its components', () => {
  let rig: SchedulerRig;
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => component(`${prefix}${String(i).padStart(3, '0')}`));
  const document = (name: string, components: readonly ReturnType<typeof component>[]) => ({
    url: `${rig.a.source.url}${name}`,
    components,
    record: {},
  });
  const gone = (name: string) => ({ url: `${rig.a.source.url}${name}`, record: null });
  const poll = async () => (await rig.scheduler.pollNow(rig.a.source.url))[0];
  const status = async () =>
    sourceStatuses(
      await rig.registry.sources(),
      NO_NETWORK,
      precedenceOf({ pods: [rig.a.source.url], peers: [] }),
      [],
    )[0] as SourceStatus;

  beforeEach(async () => {
    rig = await SchedulerRig.open();
    await rig.scheduler.setSources([rig.a]);
    rig.a.result = { documents: [document('d', named('d', 60)), document('e', named('e', 40))] };
    await poll();
    expect(await rig.registry.size()).toBe(100);
  });

  it('is held: what it takes back is served on, the rest is taken, and the status says what to do', async () => {
    const introduced = { peers: [], storage: [{ url: 'https://new.example/', hops: 0, via: [] }] };
    const remember = () => ({ memo: { cursor: 'behind the removals' }, introduced });
    rig.a.result = { documents: [gone('d'), document('f', named('f', 3))], remember };
    expect(await poll()).toMatchObject({ ok: true, removed: 0, added: 3, held: { from: 100, to: 43 } });
    expect(await rig.registry.size()).toBe(103);
    // Its next poll begins where this one began: so it tells again of what is held, or does not any more.
    expect(await rig.record(rig.a)).not.toHaveProperty('memo', expect.anything());
    expect(await rig.record(rig.a)).toMatchObject({ introduced });
    const { state, notice, shrink } = await status();
    expect(state).toBe('held');
    expect(notice).toContain('100 components');
    expect(notice).toContain('accept=shrink');
    expect(shrink).toEqual({ since: rig.clock.now(), polls: 1, from: 100, to: 43 });
    expect(rig.lines.filter((line) => line.includes('held'))).toHaveLength(1);
    await poll();
    expect(rig.lines.filter((line) => line.includes('held'))).toHaveLength(1);
  });

  it('keeps of a document what it says no more, takes what it says now, and is asked for it whole again', async () => {
    const [first, ...others] = named('d', 60);
    const edited = { ...component('d000'), label: 'edited' };
    const record = { etag: '"2"', lastModified: 'now', modified: 'now', hash: 'h', readAt: 5 };
    rig.a.result = { documents: [{ ...document('d', [edited, component('new')]), record }] };
    expect(await poll()).toMatchObject({ added: 1, changed: 1, removed: 0, held: { from: 100, to: 42 } });
    const labels = await rig.registry.labels();
    expect(labels).toEqual(expect.arrayContaining(['edited', 'new', others[0]?.label, others[58]?.label]));
    expect(labels).not.toContain(first?.label);
    const stored = await rig.registry.source(rig.a.source);
    expect(stored?.documents.get(`${rig.a.source.url}d`)).toMatchObject({ components: 61, readAt: 5 });
    for (const mark of ['etag', 'lastModified', 'modified', 'hash'])
      expect(stored?.documents.get(`${rig.a.source.url}d`)).not.toHaveProperty(mark);
    rig.clock.pass(HOUR);
    await poll();
    expect(await poll()).toMatchObject({ removed: 59 });
    expect((await rig.registry.source(rig.a.source))?.documents.get(`${rig.a.source.url}d`)).toMatchObject(
      record,
    );
  });

  it('is believed at once about less', async () => {
    rig.a.result = { documents: [document('d', named('d', 10))] };
    expect(await poll()).toMatchObject({ removed: 50 });
    expect(await status()).toMatchObject({ state: 'ok' });
  });

  it('is believed after three equal polls over an hour, also over a restart', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.clock.pass(30 * MINUTE);
    await poll();
    await rig.scheduler.stop();
    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    rig.clock.pass(30 * MINUTE - 1);
    expect(await poll()).toHaveProperty('held');
    rig.clock.pass(1);
    expect(await poll()).toMatchObject({ removed: 60 });
    expect(await rig.registry.size()).toBe(40);
    expect(await status()).not.toHaveProperty('shrink', expect.anything());
  });

  it('is not believed after two polls, however far apart', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.clock.pass(2 * HOUR);
    expect(await poll()).toHaveProperty('held');
    expect(await poll()).not.toHaveProperty('held', expect.anything());
  });

  it('is believed after three polls with the same loss, whatever else it says meanwhile', async () => {
    for (const [round, count] of [3, 5, 30].entries()) {
      const edited = named('e', 40).map((one) => ({ ...one, label: `${one.label} ${round}` }));
      rig.a.result = {
        documents: [gone('d'), document('e', edited), document(`f${round}`, named(`f${round}`, count))],
      };
      expect(await poll()).toMatchObject({ added: count, changed: 40, removed: round < 2 ? 0 : 60 });
      rig.clock.pass(30 * MINUTE);
    }
  });

  it('is not kept from being believed by somebody who posts and deletes there all the time', async () => {
    for (let round = 0; round < 3; round++) {
      const posts = document('posts', named(`post${round}-`, 3));
      rig.a.result = { documents: [gone('d'), posts] };
      const report = await poll();
      expect(report?.removed).toBe(round < 2 ? 0 : 66);
      rig.clock.pass(30 * MINUTE);
    }
    expect(await rig.registry.size()).toBe(43);
    expect(await status()).not.toHaveProperty('shrink', expect.anything());
  });

  it('is believed about each removal as long after that was found', async () => {
    rig.a.result = { documents: [document('e', named('e', 140))] };
    await poll();
    rig.a.result = { documents: [gone('d'), document('e', named('e', 80))] };
    expect(await poll()).toMatchObject({ held: { from: 200, to: 80 } });
    rig.clock.pass(40 * MINUTE);
    rig.a.result = { documents: [gone('d'), document('e', named('e', 30))] };
    expect(await poll()).toMatchObject({ removed: 0, held: { from: 200, to: 30 } });
    rig.clock.pass(20 * MINUTE);
    expect(await poll()).toMatchObject({ removed: 120, held: { from: 80, to: 30 } });
    rig.clock.pass(40 * MINUTE);
    expect(await poll()).toMatchObject({ removed: 50 });
    expect(await rig.registry.size()).toBe(30);
  });

  it('begins anew with what was given back meanwhile', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.clock.pass(HOUR);
    await poll();
    rig.a.result = { documents: [document('d', named('d', 60))] };
    expect(await poll()).not.toHaveProperty('held', expect.anything());
    rig.a.result = { documents: [gone('d')] };
    expect(await poll()).toHaveProperty('held');
    rig.clock.pass(HOUR);
    expect(await poll()).toHaveProperty('held');
    expect(await poll()).toMatchObject({ removed: 60 });
  });

  it('is held on after it was held by an earlier version, which noted less', async () => {
    await rig.registry.commit({
      ...{ source: rig.a.source, documents: [] },
      record: (record) => {
        const before = { since: 1, polls: 9, from: 100, to: 40, digest: 'of the loss' };
        return { ...record, shrink: JSON.parse(JSON.stringify(before)) };
      },
    });
    expect((await status()).shrink).toEqual({ since: 1, polls: 9, from: 100, to: 40 });
    rig.a.result = { documents: [gone('d')] };
    expect(await poll()).toMatchObject({ removed: 0, held: { from: 100, to: 40 } });
    rig.clock.pass(HOUR);
    await poll();
    expect(await poll()).toMatchObject({ removed: 60 });
  });

  it('does not become more believable by polls that could not read all of it', async () => {
    rig.a.result = { documents: [gone('d')], failure: { message: 'half of it' } };
    for (let i = 0; i < 5; i++) {
      expect(await poll()).toMatchObject({ ok: false, held: { to: 40 } });
      rig.clock.pass(HOUR);
    }
    expect(await status()).toMatchObject({ state: 'failing', shrink: { polls: 0 } });
    rig.a.result = { documents: [], failure: { message: 'nothing of it' } };
    await poll();
    expect(await status()).toHaveProperty('shrink');
  });

  it('is held no longer when it says again what it said', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.a.result = { documents: [] };
    expect(await poll()).not.toHaveProperty('held', expect.anything());
    expect(await status()).not.toHaveProperty('shrink', expect.anything());
    expect(await rig.registry.size()).toBe(100);
  });

  it('is believed when an operator accepts that, for this one poll', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    const url = rig.a.source.url;
    expect(await rig.scheduler.pollNow(url, { acceptShrink: true })).toMatchObject([{ removed: 60 }]);
    expect(await rig.registry.size()).toBe(40);
    rig.a.result = { documents: [gone('e')] };
    expect(await poll()).toHaveProperty('held');
  });

  it('is polled again when the operator accepts while a poll has already been held', async () => {
    rig.a.result = undefined;
    const held = rig.scheduler.pollNow(rig.a.source.url);
    await rig.settled();
    const { answer } = rig.a;
    rig.a.result = { documents: [gone('d')] };
    const commit = rig.registry.registry.commit.bind(rig.registry.registry);
    let accepted: Promise<unknown> | undefined;
    Object.assign(rig.registry.registry, {
      commit: (change: Parameters<typeof commit>[0]) => {
        accepted ??= rig.scheduler.pollNow(rig.a.source.url, { acceptShrink: true });
        return commit(change);
      },
    });
    answer({ documents: [gone('d')] });
    expect(await held).toMatchObject([{ held: { to: 40 } }]);
    expect(await accepted).toMatchObject([{ removed: 60 }]);
  });

  it('keeps back portions that lose components until the poll has ended', async () => {
    rig.a.poll = async (_, progress) => {
      await progress.store([document('d', named('d', 1)), document('f', named('f', 2))]);
      expect(await rig.registry.size()).toBe(102);
      return { documents: [gone('e')] };
    };
    expect(await poll()).toMatchObject({ added: 2, removed: 0, held: { from: 100, to: 3 } });
    expect(await rig.registry.size()).toBe(102);
    rig.a.poll = async (_, progress) => {
      await progress.store([document('d', named('d', 1)), document('g', named('g', 70))]);
      return { documents: [gone('e')] };
    };
    expect(await poll()).toMatchObject({ added: 70, removed: 99 });
    expect(await rig.registry.size()).toBe(73);
  });

  it('is not suspected of what this node itself drops, or has no room for', async () => {
    const dropped = new Set([`${rig.a.source.url}d`]);
    rig.a.result = { documents: [gone('d')], dropped };
    expect(await poll()).toMatchObject({ removed: 60 });
    rig.limits.maxComponents = 5;
    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    rig.a.result = { documents: [document('e', named('e', 40))] };
    expect(await poll()).toMatchObject({ removed: 35 });
    expect(await status()).toMatchObject({ state: 'limited', omitted: { components: 35 } });
  });

  it('is asked for another reading first, where it has one', async () => {
    const asked: string[] = [];
    rig.a.result = {
      documents: [gone('d')],
      otherwise: async ({ reason }) => {
        asked.push(reason);
        return { documents: [gone('f')] };
      },
    };
    expect(await poll()).not.toHaveProperty('held', expect.anything());
    expect(asked).toEqual(['shrink']);
    expect(await rig.registry.size()).toBe(100);
    const otherwise = async () => undefined;
    rig.a.result = { documents: [gone('d')], otherwise };
    expect(await poll()).toMatchObject({ held: { to: 40 } });
  });
});
