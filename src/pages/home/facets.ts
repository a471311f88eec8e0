import { html } from 'hono/html';
import { shapeName } from '../../component/shape-names.js';
import { rootPath } from '../../http/paths.js';
import { authorName } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import type { ResultsView, ValueCount } from './results-view.js';
import { LISTS, type ListName, type Search, searchParameters, toggled } from './search.js';

/** A field by whose values components are narrowed down. */
export interface Facet {
  readonly title: string;
  /** A value as people read it. */
  readonly label: (value: string) => string;
}

export const FACETS: Readonly<Record<ListName, Facet>> = {
  shapes: { title: 'Shape', label: shapeName },
  tag: { title: 'Tag', label: (tag) => tag },
  author: { title: 'Author', label: authorName },
};

/** How many values of one field stand beside the results: those that most of them have. */
const OFFERED = 20;

/** Links that narrow the results down to a shape, a tag or an author, each with the number of matches that it would leave. */
export function facets(view: ResultsView): Markup {
  return html`${LISTS.map((name) => facet(view, name))}`;
}

function facet({ node, search, results }: ResultsView, name: ListName): Markup {
  const values = results.values[name].filter(([value]) => !search[name].includes(value));
  if (values.length === 0) return html``;
  const root = rootPath(node.baseUrl);
  return html`<section aria-labelledby="facet-${name}"><h2 id="facet-${name}">${FACETS[name].title}</h2>
<ul class="facet">${values.slice(0, OFFERED).map((value) => valueLink(root, search, name, value))}</ul></section>`;
}

/** A link to the search with this value. */
function valueLink(root: string, search: Search, name: ListName, [value, count]: ValueCount): Markup {
  return html`<li><a href="${root}/${searchParameters(toggled(search, name, value))}" title="${value}"><span>${FACETS[name].label(value)}</span>
<small>${count.toLocaleString('en')}</small></a></li>`;
}
