import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { indexedValues } from '../../component/canonical-shape.js';
import { shapeFault, shapeName } from '../../component/shape-names.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { componentPath, rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { authorName, isWebAddress, separated, sourceName, time } from '../shell/fragments.js';
import { moduleWords } from '../shell/module-words.js';
import type { Markup } from '../shell/page.js';
import { originBadge, SHIPPED_OFFER } from '../shell/samples.js';
import type { NodeView } from '../shell/view.js';
import {
  isEmpty,
  type ListName,
  type Order,
  orderOf,
  orders,
  type Search,
  searchParameters,
} from './search.js';

/** How many entries one page of results has. */
export const ENTRIES = 50;

/** What a search found. Each version of a component is an entry of its own. */
export interface Results {
  /** Entries on all pages. */
  readonly total: number;
  /** Are the entries in the order that was asked for? Not by names or words when there are too many. */
  readonly isSorted: boolean;
  /** Behind which address the next page begins, where its number does not lead to it. */
  readonly next?: string | undefined;
  /** The entries of this page. */
  readonly shown: readonly Description[];
  /** What is known of the modules of these, each at the same index. */
  readonly looks: readonly (ModuleLook | undefined)[];
  readonly values: Readonly<Record<ListName, ValueCounts>>;
}

/** How many of the matches have each value of a field; the most frequent value first. */
export type ValueCounts = readonly ValueCount[];
export type ValueCount = readonly [value: string, count: number];

export interface ResultsView {
  readonly node: NodeView;
  readonly search: Search;
  readonly results: Results;
}

/** How many there are, in words. */
export function heading({ search, results: { total } }: ResultsView): string {
  const components = counted(total, 'component');
  return isEmpty(search) ? components : `${components} found`;
}

/** The entries of this page, and the ways to the others. */
export function resultList(view: ResultsView): Markup {
  const { node, results } = view;
  if (results.shown.length === 0) return nothing(view);
  return html`${ordering(view)}
<ol class="components">${results.shown.map((description, i) => entry(description, results.looks[i], node))}</ol>
${pages(view)}`;
}

const ORDER_MEANINGS: Readonly<Record<Order, string>> = {
  relevance:
    'First those that have your words in their name, then in tags and shapes. What cannot be shown comes last.',
  name: 'From A to Z by name. Each version of a component is an entry of its own.',
  newest: 'First those that this node first saw as they are most recently.',
};

function ordering({ node, search, results }: ResultsView): Markup {
  const offered = orders(search.q);
  if (offered.length < 2 || results.total < 2) return html``;
  const link = (order: Order) => {
    const address = `${rootPath(node.baseUrl)}/${searchParameters({ ...search, order })}`;
    return order === orderOf(search)
      ? html`<a href="${address}" aria-current="true">${order}</a> `
      : html`<a href="${address}">${order}</a> `;
  };
  return html`<p class="order">By ${offered.map(link)}</p>
${results.isSorted ? html`<p class="hint">${ORDER_MEANINGS[orderOf(search)]}</p>` : html`<p class="hint">These are too many to sort by ${orderOf(search)}: they stand in the order of their addresses. Narrow them down to sort them.</p>`}`;
}

/** Longest name in a list, in characters: no stranger's name fills a screen. */
export const LABEL_LENGTH = 120;
/** Longest value of an entry that is a link, in characters; the page of the component has all of them. */
const LONGEST_LINKED = 256;
/** Most shapes and tags that an entry shows; its page has all of them. */
const SHOWN_VALUES = 8;

