import type { Handler } from '../../lib/http/resource.js';
import type { Catalog } from '../../registry/catalog.js';
import type { SourceStatus } from '../../registry/source-status.js';
import { networkPage } from '../../web/network/network-page.js';
import { nodeView, type PageParts, pageAnswer } from './page-answer.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: () => Catalog;
  readonly status: () => Promise<readonly SourceStatus[]>;
  readonly mode: string;
}

/** `GET /network`: the status as a page. It is answered while the node is loading, too. */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  return async () => {
    const node = nodeView(parts);
    const components = node.health === 'loading' ? 0 : (await parts.catalog().state()).components;
    return pageAnswer(networkPage({ node, mode: parts.mode, components, sources: await parts.status() }));
  };
}
