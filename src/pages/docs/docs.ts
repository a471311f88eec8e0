import { html, raw } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import type { Handler } from '../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { type Markup, renderPage } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import type { NodeView } from '../shell/view.js';
import type { Documentation, DocumentPage } from './documentation.js';

export interface DocsParts extends PageParts {
  readonly documentation: Documentation;
}

/** Pictures of the documents; a new version of the node may have others. */
const PICTURE_CACHING = { 'cache-control': 'public, max-age=600' };

/** `GET /docs`, the first page of the documentation, `GET /docs/<name>` and `GET /docs/pictures/<name>`. */
export function getDocument({ node, documentation }: DocsParts): Handler {
  return ({ req }) => {
    const name = withoutTrailingSlashes(req.path.slice('/docs/'.length));
    const picture = name.startsWith('pictures/')
      ? documentation.picture(name.slice('pictures/'.length))
      : undefined;
    if (picture) {
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      return { status: 200, headers: { 'content-type': type, ...PICTURE_CACHING }, body: picture };
    }
    // Whoever reads the Markdown follows a link to the file.
    const wanted = name.replace(/\.md$/, '').toLowerCase();
    const pages = documentation.pages();
    const page = pages.find((one) => one.name === wanted);
    return page
      ? pageAnswer(docsPage(node(), pages, page))
      : pageAnswer(noDocumentPage(node(), pages), { status: 404 });
  };
}

/** One document, beside the menu of all. */
function docsPage(node: NodeView, pages: readonly DocumentPage[], page: DocumentPage): string {
  // Code and other text have no quotes as they are: what is replaced are links.
  const linked = page.html.replaceAll('="/docs', `="${rootPath(node.baseUrl)}/docs`);
  const main = html`<article class="doc">${raw(linked)}</article>`;
  return frame(node, pages, { title: page.title, main, current: page });
}

/** The page for an address below /docs that is none. */
function noDocumentPage(node: NodeView, pages: readonly DocumentPage[]): string {
  const main = html`<h1>No such page</h1><p>The documentation has no page of this name. It may have been called otherwise in another version.</p>`;
  return frame(node, pages, { title: 'No such page', main });
}

interface Shown {
  readonly title: string;
  readonly main: Markup;
  readonly current?: DocumentPage;
}

function frame(node: NodeView, pages: readonly DocumentPage[], { title, main, current }: Shown): string {
  const body = html`<div class="columns docs">
<aside><nav id="documents" aria-label="Documents"><ul>${pages.map((page) => entry(node, page, page === current))}</ul></nav></aside>
<div>
<p class="jump"><a href="#documents">All documents</a></p>
${main}
</div>
</div>`;
  return renderPage({ node, part: 'docs', title, main: body });
}

/** A document in the menu; below the one that is shown, its sections. */
function entry({ baseUrl }: NodeView, { name, title, sections }: DocumentPage, isCurrent: boolean): Markup {
  const path = `${rootPath(baseUrl)}/docs${name === '' ? '' : `/${name}`}`;
  const words = name === '' ? 'Overview' : title;
  if (!isCurrent) return html`<li><a href="${path}">${words}</a></li>`;
  const own = sections.filter(({ depth }) => depth === 2);
  return html`<li><a href="${path}" aria-current="page">${words}</a>
<ul>${own.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></li>`;
}
