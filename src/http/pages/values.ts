import { html } from 'hono/html';
import { fold } from '../../component/search-text.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { type Markup, renderPage } from '../../web/page.js';
import { rootPath } from '../../web/view.js';
import { type PageParts, pageAnswer } from '../page-answer.js';
import { FACETS, valueLink } from './finding/facets.js';
import type { SearchResults } from './finding/results.js';
import { pageLinks, type ResultsView, type ValueCount, type ValueCounts } from './finding/results-view.js';
import { isEmpty, LISTS, type ListName, readPage, readSearch, searchParameters } from './finding/search.js';

interface ValuesParts extends PageParts {
  readonly results: SearchResults;
  readonly pace: Pace;
}

/** Longest text that a value is searched by, in characters. */
const LONGEST = 200;

/** `GET /shapes`, `/tags` and `/authors`: every value of a field among the components of a search. */
export function getValues(name: ListName, parts: ValuesParts): Handler {
  return async ({ req }) => {
    const parameters = parametersOf(req.url);
    const search = { ...readSearch(parameters), page: 1 };
    const find = parameters.get('find')?.trim().slice(0, LONGEST) ?? '';
    const results = await parts.results(search, name);
    const found = await matching(results.values[name], nameTest(name, find), parts.pace());
    const page = readPage(parameters);
    return pageAnswer(valuesPage({ node: parts.node(), search, results, name, find, found, page }));
  };
}

async function matching(
  values: ValueCounts,
  isCalled: (value: string) => boolean,
  breathe: Breather,
): Promise<ValueCounts> {
  const found: ValueCount[] = [];
  for (const counted of values) {
    if (isCalled(counted[0])) found.push(counted);
    await breathe();
  }
  return found;
}

/** How many values one page lists. */
const VALUES = 200;

interface ValuesView extends ResultsView {
  readonly name: ListName;
  /** What the name of a value must contain; `''` for all. */
  readonly find: string;
  /** The values for which this is so. */
  readonly found: ValueCounts;
  /** Number of this page, from 1. */
  readonly page: number;
}

/** The pages at `/shapes`, `/tags` and `/authors`: all values that the components of a search have. */
function valuesPage(view: ValuesView): string {
  const { node, search, name, found, page } = view;
  const root = rootPath(node.baseUrl);
  const { plural } = FACETS[name];
  const title = `All ${plural}`;
  const shown = found.slice((page - 1) * VALUES, page * VALUES);
  const main = html`<h1>${title}</h1>
<p class="lead">${isEmpty(search) ? html`Of every component here.` : html`Of the components that <a href="${root}/${searchParameters(search)}">your search</a> finds.`}</p>
${filterForm(view)}
<p class="unseen" role="status" id="announcement"></p>
<p class="alert" id="stale" hidden></p>
<section id="results" aria-labelledby="count"><h2 id="count">${countOf(view)}</h2>
<ul class="facet values">${shown.map((value) => valueLink(root, search, name, value, view.results))}</ul>
${found.length > VALUES ? pageLinks({ page, size: VALUES, of: found.length, link: (number) => linkTo(view, number) }) : ''}
</section>`;
  return renderPage({ node, part: 'components', title, main });
}

/** A test for the values of a field in whose names a text occurs, whatever its case and accents. */
function nameTest(name: ListName, find: string): (value: string) => boolean {
  const wanted = fold(find);
  const { label } = FACETS[name];
  return (value) => fold(label(value)).includes(wanted) || fold(value).includes(wanted);
}

function countOf({ name, find, found: { length } }: ValuesView): string {
  const { title, plural } = FACETS[name];
  const noun = length === 1 ? title.toLowerCase() : plural;
  return `${length.toLocaleString('en')} ${noun}${find === '' ? '' : ' found'}`;
}

function filterForm({ node, search, name, find }: ValuesView): Markup {
  const { plural } = FACETS[name];
  const hidden = [
    ...(search.q === '' ? [] : [['q', search.q] as const]),
    ...LISTS.flatMap((list) => search[list].map((value) => [list, value] as const)),
  ];
  return html`<form class="question search" role="search" action="${rootPath(node.baseUrl)}/${plural}" method="get">
<label for="find">Whose name contains</label>
<div><input id="find" name="find" type="search" value="${find}" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
${hidden.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}<button>Show</button></div>
</form>`;
}

function linkTo({ node, search, name, find }: ValuesView, page: number): string {
  const more = { page: String(page), ...(find && { find }) };
  return `${rootPath(node.baseUrl)}/${FACETS[name].plural}${searchParameters(search, more)}`;
}
