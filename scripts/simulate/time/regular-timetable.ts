import type { Timetable } from '../../../src/sync/timetable.js';
import type { Life } from './life.js';
import type { NodeClock } from './node-clock.js';
import type { VirtualTime } from './virtual-time.js';

const SECOND = 1000;

/** Polls at regular times of a node's own clock, and a tick every second, as `cronTimetable` gives them in production. */
export function regularTimetable(
  intervalMs: number,
  parts: {
    readonly time: VirtualTime;
    readonly clock: NodeClock;
    readonly life: Life;
    readonly phase: number;
  },
): Timetable {
  const { time, clock, life, phase } = parts;
  return {
    interval: intervalMs,
    next: () => (Math.floor(clock.now() / intervalMs) + 1) * intervalMs,
    start(tick) {
      let isStopped = false;
      const again = () => {
        if (isStopped) return;
        tick();
        time.after(SECOND, () => life.run(again));
      };
      time.after(phase * SECOND, () => life.run(again));
      return () => {
        isStopped = true;
      };
    },
  };
}
