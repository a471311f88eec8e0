import { describe, expect, it } from 'vitest';
import { Life } from '../../../scripts/simulate/time/life.js';
import { NodeClock } from '../../../scripts/simulate/time/node-clock.js';
import { VirtualTime } from '../../../scripts/simulate/time/virtual-time.js';

describe('a process that is paused', () => {
  it('goes on where it was, and does what has come meanwhile in its order', async () => {
    const time = new VirtualTime();
    const life = new Life();
    const began = time.now;
    const done: string[] = [];
    const note = (what: string) => () => done.push(`${what} ${time.now - began}`);
    const slept = new NodeClock(time, life).sleep(20).then(note('sleeper'));
    for (const ms of [10, 30, 60]) time.after(ms, () => life.run(note(`came ${ms}`)));
    life.pause();
    time.after(50, () => life.goOn(time));
    await time.runUntil(began + 40);
    expect(done).toEqual([]);
    await time.passUntil(slept);
    await time.runUntil(began + 100);
    expect(done).toEqual(['came 10 50', 'sleeper 50', 'came 30 50', 'came 60 60']);
  });

  it('does nothing more when it has ended', async () => {
    const time = new VirtualTime();
    const life = new Life();
    const done: string[] = [];
    life.pause();
    life.run(() => done.push('late'));
    life.atEnd(() => done.push('ended'));
    life.end();
    life.goOn(time);
    life.run(() => done.push('later'));
    await time.runUntil(time.now + 1000);
    expect(done).toEqual(['ended']);
  });
});