function entry(served: Description, look: ModuleLook | undefined, { baseUrl }: NodeView): Markup {
  const { uri, label, version, latest, description, tag, author } = served.metadata;
  const shapes = indexedValues(served.metadata, 'shapes');
  const path = componentPath(baseUrl, uri);
  const link = (name: ListName, value: string, text: string, style: string) => {
    const words = excerpt(text, LABEL_LENGTH);
    // Forty entries of values as long as there may be would be a page of 14 MB.
    if (value.length > LONGEST_LINKED) return html`<span class="${style}">${words}</span>`;
    return html`<a class="${style}" href="${rootPath(baseUrl)}/?${name}=${encodeURIComponent(value)}" title="${value}">${words}</a>`;
  };
  const hidden = Math.max(shapes.length - SHOWN_VALUES, 0) + Math.max(tag.length - SHOWN_VALUES, 0);
  return html`<li><h3><a href="${path}"><bdi>${excerpt(label, LABEL_LENGTH)}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}${latest ? html` <span class="latest">latest</span>` : ''}${originBadge(served)}</h3>
${description ? html`<p>${excerpt(description)}</p>` : ''}
<p class="meta">${shapes.slice(0, SHOWN_VALUES).map((shape) => link('shapes', shape, shapeName(shape), 'shape'))}
${tag.slice(0, SHOWN_VALUES).map((one) => link('tag', one, one, 'tag'))}${hidden > 0 ? html`<a href="${path}">${hidden} more</a>` : ''}</p>
<p class="by">${author.length > 0 ? html`<span>by ${separated(author.slice(0, SHOWN_VALUES).map((one) => link('author', one, authorName(one), 'author')))}</span>` : ''}
<span>${sourceWords(served)}</span>
<span>updated ${time(served.since)}</span>${look ? html`<span>${moduleWords(look)}</span>` : ''}</p>
</li>`;
}

function sourceWords({ source, trust }: Description): string {
  if (source.kind === 'sample') return 'comes with this software';
  if (source.kind !== 'local') return `from ${sourceName(source)}`;
  return trust === 'own' ? 'described on this node' : 'described on the node that this one mirrors';
}

function pages({ node, search, results: { total, next } }: ResultsView): Markup {
  if (total <= ENTRIES) return html``;
  const link = (page: number) => {
    const more = { page: String(page), ...(page > search.page && next !== undefined && { after: next }) };
    return `${rootPath(node.baseUrl)}/${searchParameters(search, more)}`;
  };
  return pageLinks({ page: search.page, size: ENTRIES, of: total, link, isFar: search.after !== '' });
}

export interface PageLinks {
  /** Number of this page, from 1. */
  readonly page: number;
  /** Items on a page. */
  readonly size: number;
  /** Items on all pages. */
  readonly of: number;
  readonly link: (page: number) => string;
  /** Can the page before not be found by its number? */
  readonly isFar?: boolean;
}

/** Where this page stands among all, with links to its neighbours: `Previous  51–100 of 2,000  Next`. */
export function pageLinks({ page, size, of, link, isFar = false }: PageLinks): Markup {
  const [first, last] = [(page - 1) * size + 1, Math.min(page * size, of)];
  const range = `${first.toLocaleString('en')}–${last.toLocaleString('en')} of ${of.toLocaleString('en')}`;
  return html`<nav class="pages" aria-label="More pages">
${page > 1 && !isFar ? html`<a rel="prev" href="${link(page - 1)}">Previous</a>` : html`<span></span>`}
<span>${range}</span>
${last < of ? html`<a rel="next" href="${link(page + 1)}">Next</a>` : html`<span></span>`}
</nav>`;
}

function nothing({ node, search, results }: ResultsView): Markup {
  const root = rootPath(node.baseUrl);
  if (results.total > 0)
    return html`<p>There is no such page of results. <a href="${root}/${searchParameters(search)}">Show the first one</a>.</p>`;
  if (!isEmpty(search)) {
    // A search for an address may be for a component.
    const uri = isWebAddress(search.q) ? `?uri=${encodeURIComponent(search.q)}` : '';
    const fault = search.shapes.map(shapeFault).find((one) => one !== undefined);
    return html`${fault ? html`<p class="alert">There is a shape that nobody can find: ${fault}.</p>` : ''}<p>Nothing matches all of this. <a href="${root}/">Show all components</a>, or ask
<a href="${root}/why${uri}">why a component is not here</a>.</p>`;
  }
  return html`<p>Nobody has described a component here yet. Have you written one? <a href="${root}/publish">Publish it</a>. The operator of this node names
pods and peers in its configuration, and sees <a href="${root}/network">how these sources fare</a>.</p>
${node.shipped ? SHIPPED_OFFER : ''}`;
}
