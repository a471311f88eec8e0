import type { Config } from '../config.js';
import type { Samples } from '../demo/samples.js';
import type { Starter } from '../demo/starter.js';
import type { Answer } from '../lib/http/resource.js';
import type { Body } from '../lib/http/response/body.js';
import { pageHeaders, type Reach } from '../web/content-policy.js';
import type { NodeView } from '../web/view.js';
import type { Reports } from './operations/reports.js';

/** What every page needs. */
export interface PageParts {
  /** What a page shows of the node at this moment. */
  readonly node: () => NodeView;
}

export interface NodeViewParts {
  readonly config: Pick<Config, 'baseUrl' | 'write'>;
  readonly version: string;
  readonly reports: Pick<Reports, 'health' | 'refusals' | 'activity' | 'failingStores'>;
  /** Absent where there can be none. */
  readonly samples?: Samples | undefined;
  readonly starter?: Starter | undefined;
}

/** What every page shows of the node at this moment. */
export function nodeView({ config, version, reports, samples, starter }: NodeViewParts): NodeView {
  const data = [...new Set(samples?.shown?.all.map(({ entry }) => entry))];
  const clickable = config.write === 'open';
  const refused = reports.refusals().counts;
  return {
    health: reports.health(),
    isStorageFailing: reports.failingStores().length > 0,
    allSourcesFail: reports.activity().allFail,
    baseUrl: config.baseUrl,
    version,
    refused,
    samples: samples && { shown: samples.shown !== undefined, clickable, data },
    starter: starter && { shown: starter.shown !== undefined, clickable },
  };
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
