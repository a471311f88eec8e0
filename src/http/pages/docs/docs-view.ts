import { html, raw } from 'hono/html';
import { counted } from '../../../lib/counted.js';
import { hostOf, type Markup, renderPage } from '../../../web/page.js';
import { type NodeView, rootPath } from '../../../web/view.js';
import type { Documentation, DocumentPage } from './documents.js';
import type { Hit } from './search-documents.js';

export interface DocsView {
  readonly node: NodeView;
  readonly documentation: Documentation;
}

/** One document, between the menu of all and the search. */
export function docsPage(view: DocsView, page: DocumentPage): string {
  return frame(view, page.title, '', page, html`<article class="doc">${raw(page.html)}</article>`);
}

export function docsSearchPage(view: DocsView, search: string, hits: readonly Hit[]): string {
  const main = html`<h1>Documentation</h1>
<h2 id="count">${counted(hits.length, 'section')} found</h2>
${hits.length === 0 ? html`<p>Nothing has all of these words. Try fewer of them.</p>` : html`<ol class="hits">${hits.map((hit) => found(view.node, hit))}</ol>`}`;
  return frame(view, `${search} – search`, search, undefined, main);
}

/** The page for an address below /docs that is none. */
export function noDocumentPage(view: DocsView): string {
  const main = html`<h1>No such page</h1><p>The documentation has no page of this name. It may have been called otherwise in another version; search for it.</p>`;
  return frame(view, 'No such page', '', undefined, main);
}

function frame(
  view: DocsView,
  title: string,
  search: string,
  current: DocumentPage | undefined,
  main: Markup,
): string {
  const { node } = view;
  const root = rootPath(node.baseUrl);
  const body = html`<form class="question search" role="search" action="${root}/docs" method="get">
<label for="q">Search the documentation</label>
<div><input id="q" name="q" type="search" value="${search}" autocomplete="off" spellcheck="false">
<button>Search</button></div>
</form>
<p class="unseen" role="status" id="announcement"></p>
<div class="columns docs" id="results">
<aside><nav id="documents" aria-label="Documents">${menu(view, current)}</nav></aside>
<div>
<p class="jump"><a href="#documents">All documents</a></p>
${main}
</div>
</div>`;
  return renderPage({ node, part: 'docs', title: `${title} – ${hostOf(node.baseUrl)}`, main: body });
}

/** All documents; below the one that is shown, its sections. */
function menu({ node, documentation }: DocsView, current: DocumentPage | undefined): Markup {
  const entry = (name: string) => {
    const page = name === current?.name ? current : documentation.page(name);
    if (!page) return html``;
    const title = name === '' ? 'Overview' : page.title;
    if (page !== current) return html`<li><a href="${pathOf(node, page)}">${title}</a></li>`;
    return html`<li><a href="${pathOf(node, page)}" aria-current="page">${title}</a>${contents(page)}</li>`;
  };
  return html`<ul>${documentation.names.map(entry)}</ul>`;
}

function contents({ sections }: DocumentPage): Markup {
  const own = sections.filter(({ depth, id }) => depth === 2 && id !== '');
  return html`<ul>${own.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul>`;
}

function found(node: NodeView, { page, section, excerpt }: Hit): Markup {
  const { id, heading } = section;
  const place = heading === page.title ? html`` : html` <small>${page.title}</small>`;
  return html`<li><h3><a href="${pathOf(node, page)}${id === '' ? '' : `#${id}`}">${heading}</a>${place}</h3>
<p>${excerpt.map(({ text, marked }) => (marked ? html`<mark>${text}</mark>` : text))}</p></li>`;
}

function pathOf({ baseUrl }: NodeView, { name }: DocumentPage): string {
  return `${rootPath(baseUrl)}/docs${name === '' ? '' : `/${name}`}`;
}
