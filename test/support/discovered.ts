import type { Discover, Discovered, Introductions } from '../../src/core/discovery.js';

export const DISCOVERY = { depth: 3, allow: [], deny: [], approve: false, maxPeers: 100, maxPods: 1000 };

/** What follows from what peers say, at once. */
export function discovered(discover: Discover, said: Introductions): Discovered {
  return atOnce(discover(said));
}

/** What comes of work that yields where other work may come in between, without any. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
