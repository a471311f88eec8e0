import { LIMITS } from '../component/metadata.js';

/** What the search page looks for. The parameters have the same names as those of `GET /component`. */
export interface Search {
  readonly q: string;
  readonly shapes: readonly string[];
  readonly tag: readonly string[];
  readonly author: readonly string[];
}

const LISTS = ['shapes', 'tag', 'author'] as const;

/** Longest `q` and value, in characters, and number of values in a list: each link on the page repeats all of them. */
const BOUNDS = { search: 200, value: LIMITS.text, values: 8 } as const;

/** Reads the parameters of the page. Ignores unknown parameters, empty fields of the form and values beyond the bounds. */
export function readSearch(parameters: URLSearchParams): Search {
  const isValue = (value: string) => value !== '' && value.length <= BOUNDS.value;
  const list = (name: string) =>
    [...new Set(parameters.getAll(name).filter(isValue))].slice(0, BOUNDS.values);
  return {
    q: parameters.get('q')?.trim().slice(0, BOUNDS.search).trim() ?? '',
    shapes: list('shapes'),
    tag: list('tag'),
    author: list('author'),
  };
}

/** The search as a query to the catalog. */
export function queryOf(search: Search): {
  q?: string;
  shapes?: readonly string[];
  tag?: readonly string[];
  author?: readonly string[];
} {
  const lists = LISTS.filter((name) => search[name].length > 0).map((name) => [name, search[name]]);
  return { ...(search.q === '' ? {} : { q: search.q }), ...Object.fromEntries(lists) };
}

/** The parameters of a search, `?` included; empty when it looks for nothing. */
export function searchParameters(search: Search, more: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams(search.q === '' ? {} : { q: search.q });
  for (const name of LISTS) for (const value of search[name]) parameters.append(name, value);
  for (const [name, value] of Object.entries(more)) parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The search with a value added to a list, or removed from it when it is there. */
export function toggled(search: Search, name: (typeof LISTS)[number], value: string): Search {
  const values = search[name];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { ...search, [name]: next };
}

export function isEmpty(search: Search): boolean {
  return searchParameters(search) === '';
}
