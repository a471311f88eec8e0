import type { Config } from '../../config.js';
import type { Samples } from '../../demo/samples.js';
import type { Answer } from '../../lib/http/resource.js';
import type { Health } from '../../registry/health.js';
import { pageHeaders, type Reach } from '../../web/content-policy.js';
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
