import { beforeEach, describe, expect, it } from 'vitest';
import type { RelayRecord } from '../../../src/registry/source-record.js';
import { component } from '../../support/registry.js';
import { SchedulerRig } from '../../support/scheduler-rig.js';

const OBSERVED = { from: 1000, until: 2000 };
const RELAY: RelayRecord = { verified: 5, date: 6 };
const document = (name: string, ...names: string[]) => ({
  ...{ url: `https://a.example/${name}`, record: {} },
  components: names.map((one) => component(one)),
});

describe('when a pod was seen is remembered with what is stored of it', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
    await rig.scheduler.setSources([rig.a]);
    rig.a.result = {
      documents: [document('d', 'x')],
      observed: OBSERVED,
      remember: () => ({ relay: RELAY }),
    };
    await rig.scheduler.pollNow();
  });

  const poll = async (result: NonNullable<SchedulerRig['a']['result']>) => {
    rig.a.result = result;
    await rig.scheduler.pollNow();
    const { observed, relay } = (await rig.record(rig.a)) ?? {};
    return { observed, relay };
  };

  it('from the first answer on', async () => {
    expect(await rig.record(rig.a)).toMatchObject({ observed: 1000, relay: RELAY });
  });

  it('and stays with it when nothing new could be read', async () => {
    const failure = { message: 'answers 500' };
    expect(await poll({ documents: [], failure })).toEqual({ observed: 1000, relay: RELAY });
  });

  it('and is gone when something new is stored of it, and not all was seen', async () => {
    const failure = { message: 'is slow' };
    const nothing = { observed: undefined, relay: undefined };
    expect(await poll({ documents: [document('e', 'y')], failure })).toEqual(nothing);
  });

  it('and is gone after a poll that does not say, even where nothing is new', async () => {
    expect(await poll({ documents: [] })).toEqual({ observed: undefined, relay: undefined });
  });

  it('and is gone when there was no room for all of it', async () => {
    rig.limits.maxComponents = 1;
    expect(await poll({ documents: [document('e', 'y')], observed: OBSERVED })).toMatchObject({
      observed: undefined,
    });
  });

  it('and stays while what would be lost is held', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    await poll({
      documents: [document('d', ...names)],
      observed: OBSERVED,
      remember: () => ({ relay: RELAY }),
    });
    const gone = [{ url: 'https://a.example/d', record: null }];
    expect(await poll({ documents: gone, observed: { from: 3000, until: 3000 } })).toEqual({
      ...{ observed: 1000, relay: RELAY },
    });
  });
});
