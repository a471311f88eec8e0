import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { address, authorName, isWebAddress } from '../shell/fragments.js';
import { hostOf, type Markup, renderPage } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import type { NodeView } from '../shell/view.js';
import { dataForm } from './data-form.js';
import { FACETS, facets } from './facets.js';
import type { SearchResults } from './results.js';
import { heading, type ResultsView, resultList } from './results-view.js';
import { isEmpty, LISTS, readSearch, searchParameters, toggled } from './search.js';
import { suggestions } from './suggestions.js';

interface HomeParts extends PageParts {
  readonly results: SearchResults;
}

/** `GET /`: the explorer for a browser, links for everything else. */
export function getHome(parts: HomeParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      const headers = { 'content-type': type, vary: 'Accept', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: jsonText(describeLinks(parts.node())) };
    }
    const search = readSearch(parametersOf(c.req.url));
    const results = await parts.results(search, c.pace);
    return pageAnswer(homePage({ node: parts.node(), search, results }));
  };
}

function describeLinks({ baseUrl, version }: NodeView) {
  const links = {
    components: '/component',
    query: '/component/query',
    match: '/match',
    feed: '/feed',
    feedSources: '/feed/sources',
    peers: '/peers',
    storage: '/storage',
    health: '/health',
    status: '/status',
    metrics: '/metrics',
    openapi: '/openapi.json',
    hostLibrary: '/host.js',
  };
  return {
    name: 'component registry node',
    version,
    links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, baseUrl + path])),
  };
}

/** The page at `/`: find a component by words, shape, tag or author, or by the data that it is to show. */
export function homePage(view: ResultsView): string {
  const { node, search, results } = view;
  const title = isEmpty(search) ? 'Components' : `${search.q || 'Components'} – search`;
  const isFound = results.shown.length > 0;
  const main = html`${introduction(view)}
<div class="questions">${searchForm(view)}${isEmpty(search) ? dataForm(node, 'Or begin with your data') : ''}</div>
<p class="alert" id="away" role="alert" hidden></p>
<div class="columns" id="results" data-live>
${isFound ? html`<aside id="facets" aria-label="Narrow down">${facets(view)}</aside>` : ''}
<section aria-labelledby="count">
${suggestions(view)}
<h2 id="count" tabindex="-1">${heading(view)}</h2>
${isFound ? html`<p class="jump"><a href="#facets">Narrow down</a></p>` : ''}
${chosen(view)}
${resultList(view)}
</section>
</div>`;
  return renderPage({ node, part: 'components', title, main, hasResults: true });
}

/** What this is; where the search is for one author alone, who that is. */
function introduction({ node, search }: ResultsView): Markup {
  const [author, ...others] = search.author;
  const isAuthorAlone =
    author !== undefined && others.length + search.shapes.length + search.tag.length === 0;
  if (isAuthorAlone && search.q === '') return authorIntroduction(author);
  if (!isEmpty(search)) {
    return html`<h1 class="quiet">Components on ${hostOf(node.baseUrl)}, or <a href="${rootPath(node.baseUrl)}/data">what renders your data</a></h1>`;
  }
  return html`<h1>Which component renders your data?</h1>
<p class="lead">This registry lists web components, which are programs that show data in a page, by the <em>shape</em> of the data:
what it is about, as a person, an event or a recipe. Their authors describe them in their <em>pods</em>, which are places on the web
for data of one's own. Find one by name or by shape, or begin with your data.</p>`;
}

function authorIntroduction(author: string): Markup {
  return html`<h1>Components by <bdi>${authorName(author)}</bdi></h1>
${isWebAddress(author) ? html`<p class="lead">${address(author)}</p>` : ''}`;
}

function searchForm({ node, search }: ResultsView): Markup {
  const hidden = LISTS.flatMap((name) =>
    search[name].map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  const { order: chosenOrder } = search;
  const order = chosenOrder ? html`<input type="hidden" name="order" value="${chosenOrder}">` : '';
  return html`<form class="question search" role="search" action="${rootPath(node.baseUrl)}/" method="get">
<label for="q">Find a component</label>
<div><input id="q" name="q" type="search" value="${search.q}" aria-describedby="q-hint" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">${hidden}${order}
<button>Search</button></div>
<p class="hint" id="q-hint">Words, tags, authors, or a shape: <code>foaf:Person</code>, or its whole address.</p>
</form>`;
}

/** The chosen shapes, tags and authors, each with a link that removes it from the search. */
function chosen({ node, search }: ResultsView): Markup {
  const values = LISTS.flatMap((name) =>
    search[name].map((value) => ({ name, value, label: FACETS[name].label(value) })),
  );
  if (values.length === 0) return html``;
  const link = ({ name, value, label }: (typeof values)[number]) => html`<li>
<a class="chip on" href="${rootPath(node.baseUrl)}/${searchParameters(toggled(search, name, value))}"
 title="${value}" aria-label="${label}, remove">${label} ×</a></li>`;
  return html`<ul class="chips">${values.map(link)}</ul>`;
}
