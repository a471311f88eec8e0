import type { Catalog, Page } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Pace } from '../../lib/pace.js';
import { isVersionOf, type Versions, versionsAmong } from './version-groups.js';

/**
 * Components with one label that are looked through: from the same source for versions, and from anywhere for others. Of
 * each, `shown` are kept.
 */
const BOUNDS = { versions: 10_000, others: 1000, shown: 1000 } as const;

/**
 * The versions of a component, and the other components of its name. The two are looked for apart, so that nobody pushes
 * the versions out of sight by describing many components of the same name.
 */
export async function findVersions(entry: Description, catalog: Catalog, pace: Pace): Promise<Versions> {
  const { label } = entry.metadata;
  const itself = withMetadata(entry);
  const isVersion = isVersionOf(itself);
  const breathe = pace();
  const found = async (page: Page, isWanted: (one: Description) => boolean): Promise<Description[]> => {
    const wanted: Description[] = [];
    for await (const slice of page.descriptions()) {
      for (const one of slice) {
        const read = wanted.length < BOUNDS.shown ? withMetadata(one) : undefined;
        if (read && isWanted(read)) wanted.push(read);
        await breathe();
      }
    }
    return wanted;
  };
  const versions = await catalog.page({ label, source: entry.source.url }, { limit: BOUNDS.versions });
  const own = await found(versions, isVersion);
  const others = await catalog.page({ label }, { limit: BOUNDS.others });
  return versionsAmong(itself, [...own, ...(await found(others, (one) => !isVersion(one)))]);
}
