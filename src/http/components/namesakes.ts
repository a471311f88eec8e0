import type { Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import { descriptionsOf } from '../../registry/page.js';
import { isVersionOf, type Versions, versionsAmong } from '../../web/component/versions.js';

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
  const versions = await catalog.page({ label, source: entry.source.url }, { limit: BOUNDS.versions });
  const isVersion = isVersionOf(entry);
  const breathe = pace();
  const own: Description[] = [];
  for await (const slice of versions.descriptions()) {
    for (const one of slice) {
      if (own.length < BOUNDS.shown && isVersion(one)) own.push(one);
      await breathe();
    }
  }
  const others = await descriptionsOf(await catalog.page({ label }, { limit: BOUNDS.others }));
  return versionsAmong(entry, [...own, ...others.filter((one) => !isVersion(one))]);
}
