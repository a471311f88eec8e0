import { expect } from 'vitest';
import {
  type ClosableFetch,
  createGuardedFetch,
  type GuardedFetchOptions,
} from '../../src/lib/fetch/guarded-fetch.js';
import { cleanup } from './cleanup.js';
import type { FakeServer } from './fake-server.js';
import { waitFor } from './wait-for.js';

export const configured = { trust: 'configured' } as const;
export const learned = { trust: 'learned' } as const;

/** A guarded fetch that is closed with the test. */
export function door(options: Partial<GuardedFetchOptions> = {}): ClosableFetch {
  const made = createGuardedFetch({
    userAgent: 'test-node/1.0',
    allowPrivate: false,
    maxBytes: 100_000,
    timeoutMs: 5_000,
    ...options,
  });
  cleanup(() => made.close());
  return made;
}

export const failure = (reason: string) => expect.objectContaining({ name: 'FetchFailure', reason });

export const allClosed = (server: FakeServer) =>
  waitFor(() => server.connections === 0, { describe: 'the connections to close' });
