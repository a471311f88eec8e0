import type { Fetch } from './fetching.js';
import { documentOf } from './graph-shapes.js';
import type { LoadContext } from './json-ld-context.js';

/** What reading, writing and appending need. */
export interface Exchange {
  /** What all requests have in common. */
  readonly request: { readonly fetch: Fetch; readonly timeoutMs: number; readonly signal: AbortSignal };
  readonly maxBytes: number;
  readonly loadContext: LoadContext;
  readonly versions: KnownVersions;
}

/**
 * The entity tags of what components have read, so that a write is refused when somebody else has changed the
 * resource since. Tags that only match weakly guard nothing and are not kept.
 */
export class KnownVersions {
  readonly #tags = new Map<string, string>();

  keep(uri: string, { headers }: Response): void {
    const tag = strongTag(headers.get('etag'));
    if (tag) this.#tags.set(documentOf(uri), tag);
    else this.forget(uri);
  }

  forget(uri: string): void {
    this.#tags.delete(documentOf(uri));
  }

  /** The header that makes a write depend on the version that was read; none when none was. */
  condition(uri: string): Record<string, string> {
    const tag = this.#tags.get(documentOf(uri));
    return tag === undefined ? {} : { 'if-match': tag };
  }
}

export function strongTag(etag: string | null): string | undefined {
  return etag?.startsWith('"') ? etag : undefined;
}
