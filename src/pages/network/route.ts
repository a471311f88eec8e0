import type { Catalog } from '../../catalog/catalog.js';
import type { Config } from '../../config.js';
import { publicRefusals } from '../../explain/refusal.js';
import { requireOperator } from '../../http/access/operator.js';
import type { Reports } from '../../http/operations/reports.js';
import type { Handler } from '../../lib/http/resource.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import type { PageParts } from '../shell/page-answer.js';
import { taggedPage } from '../shell/tagged-page.js';
import { networkPage } from './view.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly reports: Reports;
  readonly config: Pick<Config, 'operatorToken'>;
}

export type NetworkView = Awaited<ReturnType<typeof readNetwork>>;

/**
 * `GET /network`: the status as a page; with the operator token, also what only the operator may see and decide. It is made
 * anew when the status has changed, and not for each tab that asks whether it has.
 */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  /** The latest page of visitors, and that of the operator. */
  const latest = new Map<boolean, { readonly etag: string; readonly text: string }>();
  return async (c) => {
    const isOperator = c.req.raw.headers.has('authorization');
    if (isOperator) requireOperator(c.req.raw, parts.config.operatorToken);
    const view = await readNetwork(parts, isOperator);
    const etag = textTag(JSON.stringify(view));
    const body = () => {
      const known = latest.get(isOperator);
      if (known?.etag === etag) return known.text;
      const text = networkPage(view);
      latest.set(isOperator, { etag, text });
      return text;
    };
    return taggedPage(c, { etag, body, isPrivate: isOperator });
  };
}

/** All that the page shows: while it is the same, so is the page. */
async function readNetwork({ node, catalog, reports, config }: NetworkPageParts, isOperator: boolean) {
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
