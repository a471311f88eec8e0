import fc from 'fast-check';
import { describe, it } from 'vitest';
import { rounds, seed } from '../../../support/torture.js';
import { feedEvents, runHistory } from './history.js';

const RUNS = rounds({ short: 80, full: 10_000 });

describe(`readers of a feed (seed ${seed})`, () => {
  it(
    `have what their origin said in the state that they name, whatever happens (${RUNS} histories)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(feedEvents, (events) => runHistory(events)),
        { numRuns: RUNS, seed },
      );
    },
    60_000 + RUNS * 500,
  );
});
