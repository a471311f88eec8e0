import type { Config } from '../../config.js';
import type { Samples } from '../../demo/samples.js';
import type { Answer } from '../../lib/http/resource.js';
import type { Health } from '../../registry/health.js';
import { PAGE_HEADERS } from '../../web/page.js';
import type { NodeView } from '../../web/view.js';

export interface PageParts {
  readonly health: () => Health;
  readonly baseUrl: string;
  readonly version: string;
  /** The samples, as soon as the node is loaded; absent where there can be none. */
  readonly samples?: () => Samples | undefined;
  readonly config: Pick<Config, 'write'>;
}

/** What every page shows of the node at this moment. */
export function nodeView({ health, baseUrl, version, samples, config }: PageParts): NodeView {
  const there = samples?.();
  const shown = { shown: there?.shown !== undefined, clickable: config.write === 'open' };
  return { health: health(), baseUrl, version, ...(there ? { samples: shown } : {}) };
}

/** A page as an answer. */
export function pageAnswer(body: string, status = 200): Answer {
  return { status, headers: { ...PAGE_HEADERS, vary: 'Accept', 'cache-control': 'no-cache' }, body };
}
