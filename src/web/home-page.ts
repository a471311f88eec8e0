import { html } from 'hono/html';
import { shapeName } from '../component/shape-names.js';
import { counted } from '../lib/counted.js';
import type { Description } from '../registry/description.js';
import { facets } from './facets.js';
import { hostOf, type Markup, renderPage } from './page.js';
import { isEmpty, type Search, searchParameters, toggled } from './search.js';
import { componentPath, type NodeView, rootPath } from './view.js';

export interface HomeView {
  readonly node: NodeView;
  readonly search: Search;
  /** Components that match, on all pages. */
  readonly found: number;
  /** The components on this page. */
  readonly entries: readonly Description[];
  /** The `after` parameters of this page and of the next; undefined for the first page, and when there is no next one. */
  readonly after: string | undefined;
  readonly next: string | undefined;
  readonly counts: Readonly<Record<'shapes' | 'tag', ReadonlyMap<string, number>>>;
}

/** The page at `/`: find a component by words, shape, tag or author. */
export function homePage(view: HomeView): string {
  const { node, search } = view;
  const title = isEmpty(search) ? 'Components' : `${search.q || 'Components'} – search`;
  const main = html`<h1 class="quiet">Components on ${hostOf(node.baseUrl)}</h1>
${searchForm(view)}
<p class="unseen" role="status" id="announcement"></p>
<div class="columns" id="results">
<aside id="facets" aria-label="Narrow down">${facets(view)}</aside>
<section aria-labelledby="count">
<h2 id="count">${heading(view)}</h2>
<p class="jump"><a href="#facets">Narrow down</a></p>
${chosen(view)}
${view.entries.length === 0 ? nothing(view) : html`<ul class="components">${view.entries.map((entry) => item(entry, node.baseUrl))}</ul>`}
${pages(view)}
</section>
</div>`;
  return renderPage({ node, part: 'components', title: `${title} – ${hostOf(node.baseUrl)}`, main });
}

function searchForm({ node, search }: HomeView): Markup {
  const hidden = (['shapes', 'tag', 'author'] as const).flatMap((name) =>
    search[name].map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  return html`<form class="search" role="search" action="${rootPath(node.baseUrl)}/" method="get">
<label for="q">Find a component by name, description, tag or author</label>
<div><input id="q" name="q" type="search" value="${search.q}" autocomplete="off" spellcheck="false">${hidden}
<button>Search</button></div>
</form>`;
}

function heading({ node, found, search }: HomeView): string {
  if (node.health === 'loading') return 'Loading';
  return isEmpty(search) ? counted(found, 'component') : `${counted(found, 'component')} found`;
}

/** The chosen shapes, tags and authors, each with a link that removes it from the search. */
function chosen({ node, search }: HomeView): Markup {
  const values = (['shapes', 'tag', 'author'] as const).flatMap((name) =>
    search[name].map((value) => ({ name, value, label: name === 'shapes' ? shapeName(value) : value })),
  );
  if (values.length === 0) return html``;
  const link = ({ name, value, label }: (typeof values)[number]) => html`<li>
<a class="chip on" href="${rootPath(node.baseUrl)}/${searchParameters(toggled(search, name, value))}"
 title="${value}" aria-label="${label}, remove">${label} ×</a></li>`;
  return html`<ul class="chips">${values.map(link)}</ul>`;
}

function nothing({ node, search }: HomeView): Markup {
  const root = rootPath(node.baseUrl);
  if (node.health === 'loading') return html`<p>The node is reading its data. Reload in a moment.</p>`;
  if (!isEmpty(search)) {
    return html`<p>Nothing matches all of this. <a href="${root}/">Show all components</a>.</p>`;
  }
  return html`<p>Nobody has described a component here yet. Add a pod or a peer to the configuration, or
<a href="${root}/network">see how the sources fare</a>.</p>`;
}

function item({ metadata, source }: Description, baseUrl: string): Markup {
  const { uri, label, version, latest, description, tag, shapes } = metadata;
  const root = rootPath(baseUrl);
  return html`<li>
<h3><a href="${componentPath(baseUrl, uri)}"><bdi>${label}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}${latest ? html` <span class="latest">latest</span>` : ''}</h3>
${description ? html`<p>${excerpt(description)}</p>` : ''}
<p class="meta">${shapes.map((shape) => html`<a class="shape" href="${root}/?shapes=${encodeURIComponent(shape)}" title="${shape}">${shapeName(shape)}</a> `)}${tag.map((one) => html`<a class="tag" href="${root}/?tag=${encodeURIComponent(one)}">${one}</a> `)}<span>${source.kind === 'local' ? 'described on this node' : `from ${hostOf(source.url)}`}</span></p>
</li>`;
}

/** The beginning of a text, cut between words. */
function excerpt(text: string, length = 240): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/\s+\S*$/, '')} …`;
}

function pages({ node, search, after, next }: HomeView): Markup {
  if (after === undefined && next === undefined) return html``;
  const root = rootPath(node.baseUrl);
  return html`<nav class="pages" aria-label="Pages of results">
${after === undefined ? '' : html`<a href="${root}/${searchParameters(search)}">First page</a>`}
${next === undefined ? '' : html`<a rel="next" href="${root}/${searchParameters(search, { after: next })}">Next page</a>`}
</nav>`;
}
