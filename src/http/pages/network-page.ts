import type { Handler } from '../../lib/http/resource.js';
import type { Activity } from '../../registry/activity.js';
import type { Catalog } from '../../registry/catalog.js';
import { NO_NETWORK } from '../../registry/network-lists.js';
import type { SourceStatus } from '../../registry/source-status.js';
import { networkPage } from '../../web/network/network-page.js';
import { nodeView, type PageParts, pageAnswer } from './page-answer.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: () => Catalog;
  readonly status: () => Promise<readonly SourceStatus[]>;
  readonly activity: () => Activity;
  readonly mode: string;
}

/** `GET /network`: the status as a page. It is answered while the node is loading, too. */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  return async () => {
    const node = nodeView(parts);
    const catalog = node.health === 'loading' ? undefined : parts.catalog();
    const components = (await catalog?.state())?.components ?? 0;
    const lists = (await catalog?.network()) ?? NO_NETWORK;
    const view = { mode: parts.mode, components, lists, activity: parts.activity() };
    return pageAnswer(networkPage({ ...view, node, sources: await parts.status() }));
  };
}
