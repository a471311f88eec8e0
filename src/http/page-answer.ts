import type { Config } from '../config.js';
import type { Refusals } from '../core/refusal.js';
import type { Samples } from '../demo/samples.js';
import type { Health } from '../explain/health.js';
import type { Answer } from '../lib/http/resource.js';
import type { Body } from '../lib/http/response/body.js';
import { pageHeaders, type Reach } from '../web/content-policy.js';
import type { NodeView } from '../web/view.js';

export interface PageParts {
  readonly health: () => Health;
  readonly baseUrl: string;
  readonly version: string;
  /** Absent where there can be none, and while the node loads. */
  readonly samples?: Samples | undefined;
  /** What is not read of what peers told. */
  readonly refusals: () => Refusals;
  readonly config: Pick<Config, 'write'>;
}

/** What every page shows of the node at this moment. */
export function nodeView({ health, baseUrl, version, samples, refusals, config }: PageParts): NodeView {
  const data = [...new Set(samples?.shown?.all.map(({ entry }) => entry))];
  const shown = { shown: samples?.shown !== undefined, clickable: config.write === 'open', data };
  const refused = refusals().counts;
  return { health: health(), baseUrl, version, refused, samples: samples && shown };
}

/** A page as an answer. `connect`: see `Reach`. */
export function pageAnswer(
  body: Body,
  { status = 200, ...reach }: Reach & { readonly status?: number } = {},
): Answer {
  return {
    status,
    headers: { ...pageHeaders(reach), vary: 'Accept', 'cache-control': 'no-cache' },
    body,
  };
}
