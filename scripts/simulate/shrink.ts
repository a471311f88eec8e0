import { type Failure, type Observer, type SimulationOptions, simulate } from './run.js';

/**
 * Leaves out of a history what is not needed to break the same rule: first halves of it, then smaller and smaller parts
 * (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
 */
export async function shortestHistory(
  options: SimulationOptions,
  failure: Failure,
  { mostRuns, progress }: Pick<Observer, 'progress'> & { readonly mostRuns: number },
): Promise<Failure> {
  let shortest = failure;
  let runs = 0;
  for (let size = shortest.begun.length; size > 1; ) {
    size = Math.ceil(size / 2);
    for (let from = 0; from < shortest.begun.length && runs < mostRuns; ) {
      runs += 1;
      progress?.(`looking for a shorter history: ${shortest.begun.length} things (run ${runs})`);
      const replay = shortest.begun.filter((_, i) => i < from || i >= from + size);
      const result = await simulate({ ...options, replay });
      const isSame = 'failure' in result && result.failure.violation.rule === failure.violation.rule;
      if (isSame && result.failure.begun.length < shortest.begun.length) shortest = result.failure;
      else from += size;
    }
  }
  return shortest;
}
