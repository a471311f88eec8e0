import { canonicalShapes } from '../../component/canonical-shape.js';
import { shapeIri } from '../../component/shape-names.js';
import { LIMITS } from '../../component/values.js';

/** What the search page looks for. The first four have the names of the parameters of `GET /component`. */
export interface Search {
  readonly q: string;
  readonly shapes: readonly string[];
  readonly tag: readonly string[];
  readonly author: readonly string[];
  /** The order that the visitor has chosen; `orderOf` says which one that makes. */
  readonly order: Order | undefined;
  /** Number of the page of results, from 1. */
  readonly page: number;
  /** Behind which address it begins, where that is known; else empty. */
  readonly after: string;
}

/** What results can be sorted by. */
export const ORDERS = ['relevance', 'name', 'newest'] as const;
export type Order = (typeof ORDERS)[number];

export const LISTS = ['shapes', 'tag', 'author'] as const;
export type ListName = (typeof LISTS)[number];

/** Longest `q` and value, in characters, and number of values in a list: each link on the page repeats all of them. */
const BOUNDS = { search: 200, value: LIMITS.text, values: 8, page: 1_000_000 } as const;

/** Reads the parameters of the page. Ignores unknown parameters, empty fields of the form and values beyond the bounds. */
export function readSearch(parameters: URLSearchParams): Search {
  const isValue = (value: string) => value !== '' && value.length <= BOUNDS.value;
  const list = (name: string) =>
    [...new Set(parameters.getAll(name).filter(isValue))].slice(0, BOUNDS.values);
  const q = parameters.get('q')?.trim().slice(0, BOUNDS.search).trim() ?? '';
  return {
    q,
    shapes: canonicalShapes([...new Set(list('shapes').map(shapeIri))]),
    tag: list('tag'),
    author: list('author'),
    order: ORDERS.find((one) => one === parameters.get('order')),
    page: readPage(parameters),
    after: parameters.get('after') ?? '',
  };
}

/** The `page` of the parameters, from 1; 1 where it is no such number. */
export function readPage(parameters: URLSearchParams): number {
  const page = Number(parameters.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= BOUNDS.page ? page : 1;
}

/** The orders that a search can have: how well a component fits can be told only where there are words. */
export function orders(q: string): readonly Order[] {
  return q === '' ? ORDERS.filter((order) => order !== 'relevance') : ORDERS;
}

/** The order of a search: the one that was chosen if it is possible, else the usual one. */
export function orderOf({ q, order }: Pick<Search, 'q' | 'order'>): Order {
  if (order !== undefined && orders(q).includes(order)) return order;
  return q === '' ? 'name' : 'relevance';
}

export function queryOf(search: Search): {
  q?: string;
  shapes?: readonly string[];
  tag?: readonly string[];
  author?: readonly string[];
} {
  const lists = LISTS.filter((name) => search[name].length > 0).map((name) => [name, search[name]]);
  return { q: search.q || undefined, ...Object.fromEntries(lists) };
}

/**
 * The parameters of a search, `?` included; empty when it looks for nothing. They lead to the first page of it, unless
 * `more` says otherwise.
 */
export function searchParameters(search: Search, more: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams(search.q === '' ? {} : { q: search.q });
  for (const name of LISTS) for (const value of search[name]) parameters.append(name, value);
  const { q, order } = search;
  if (order !== undefined && order !== orderOf({ q, order: undefined })) parameters.set('order', order);
  for (const [name, value] of Object.entries(more)) parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The search with a value added to a list, or removed from it when it is there. */
export function toggled(search: Search, name: ListName, value: string): Search {
  const values = search[name];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { ...search, [name]: next };
}

/** Does it look for everything, in whatever order? */
export function isEmpty({ q, shapes, tag, author }: Search): boolean {
  return q === '' && shapes.length + tag.length + author.length === 0;
}
