import { html } from 'hono/html';
import { shapeName } from '../component/shape-names.js';
import { compareText } from '../lib/compare-text.js';
import type { Markup } from './page.js';
import { type Search, searchParameters, toggled } from './search.js';
import { type NodeView, rootPath } from './view.js';

/** How many values of one field are offered; all others can be searched for. */
const OFFERED = 12;

export interface FacetsView {
  readonly node: NodeView;
  readonly search: Search;
  readonly counts: Readonly<Record<'shapes' | 'tag', ReadonlyMap<string, number>>>;
}

/** Links that narrow the results down to a shape or a tag, each with the number of results that it would leave. */
export function facets(view: FacetsView): Markup {
  return html`${facet(view, 'shapes', 'Shape', shapeName)}${facet(view, 'tag', 'Tag', (tag) => tag)}`;
}

function facet(
  { node, search, counts }: FacetsView,
  field: 'shapes' | 'tag',
  title: string,
  label: (value: string) => string,
): Markup {
  const offered = mostFrequent(counts[field], search[field]);
  if (offered.length === 0) return html``;
  const choice = ([value, count]: readonly [string, number]) => html`<li>
<a href="${rootPath(node.baseUrl)}/${searchParameters(toggled(search, field, value))}" title="${value}"><span>${label(value)}</span>
<small>${count.toLocaleString('en')}</small></a></li>`;
  return html`<h2>${title}</h2><ul class="facet">${offered.map(choice)}</ul>`;
}

/** The most frequent values, without those that are chosen already. */
export function mostFrequent(
  counts: ReadonlyMap<string, number>,
  chosen: readonly string[],
): (readonly [string, number])[] {
  return [...counts]
    .filter(([value]) => !chosen.includes(value))
    .sort(([one, n], [other, m]) => m - n || compareText(one, other))
    .slice(0, OFFERED);
}
