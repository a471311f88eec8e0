import type { Answer } from '../../lib/http/resource.js';
import type { Health } from '../../registry/health.js';
import { pageHeaders, type Reach } from '../../web/content-policy.js';
import type { NodeView } from '../../web/view.js';

export interface PageParts {
  readonly health: () => Health;
  readonly baseUrl: string;
  readonly version: string;
}

/** What every page shows of the node at this moment. */
export function nodeView({ health, baseUrl, version }: PageParts): NodeView {
  return { health: health(), baseUrl, version };
}

/** A page as an answer. `connect`: see `Reach`. */
export function pageAnswer(
  body: string,
  { status = 200, ...reach }: Reach & { readonly status?: number } = {},
): Answer {
  return {
    status,
    headers: { ...pageHeaders(reach), vary: 'Accept', 'cache-control': 'no-cache' },
    body,
  };
}
