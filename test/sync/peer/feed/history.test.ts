import fc from 'fast-check';
import { describe, it } from 'vitest';
import { rounds, seed } from '../../../support/torture.js';
import { feedEvents, runHistory } from './history.js';

const MEMORY = rounds({ short: 80, full: 10_000 });
const DISK = rounds({ short: 15, full: 1000 });

describe(`readers of a feed (seed ${seed})`, () => {
  it(
    `have what their origin said in the state that they name, whatever happens (${MEMORY} histories)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(feedEvents, (events) => runHistory(events, false)),
        { numRuns: MEMORY, seed },
      );
    },
    60_000 + MEMORY * 500,
  );

  it(
    `also with the disk engine (${DISK} histories)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(feedEvents, (events) => runHistory(events, true)),
        { numRuns: DISK, seed },
      );
    },
    60_000 + DISK * 5000,
  );
});
