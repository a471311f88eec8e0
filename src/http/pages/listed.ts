import { html } from 'hono/html';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Catalog } from '../../registry/catalog.js';
import { sourceOf } from '../../web/content-policy.js';
import { needsScript } from '../../web/fragments.js';
import { hostOf, type Markup, renderPage } from '../../web/page.js';
import { componentPath, type NodeView, rootPath, whyPath } from '../../web/view.js';
import { type PageParts, pageAnswer } from '../page-answer.js';
import { readWebAddress } from './question-page.js';

interface ListedParts extends PageParts {
  readonly catalog: Catalog;
}

/**
 * `GET /listed?uri=&node=`: which nodes list a component, since when, and why the others do not. This node asks nobody: a
 * script on the page does, in the visitor's browser.
 */
export function getListed({ catalog, node }: ListedParts): Handler {
  return async ({ req }) => {
    const parameters = parametersOf(req.url);
    const uri = readWebAddress(parameters, 'uri');
    const view = node();
    const also = withoutTrailingSlashes(readWebAddress(parameters, 'node'));
    const nodes = await nodesAsked(view.baseUrl, catalog, also === '' ? [] : [also]);
    const [served] = uri === '' ? [] : await catalog.statements(uri);
    const main = html`<h1>Who lists it?</h1>
${uri === '' ? '' : named({ node: view, uri, label: served?.metadata.label, nodes })}
${form(view, uri)}`;
    const scripts = uri === '' ? [] : (['explorer.js', 'explorer-listed.js'] as const);
    const page = renderPage({ node: view, part: 'publish', title: 'Who lists it?', main, scripts });
    return pageAnswer(page, { connect: uri === '' ? [] : [...new Set(nodes.slice(1).map(sourceOf))] });
  };
}

/** This node, those that the visitor names, and those that it reads, the nearest first; without slashes at the end. */
export async function nodesAsked(
  baseUrl: string,
  catalog: Catalog,
  also: readonly string[] = [],
): Promise<string[]> {
  const { peers } = await catalog.network();
  const near = peers.toSorted((one, other) => one.hops - other.hops).map(({ url }) => url);
  return [...new Set([baseUrl, ...also, ...near].map(withoutTrailingSlashes))].slice(0, MOST_ASKED);
}

interface ListedView {
  readonly node: NodeView;
  readonly uri: string;
  /** What the component is called here, if it is listed here. */
  readonly label: string | undefined;
  /** Base URLs of the nodes that are asked, this one first. */
  readonly nodes: readonly string[];
}

function named({ node, uri, label, nodes }: ListedView): Markup {
  return html`${needsScript('Without JavaScript, ask each of these nodes yourself.')}
<p class="lead">${label === undefined ? uri : html`<a href="${componentPath(node.baseUrl, uri)}">${label}</a>`}</p>
<p role="status" id="count"></p>
<div id="listed" data-uri="${uri}">${nodeRows(node, nodes, uri)}</div>
<p class="hint">Your browser asks this node and those that it reads; nothing but the uri is sent.</p>`;
}

function form({ baseUrl }: NodeView, uri: string): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/listed" method="get">
<label for="uri">Uri of the component</label>
<div><input id="uri" name="uri" type="url" required value="${uri}" placeholder="https://…" spellcheck="false"></div>
<label for="node">Ask this node, too (optional)</label>
<div><input id="node" name="node" type="url" placeholder="https://…" spellcheck="false"><button>Ask</button></div>
</form>`;
}

/** Nodes that a page asks, at most: this one, and those that it reads. */
const MOST_ASKED = 12;

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
