import type { Catalog } from '../../catalog/catalog.js';
import type { Config } from '../../config.js';
import { publicRefusals } from '../../core/refusal.js';
import type { Reports } from '../../http/operations/reports.js';
import type { PageParts } from '../shell/page-answer.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly reports: Reports;
  readonly config: Pick<Config, 'operatorToken'>;
}

export type NetworkView = Awaited<ReturnType<typeof readNetwork>>;

/** All that the page shows: while it is the same, so is the page. */
export async function readNetwork({ node, catalog, reports, config }: NetworkPageParts, isOperator: boolean) {
  const refusals = reports.refusals();
  return {
    node: node(),
    name: reports.name,
    hasToken: config.operatorToken !== undefined,
    isOperator,
    components: (await catalog.state()).components,
    sources: await reports.status(),
    refusals: isOperator ? refusals : publicRefusals(refusals),
    events: reports.activity().events,
    pinning: await reports.pinning(),
    failingStores: reports.failingStores(),
  };
}
