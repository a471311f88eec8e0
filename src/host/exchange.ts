import type { Fetch } from './fetching.js';
import type { LoadContext } from './json-ld-context.js';
import type { KnownVersions } from './known-versions.js';

/** What reading, writing and appending need. */
export interface Exchange {
  /** What all requests have in common. */
  readonly request: { readonly fetch: Fetch; readonly timeoutMs: number; readonly signal: AbortSignal };
  readonly maxBytes: number;
  readonly loadContext: LoadContext;
  readonly versions: KnownVersions;
}
