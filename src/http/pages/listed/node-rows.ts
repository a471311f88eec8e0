import { html } from 'hono/html';
import { hostOf, type Markup } from '../../../web/page.js';
import { type NodeView, whyPath } from '../../../web/view.js';

/** Nodes that a page asks, at most: this one, and those that it reads. */
export const MOST_ASKED = 12;

/**
 * A row for each node, with the way to its own words on a component. The script of the page asks each node from the
 * visitor's browser, and writes into the row what it says.
 */
export function nodeRows(node: NodeView, nodes: readonly string[], uri: string): Markup {
  return html`<ul class="rows" id="nodes">${nodes.map(
    (url) =>
      html`<li data-node="${url}"><strong>${url === node.baseUrl ? 'This node' : hostOf(url)}</strong>
<span class="said">${uri === '' ? '' : html`<a href="${whyOf(url, uri)}" rel="noreferrer">What it says</a>`}</span></li>`,
  )}</ul>`;
}

function whyOf(url: string, uri: string): string {
  return new URL(whyPath(url, uri), url).href;
}
