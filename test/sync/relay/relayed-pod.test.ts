import { beforeEach, describe, expect, it } from 'vitest';
import { RelayRig } from '../../support/relay-rig.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a learned pod that two peers read', () => {
  let rig: RelayRig;
  beforeEach(async () => {
    rig = await RelayRig.open();
    rig.write({ x: 'x1', y: 'y1' });
    rig.sees('a');
    rig.sees('b');
    // Not at the time of the day when it is verified.
    rig.clock.pass(HOUR - (rig.clock.now() % (23 * HOUR)) + 23 * HOUR);
    await rig.poll();
    await rig.poll();
    rig.reads = 0;
  });

  /** Both have read the pod, and the node polls. */
  async function bothSee(): Promise<void> {
    rig.sees('a');
    rig.sees('b');
    await rig.poll();
  }

  it('was read by the node itself first, and is then left to them', async () => {
    expect(await rig.labels()).toEqual(['x1', 'y1']);
    expect(rig.isRelayed).toBe(true);
    expect((await rig.record()).relay?.from).toBe('a');
    await rig.poll();
    expect(rig.reads).toBe(0);
  });

  it('is taken from the first of them', async () => {
    rig.clock.pass(MINUTE);
    rig.write({ x: 'x2', z: 'z1' });
    rig.sees('a');
    await rig.poll();
    expect(await rig.labels()).toEqual(['x2', 'z1']);
    expect(rig.reads).toBe(0);
  });

  it('is not told to others as read by this node', async () => {
    rig.readers = undefined;
    await rig.poll();
    expect((await rig.record()).observed).toBe(rig.podTime);
    rig.readers = ['a', 'b'];
    await rig.poll();
    expect((await rig.record()).observed).toBeUndefined();
    rig.clock.pass(23 * HOUR);
    await rig.poll();
    expect(rig.reads).toBe(2);
    expect((await rig.record()).observed).toBeUndefined();
  });

  it('keeps what is remembered of documents that have not changed, so that their bodies are not sent again', async () => {
    rig.write({ x: 'x1', y: 'y2' });
    await bothSee();
    const documents = (await rig.registry.sources()).flatMap(({ documents }) => [...documents.values()]);
    expect(documents.map(({ etag }) => etag)).toEqual(['"x1"', undefined]);
  });

  it('is never older than what is stored', async () => {
    const before = { ...rig.peers.a, said: { x: 'x0', y: 'y1' } } as { said: object; observed: number };
    rig.clock.pass(MINUTE);
    rig.write({ x: 'x2', y: 'y1' });
    await bothSee();
    // A backup is restored there.
    rig.peers.a = { said: { x: 'x0', y: 'y1' }, observed: before.observed };
    await rig.poll();
    expect(await rig.labels()).toEqual(['x2', 'y1']);
    expect(rig.reads).toBe(0);
  });

  it('does not come back with what was deleted, whoever has not seen that', async () => {
    rig.clock.pass(MINUTE);
    rig.write({ y: 'y1' });
    rig.sees('a');
    await rig.poll();
    expect(await rig.labels()).toEqual(['y1']);
    // The first one is gone, and the second takes over, which has seen nothing of it.
    rig.readers = ['b', 'c'];
    rig.peers.c = { said: { x: 'x1', y: 'y1' }, observed: rig.podTime - HOUR };
    for (let minutes = 0; minutes < 60; minutes += 5) {
      await rig.poll();
      expect(await rig.labels()).toEqual(['y1']);
      rig.clock.pass(5 * MINUTE);
    }
  });

  it('is read by the node itself when another one takes over and says something else', async () => {
    rig.clock.pass(MINUTE);
    rig.write({ x: 'x2' });
    rig.peers.c = { said: { x: 'x2' }, observed: rig.podTime };
    rig.readers = ['c', 'b'];
    await rig.poll();
    expect(rig.reads).toBe(1);
    expect(await rig.labels()).toEqual(['x2']);
    await rig.poll();
    expect((await rig.record()).relay?.from).toBe('c');
  });

  it('is read by the node itself when the first one says something else that it has not read itself', async () => {
    rig.write({ x: 'x8' });
    rig.peers.a = { said: { x: 'x8' }, observed: undefined };
    await rig.poll();
    expect(rig.reads).toBe(1);
    expect(await rig.labels()).toEqual(['x8']);
  });

  it('is left to another one that says the same without a word', async () => {
    rig.readers = ['b', 'a'];
    await rig.poll();
    expect(rig.reads).toBe(0);
    rig.clock.pass(MINUTE);
    rig.write({ x: 'x3' });
    rig.sees('b');
    await rig.poll();
    expect(await rig.labels()).toEqual(['x3']);
    expect(rig.reads).toBe(0);
  });

  it('is read by the node itself as soon as it is one of the two', async () => {
    rig.readers = undefined;
    rig.write({ x: 'x4' });
    await rig.poll();
    expect(rig.reads).toBe(1);
    expect(rig.isRelayed).toBe(false);
    expect(await rig.labels()).toEqual(['x4']);
  });

  it('is read by the node itself when the two differ for a quarter of an hour', async () => {
    rig.write({ x: 'x5' });
    rig.sees('b');
    await rig.poll();
    rig.clock.pass(14 * MINUTE);
    await rig.poll();
    expect(rig.reads).toBe(0);
    rig.clock.pass(MINUTE);
    await rig.poll();
    expect(rig.reads).toBe(1);
    expect(await rig.labels()).toEqual(['x5']);
  });

  it('is not read because of what one has told by mistake, once it says something else when it is asked', async () => {
    rig.told = { b: { x: 'wrong' } };
    for (let minutes = 0; minutes < 30; minutes += 5) {
      await rig.poll();
      rig.clock.pass(5 * MINUTE);
    }
    expect(rig.told).toEqual({});
    expect(rig.reads).toBe(0);
  });

  it('is a failed poll when it cannot be taken, and what is stored stays', async () => {
    rig.peers.a = { said: { x: 'x6' }, observed: rig.podTime };
    rig.breaks = 'it is broken';
    const report = await rig.poll();
    expect(report.error).toBe('What a has read of it could not be taken: it is broken');
    expect(await rig.labels()).toEqual(['x1', 'y1']);
  });

  describe('one of whom lies', () => {
    const LIE = { x: 'lie', y: 'y1' };
    beforeEach(async () => {
      rig.clock.pass(MINUTE);
      rig.peers.a = { said: LIE, observed: rig.podTime };
    });

    it('is found out within a quarter of an hour by the other one', async () => {
      await rig.poll();
      expect(await rig.labels()).toEqual(['lie', 'y1']);
      await rig.poll();
      rig.clock.pass(15 * MINUTE);
      await rig.poll();
      expect(await rig.labels()).toEqual(['x1', 'y1']);
    });

    it('is found out within a day if both do, and is not believed for another day', async () => {
      rig.peers.b = rig.peers.a as { said: typeof LIE; observed: number };
      const began = rig.clock.now();
      await rig.poll();
      while ((await rig.labels()).includes('lie') && rig.clock.now() - began < 48 * HOUR) {
        rig.clock.pass(30 * MINUTE);
        await rig.poll();
      }
      expect(rig.clock.now() - began).toBeLessThanOrEqual(24 * HOUR);
      const found = rig.clock.now();
      while (rig.clock.now() - found < 23 * HOUR) {
        rig.clock.pass(30 * MINUTE);
        // A date in the future does not help either.
        rig.peers.a = { said: LIE, observed: rig.podTime + 1000 * HOUR };
        await rig.poll();
        expect(await rig.labels()).toEqual(['x1', 'y1']);
      }
    });

    it('is believed no longer when the pod cannot be read to verify it', async () => {
      rig.podFails = true;
      rig.peers.b = rig.peers.a as { said: typeof LIE; observed: number };
      rig.clock.pass(24 * HOUR);
      const report = await rig.poll();
      expect(report.error).toBe('answers 500');
      expect(await rig.labels()).toEqual(['x1', 'y1']);
    });
  });

  describe('after another start', () => {
    it('without relays is read by the node itself, and what was remembered of them is gone', async () => {
      rig.write({ x: 'x7' });
      await rig.poll(rig.direct);
      expect(await rig.labels()).toEqual(['x7']);
      expect(await rig.record()).toMatchObject({ observed: rig.podTime });
      expect((await rig.record()).relay).toBeUndefined();
      // With relays again: what they say may be older than what was read meanwhile.
      const again = rig.restarted();
      rig.reads = 0;
      await rig.poll(again);
      expect(rig.reads).toBe(1);
      expect(await rig.labels()).toEqual(['x7']);
    });

    it('with relays is still left to the two', async () => {
      await rig.poll(rig.restarted());
      expect(rig.reads).toBe(0);
    });
  });
});
