import { beforeEach, describe, expect, it } from 'vitest';
import { precedenceOf } from '../../../src/component/precedence.js';
import { NO_NETWORK } from '../../../src/registry/network-lists.js';
import { type SourceStatus, sourceStatuses } from '../../../src/registry/source-status.js';
import { isSuspicious } from '../../../src/sync/schedule/shrink-guard.js';
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

  it('is held: what it said is served, nothing of the poll is stored, and the status says what to do', async () => {
    const remember = () => ({ memo: { new: true } });
    rig.a.result = { documents: [gone('d'), document('f', named('f', 3))], remember };
    expect(await poll()).toMatchObject({ ok: true, removed: 0, added: 0, held: { from: 100, to: 43 } });
    expect(await rig.registry.size()).toBe(100);
    expect(await rig.record(rig.a)).not.toHaveProperty('memo');
    const { state, notice, shrink } = await status();
    expect(state).toBe('held');
    expect(notice).toContain('100 components');
    expect(notice).toContain('accept=shrink');
    expect(shrink).toEqual({ since: rig.clock.now(), polls: 1, from: 100, to: 43 });
    expect(rig.lines.filter((line) => line.includes('held'))).toHaveLength(1);
    await poll();
    expect(rig.lines.filter((line) => line.includes('held'))).toHaveLength(1);
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
    expect(await status()).not.toHaveProperty('shrink');
  });

  it('is not believed after two polls, however far apart', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.clock.pass(2 * HOUR);
    expect(await poll()).toHaveProperty('held');
    expect(await poll()).not.toHaveProperty('held');
  });

  it('begins anew when it says something else meanwhile', async () => {
    rig.a.result = { documents: [gone('d')] };
    await poll();
    rig.clock.pass(HOUR);
    await poll();
    rig.a.result = { documents: [gone('d'), document('f', named('f', 1))] };
    expect(await poll()).toHaveProperty('held');
    rig.clock.pass(HOUR);
    await poll();
    expect(await poll()).toMatchObject({ removed: 60, added: 1 });
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
    expect(await poll()).not.toHaveProperty('held');
    expect(await status()).not.toHaveProperty('shrink');
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
    expect(await poll()).toMatchObject({ added: 2, held: { from: 100, to: 3 } });
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
    expect(await poll()).not.toHaveProperty('held');
    expect(asked).toEqual(['shrink']);
    expect(await rig.registry.size()).toBe(100);
    const otherwise = async () => undefined;
    rig.a.result = { documents: [gone('d')], otherwise };
    expect(await poll()).toMatchObject({ held: { to: 40 } });
  });
});
