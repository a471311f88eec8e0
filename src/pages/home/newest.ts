import type { Catalog } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import type { Query } from '../../component/query.js';

/** The matches that were seen in their form most recently, up to so many, the newest first. */
export async function newest(catalog: Catalog, query: Query, count: number): Promise<readonly Description[]> {
  const page = await catalog.page(query);
  let found: Description[] = [];
  for await (const some of page.descriptions()) {
    found.push(...some);
    // So a long page is gone through in one pass, and never held whole.
    if (found.length > 2 * count) found = firstOf(found, count);
  }
  return firstOf(found, count);
}

function firstOf(descriptions: Description[], count: number): Description[] {
  return descriptions.sort((one, other) => other.since - one.since).slice(0, count);
}
