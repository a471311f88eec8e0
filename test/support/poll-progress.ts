import type { PollProgress } from '../../src/sync/sync-source.js';

/** What a poll is given that is bounded by nothing but the signal, and that stores nothing before its end. */
export function pollProgress(
  signal = new AbortController().signal,
  more: Partial<PollProgress> = {},
): PollProgress {
  return {
    signal,
    limit: { components: 1_000_000, bytes: 1_000_000_000 },
    room: { components: 1_000_000, bytes: 1_000_000_000 },
    full: false,
    beforeParsing: async () => undefined,
    store: () => Promise.reject(new Error('nothing is stored before the end of this poll')),
    ...more,
  };
}
