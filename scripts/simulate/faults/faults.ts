import type { HappeningKind } from '../world/happening.js';

/** Everything that can go wrong, by name. */
export const FAULTS: readonly HappeningKind[] = [];
