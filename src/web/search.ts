import { LIMITS } from '../component/metadata.js';

/** What the search page looks for. The names are those of `GET /component`, so that either can be read from the other. */
export interface Search {
  readonly q: string;
  readonly shapes: readonly string[];
  readonly tag: readonly string[];
  readonly author: readonly string[];
}

const LISTS = ['shapes', 'tag', 'author'] as const;

/** Characters of `q` and of a value, and values of a list: each link on the page repeats all of them. */
const BOUNDS = { search: 200, value: LIMITS.text, values: 8 } as const;

/** Reads the parameters of the page; what it does not know, and empty fields of its form, say nothing; nor do values beyond the bounds. */
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

/** The search as a query to the catalog; what is not looked for is absent. */
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

/** The same search with a value of a list added, or taken out if it is in. */
export function toggled(search: Search, name: (typeof LISTS)[number], value: string): Search {
  const values = search[name];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { ...search, [name]: next };
}

export function isEmpty(search: Search): boolean {
  return searchParameters(search) === '';
}
