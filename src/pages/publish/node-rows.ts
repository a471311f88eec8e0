import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { hostOf, type Markup } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';

/** Nodes that the page asks, at most: this one, and those that it reads. */
const MOST_ASKED = 12;

/** Base URLs of this node and of those that it reads, the nearest first; without slashes at the end. */
export async function nodesAsked(baseUrl: string, catalog: Catalog): Promise<string[]> {
  const { peers } = await catalog.network();
  const near = peers.toSorted((one, other) => one.hops - other.hops).map(({ url }) => url);
  return [...new Set([baseUrl, ...near].map(withoutTrailingSlashes))].slice(0, MOST_ASKED);
}

/** A row for each node. The script of the page asks the nodes from the visitor's browser, and writes there what they say. */
export function nodeRows(node: NodeView, nodes: readonly string[]): Markup {
  return html`<ul class="rows" id="nodes">${nodes.map(
    (url) =>
      html`<li data-node="${url}"><strong>${url === node.baseUrl ? 'This node' : hostOf(url)}</strong>
<span class="said"></span></li>`,
  )}</ul>`;
}
