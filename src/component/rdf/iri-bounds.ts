/** Longest base IRI or namespace, in characters; the same limit as for a component's uri. */
export const LONGEST_BASE = 2048;
