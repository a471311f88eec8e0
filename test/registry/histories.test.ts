import fc from 'fast-check';
import { it } from 'vitest';
import { type Engine, levelEngine, memoryEngine } from '../support/engines.js';
import { rounds, seed } from '../support/torture.js';
import { anyHistory, runHistory } from './histories.js';

const MEMORY = rounds({ short: 60, full: 10_000 });
const LEVEL = rounds({ short: 8, full: 1_000 });

it.each<[runs: number, name: string, create: () => Promise<Engine>]>([
  [MEMORY, 'in memory', memoryEngine],
  [LEVEL, 'on disk', levelEngine],
])(
  `%i histories of a registry %s end as the model says (seed ${seed})`,
  {
    timeout: 60_000 + MEMORY * 500,
  },
  async (numRuns, _name, create) => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const engine = await create();
        await runHistory(engine, history).finally(() => engine.remove());
      }),
      { numRuns, seed },
    );
  },
);
