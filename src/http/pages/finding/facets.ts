import { html } from 'hono/html';
import { shapeName } from '../../../component/shape-names.js';
import { authorName } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';
import { rootPath } from '../../../web/view.js';
import { type Results, type ResultsView, VALUES, type ValueCount } from './results-view.js';
import { LISTS, type ListName, type Search, searchParameters, toggled } from './search.js';

/** A field by whose values components are narrowed down. */
export interface Facet {
  readonly title: string;
  /** What several of its values are called; also the path of the page that lists all of them. */
  readonly plural: 'shapes' | 'tags' | 'authors';
  /** A value as people read it. */
  readonly label: (value: string) => string;
}

export const FACETS: Readonly<Record<ListName, Facet>> = {
  shapes: { title: 'Shape', plural: 'shapes', label: shapeName },
  tag: { title: 'Tag', plural: 'tags', label: (tag) => tag },
  author: { title: 'Author', plural: 'authors', label: authorName },
};

/** How many values of one field stand beside the results; a page of their own lists all of them. */
const OFFERED = 10;

/** Links that narrow the results down to a shape, a tag or an author, each with the number of matches that it would leave. */
export function facets(view: ResultsView): Markup {
  return html`${LISTS.map((name) => facet(view, name))}`;
}

function facet({ node, search, results }: ResultsView, name: ListName): Markup {
  const values = results.values[name].filter(([value]) => !search[name].includes(value));
  if (values.length === 0) return html``;
  const { title, plural } = FACETS[name];
  const root = rootPath(node.baseUrl);
  const isCut = results.values[name].length === VALUES;
  const all = html`<p><a href="${root}/${plural}${searchParameters(search)}">All ${isCut ? '' : `${values.length.toLocaleString('en')} `}${plural}</a></p>`;
  return html`<section aria-labelledby="facet-${name}"><h2 id="facet-${name}">${title}</h2>
<ul class="facet">${values.slice(0, OFFERED).map((value) => valueLink(root, search, name, value, results))}</ul>
${values.length > OFFERED ? all : ''}</section>`;
}

/** A link to the search with this value. */
export function valueLink(
  root: string,
  search: Search,
  name: ListName,
  [value, count]: ValueCount,
  { areValuesCapped }: Pick<Results, 'areValuesCapped'>,
): Markup {
  return html`<li><a href="${root}/${searchParameters(toggled(search, name, value))}" title="${value}"><span>${FACETS[name].label(value)}</span>
<small>${count.toLocaleString('en')}${areValuesCapped ? '+' : ''}</small></a></li>`;
}
