import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import type { SearchResults } from '../finding/results.js';
import type { ValueCount, ValueCounts } from '../finding/results-view.js';
import { type ListName, readPage, readSearch } from '../finding/search.js';
import { nameTest, valuesPage } from './values-view.js';

export interface ValuesParts extends PageParts {
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
