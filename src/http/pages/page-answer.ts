import type { Answer } from '../../lib/http/resource.js';
import type { Health } from '../../registry/health.js';
import { PAGE_HEADERS } from '../../web/page.js';
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

/** A page as an answer. */
export function pageAnswer(body: string, status = 200): Answer {
  return { status, headers: { ...PAGE_HEADERS, vary: 'Accept', 'cache-control': 'no-cache' }, body };
}
