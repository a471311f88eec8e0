import { html, raw } from 'hono/html';
import { counted } from '../../../lib/counted.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.js';
import { type Markup, renderPage } from '../../../web/page.js';
import { type NodeView, rootPath } from '../../../web/view.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import type { Documentation, DocumentPage } from './documents.js';
import { type Hit, searchDocuments } from './search-documents.js';

interface DocsParts extends PageParts {
  readonly documentation: Documentation;
}

/** In characters; the page repeats the search. */
const LONGEST_SEARCH = 200;
/** Pictures of the documents; a new version of the node may have others. */
const PICTURE_CACHING = { 'cache-control': 'public, max-age=600' };

/** `GET /docs`: the first page of the documentation, or with `?q=` the sections that have these words. */
export function getDocs(parts: DocsParts): Handler {
  return ({ req }) => {
    const search = parametersOf(req.url).get('q')?.slice(0, LONGEST_SEARCH).trim() ?? '';
    const view = viewOf(parts);
    if (search !== '') {
      return pageAnswer(docsSearchPage(view, search, searchDocuments(parts.documentation, search)));
    }
    const first = parts.documentation.page('');
    return first ? pageAnswer(docsPage(view, first)) : pageAnswer(noDocumentPage(view), { status: 404 });
  };
}

/** `GET /docs/<name>` and `GET /docs/pictures/<name>`. */
export function getDocument(parts: DocsParts): Handler {
  return ({ req }) => {
    const name = withoutTrailingSlashes(req.path.slice('/docs/'.length));
    const picture = name.startsWith('pictures/')
      ? parts.documentation.picture(name.slice('pictures/'.length))
      : undefined;
    if (picture) {
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      return { status: 200, headers: { 'content-type': type, ...PICTURE_CACHING }, body: picture };
    }
    // Whoever reads the Markdown follows a link to the file.
    const page = name === '' ? undefined : parts.documentation.page(name.replace(/\.md$/, '').toLowerCase());
    return page
      ? pageAnswer(docsPage(viewOf(parts), page))
      : pageAnswer(noDocumentPage(viewOf(parts)), { status: 404 });
  };
}

const viewOf = (parts: DocsParts) => ({ node: parts.node(), documentation: parts.documentation });

interface DocsView {
  readonly node: NodeView;
  readonly documentation: Documentation;
}

/** One document, between the menu of all and the search. */
function docsPage(view: DocsView, page: DocumentPage): string {
  return frame(view, page.title, '', page, html`<article class="doc">${raw(page.html)}</article>`);
}

function docsSearchPage(view: DocsView, search: string, hits: readonly Hit[]): string {
  const main = html`<h1>Documentation</h1>
<h2 id="count">${counted(hits.length, 'section')} found</h2>
${hits.length === 0 ? html`<p>Nothing has all of these words. Try fewer of them.</p>` : html`<ol class="hits">${hits.map((hit) => found(view.node, hit))}</ol>`}`;
  return frame(view, `${search} – search`, search, undefined, main);
}

/** The page for an address below /docs that is none. */
function noDocumentPage(view: DocsView): string {
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
  return renderPage({ node, part: 'docs', title, main: body });
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
