import { canonicalShapes } from '../../component/canonical-shape.js';
import type { Query } from '../../component/query.js';
import { shapeIri, shapesNamed } from '../../component/shape-names.js';
import { LIMITS } from '../../component/values.js';

/** What the search page looks for, by the names of the parameters of `GET /component`. */
export interface Search {
  readonly q: string;
  readonly shapes: readonly string[];
  readonly tag: readonly string[];
  readonly author: readonly string[];
  /** The uri behind which this page of results begins; empty for the first one. */
  readonly after: string;
}

export const LISTS = ['shapes', 'tag', 'author'] as const;
export type ListName = (typeof LISTS)[number];

/** Longest `q`, value and uri, in characters, and number of values in a list: each link on the page repeats all of them. */
const BOUNDS = { search: 200, value: LIMITS.text, uri: LIMITS.uri, values: 8 } as const;

/** Reads the parameters of the page. Ignores unknown parameters, empty fields of the form and values beyond the bounds. */
export function readSearch(parameters: URLSearchParams): Search {
  const isValue = (value: string) => value !== '' && value.length <= BOUNDS.value;
  const list = (name: string) =>
    [...new Set(parameters.getAll(name).filter(isValue))].slice(0, BOUNDS.values);
  return {
    q: parameters.get('q')?.trim().slice(0, BOUNDS.search).trim() ?? '',
    shapes: canonicalShapes([...new Set(list('shapes').map(shapeIri))]),
    tag: list('tag'),
    author: list('author'),
    after: parameters.get('after')?.slice(0, BOUNDS.uri) ?? '',
  };
}

/**
 * A word of `q` that is the IRI or the prefixed name of a shape which some component renders stands for that shape. Where a
 * prefix leads to several such shapes, it stays a word, because a query wants all of its shapes together.
 */
export async function queryOf(
  search: Search,
  isRendered: (shape: string) => Promise<boolean>,
): Promise<Query> {
  const [words, shapes]: [string[], string[]] = [[], [...search.shapes]];
  const meant = search.q.split(/\s+/).map(async (word) => {
    const named = shapesNamed(word);
    const are = await Promise.all(named.map(isRendered));
    return { word, rendered: named.filter((_, i) => are[i]) };
  });
  for (const { word, rendered } of await Promise.all(meant)) {
    if (rendered.length === 1) shapes.push(...rendered);
    else words.push(word);
  }
  const asked = { ...search, shapes };
  const lists = LISTS.filter((name) => asked[name].length > 0).map((name) => [name, asked[name]]);
  return { q: words.join(' ') || undefined, ...Object.fromEntries(lists) };
}

/** The parameters of a search, `?` included, for the page of its results behind `after`; empty when it looks for nothing. */
export function searchParameters(search: Search, after = ''): string {
  const parameters = new URLSearchParams(search.q === '' ? {} : { q: search.q });
  for (const name of LISTS) for (const value of search[name]) parameters.append(name, value);
  if (after !== '') parameters.set('after', after);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The search with a value added to a list, or removed from it when it is there. */
export function toggled(search: Search, name: ListName, value: string): Search {
  const values = search[name];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { ...search, [name]: next };
}

/** Does it look for everything? */
export function isEmpty({ q, shapes, tag, author }: Search): boolean {
  return q === '' && shapes.length + tag.length + author.length === 0;
}
