import type { Handler } from '../lib/http/resource.js';
import type { Registry } from '../store/registry.js';
import { networkPage } from '../web/network-page.js';
import type { SourceStatus } from './node-report.js';
import { nodeView, type PageParts, pageAnswer } from './page-answer.js';

export interface NetworkPageParts extends PageParts {
  readonly registry: () => Registry;
  readonly status: () => readonly SourceStatus[];
  readonly mode: string;
}

/** `GET /network`: the status for people. It answers while the node is loading, too. */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  return () => {
    const node = nodeView(parts);
    const components = node.health === 'loading' ? 0 : parts.registry().catalog.size;
    return pageAnswer(networkPage({ node, mode: parts.mode, components, sources: parts.status() }));
  };
}
