/** Characters of an IRI that others are resolved against or put together with; the same as of a component's uri. */
export const LONGEST_BASE = 2048;
