import { Violation } from './invariants/violation.js';
import type { SimulationOptions } from './options.js';
import { type Outcome, Simulation, type SimulationParts } from './simulation.js';

/** A run that broke a rule. */
export interface Failure {
  readonly violation: Violation;
  /** Numbers of what happened, and what it was. */
  readonly begun: readonly number[];
  readonly history: readonly string[];
}

export type Result = { readonly outcome: Outcome } | { readonly failure: Failure };

/** Runs a simulation to its end, or to the first rule that is broken. Rejects for what is a fault of the simulation itself. */
export async function simulate(options: SimulationOptions, parts: SimulationParts = {}): Promise<Result> {
  const simulation = new Simulation(options, parts);
  try {
    return { outcome: await simulation.run() };
  } catch (violation) {
    if (!(violation instanceof Violation)) throw violation;
    const { begun, history } = simulation;
    return { failure: { violation, begun, history } };
  }
}

/**
 * Leaves out of a history what is not needed to break the same rule: first halves of it, then smaller and smaller parts
 * (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
 */
export async function shortestHistory(
  options: SimulationOptions,
  failure: Failure,
  parts: SimulationParts & { readonly mostRuns: number },
): Promise<Failure> {
  const { mostRuns, progress, ...others } = parts;
  let shortest = failure;
  let runs = 0;
  for (
    let size = Math.ceil(failure.begun.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < shortest.begun.length && runs < mostRuns; ) {
      runs += 1;
      progress?.(`looking for a shorter history: ${shortest.begun.length} things (run ${runs})`);
      const replay = shortest.begun.filter((_, i) => i < from || i >= from + size);
      const result = await simulate({ ...options, replay }, others);
      const isSame = 'failure' in result && result.failure.violation.rule === failure.violation.rule;
      if (isSame && result.failure.begun.length < shortest.begun.length) shortest = result.failure;
      else from += size;
    }
  }
  return shortest;
}
