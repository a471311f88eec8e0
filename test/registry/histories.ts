import fc from 'fast-check';
import { it } from 'vitest';
import type { KeepEngine } from '../keep/contract.js';
import { seed } from '../support/torture.js';
import { anyQuestion, pick } from './any-metadata.js';
import { ModelledRegistry } from './modelled-registry.js';
import { anyStep } from './steps.js';

/** What may happen to a registry, in commits as they come or in commits of a few statements, and what is asked after each step. */
const anyHistory = (questions: number) =>
  fc.record({
    steps: fc.array(
      fc.record({
        ...{ step: anyStep, by: fc.nat(1) },
        questions: fc.array(anyQuestion, { minLength: questions, maxLength: questions }),
      }),
      { maxLength: 20 },
    ),
    mostAtOnce: pick(3, 10_000),
  });

function throwError({ errorInstance }: { readonly errorInstance: unknown }): void {
  if (errorInstance) throw errorInstance;
}

/**
 * Lets random histories happen to registries and to their models, and compares them after each step: the contract of a registry. Call
 * it in the test file of an engine.
 * @param nodes that share the registry @param questions to the catalog after each step
 */
export function registryContract(
  name: string,
  createEngine: () => Promise<KeepEngine>,
  {
    runs: numRuns,
    nodes,
    questions = 1,
  }: { readonly runs: number; readonly nodes: number; questions?: number },
): void {
  const timeout = 60_000 + numRuns * 500;
  it(`${numRuns} histories of a registry: ${name} end as the model says (seed ${seed})`, { timeout }, () =>
    fc.assert(
      fc.asyncProperty(anyHistory(questions), async ({ steps, mostAtOnce }) => {
        const registry = new ModelledRegistry(await createEngine(), { mostAtOnce, isShared: nodes > 1 });
        try {
          for (let i = 0; i < nodes; i++) await registry.open();
          for (const [i, { step, by, questions }] of steps.entries())
            await registry.happens(step, by, questions).catch((cause) => {
              const kinds = steps.slice(0, i + 1).map(({ step }) => step.kind);
              throw new Error(`The last of these steps went wrong: ${kinds.join(', ')}`, { cause });
            });
          await registry.ends();
        } finally {
          await registry.close();
        }
      }),
      // To shrink a history takes longer than the test may, and one fills screens: the seed repeats it.
      { numRuns, seed, endOnFailure: true, reporter: throwError },
    ),
  );
}
