import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../scripts/simulate/time/event-queue.js';

const FOREVER = Number.POSITIVE_INFINITY;

describe('the queue of events', () => {
  it('gives events in the order of their times, then of their scheduling, without the cancelled ones', () => {
    const scheduled = fc.array(fc.record({ time: fc.nat(50), isCancelled: fc.boolean() }), {
      maxLength: 5000,
    });
    fc.assert(
      fc.property(scheduled, (events) => {
        const queue = new EventQueue();
        const happened: number[] = [];
        const added = events.map(({ time }, place) => queue.add(time, () => happened.push(place)));
        events.forEach(({ isCancelled }, place) => {
          const event = added[place];
          if (isCancelled && event) queue.cancel(event);
        });
        expect(queue.size).toBe(events.filter(({ isCancelled }) => !isCancelled).length);
        for (let next = queue.next(FOREVER); next; next = queue.next(FOREVER)) next.action();
        const expected = events
          .map((event, place) => ({ ...event, place }))
          .filter(({ isCancelled }) => !isCancelled)
          .sort((one, other) => one.time - other.time || one.place - other.place);
        expect(happened).toEqual(expected.map(({ place }) => place));
        expect(queue.size).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps what is later than asked for, and takes no event back that has happened', () => {
    const queue = new EventQueue();
    const event = queue.add(5, () => undefined);
    expect(queue.next(4)).toBeUndefined();
    expect(queue.next(5)?.time).toBe(5);
    queue.cancel(event);
    expect(queue.size).toBe(0);
  });
});
