import fc from 'fast-check';
import { describe, it } from 'vitest';
import { rounds, seed } from '../../../support/torture.js';
import { type Event, feedEvents, POD, runHistory } from './history.js';

const RUNS = rounds({ short: 80, full: 10_000 });

/** The origin comes back from a backup, and to the same numbers: other lists stand for them, and with the same tags. */
const PUT_BACK: Event[] = [
  { kind: 'back up' },
  { kind: 'lists', peers: ['c'] },
  { kind: 'restart', order: 2 },
  { kind: 'poll', reader: 2, pageSize: 1 },
  { kind: 'restore' },
  { kind: 'say', source: POD, document: 0, labels: ['', '', '', '', '2'] },
  { kind: 'restart', order: 0 },
  { kind: 'post', put: ['e'], remove: [] },
];

/** All is read again, and refused pods are known anew, although something is remembered of a poll that has failed. */
const FAILED_ANEW: Event[] = [
  { kind: 'reader reads a pod', pod: POD },
  { kind: 'say', source: POD, document: 0, labels: ['', '', '', '', '1'] },
  { kind: 'poll', reader: 0, pageSize: 1 },
  { kind: 'reader stops reading pods' },
  {
    ...{ kind: 'poll', reader: 0, pageSize: 1 },
    ...{
      during: { at: 1, change: { kind: 'post', put: ['e'], remove: [] } },
      trouble: { at: 1, what: 'lie' },
    },
  },
  { kind: 'forget', source: POD },
];

describe(`readers of a feed (seed ${seed})`, () => {
  it(
    `have what their origin said in the state that they name, whatever happens (${RUNS} histories)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(feedEvents, (events) => runHistory(events)),
        { numRuns: RUNS, seed, examples: [[PUT_BACK], [FAILED_ANEW]] },
      );
    },
    60_000 + RUNS * 500,
  );
});
