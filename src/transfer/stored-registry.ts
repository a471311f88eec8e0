import { NO_FEED } from '../catalog/catalog.js';
import { ComponentCatalog } from '../catalog/component-catalog.js';
import { sourceKey } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { precedenceOf } from '../core/precedence.js';
import { KeepDamaged } from '../keep/faults.js';
import type { Keep } from '../keep/keep.js';
import type { Pace } from '../lib/pace.js';
import type { Serving } from '../registry/commit-contents.js';
import { type Loaded, load, type Showing } from '../registry/load.js';
import { refuseOtherSchema } from '../registry/open-registry.js';
import { RegistryData } from '../registry/registry-data.js';
import type { Content } from './content.js';

export interface StoredRegistry extends Omit<Content, 'connections'> {
  /** How nodes have shown it last. */
  readonly serving: Serving;
}

const NOBODY: Serving = {
  baseUrl: 'urn:nobody',
  namespace: 'urn:nobody#',
  former: [],
  servedAs: '',
  order: { pods: [], peers: [] },
};

/**
 * Reads one state of a registry, as nodes have shown it last. Unlike a start it writes nothing: what is stored is neither brought
 * up to date with a configuration, nor restored.
 * @param where in messages
 * @returns `undefined` where no node has stored anything
 * @throws KeepDamaged, also where statements are missing; KeepUnusable, KeepUnavailable
 */
export async function readRegistry(
  keep: Keep,
  { pace, where }: { readonly pace: Pace; readonly where: string },
): Promise<StoredRegistry | undefined> {
  const loaded = await load({ keep, pace, showing: (stored = NOBODY) => showingOf(stored) });
  refuseOtherSchema(loaded);
  const { meta, serving } = loaded;
  refuseLoss(loaded, where);
  if (!meta || !serving) return undefined;
  const data = dataOf({ ...loaded, meta, serving }, pace);
  const stored = [...data.held.all()].map((held) =>
    data.held.stored(held, ({ key }) => data.catalog.document(key).said.length),
  );
  return {
    serving,
    registry: { sources: async () => stored },
    catalog: data.catalog,
    pins: { list: async (request) => data.held.pins.list(request, pace()) },
  };
}

function showingOf({ baseUrl, namespace, order }: Serving): Showing {
  return { naming: { baseUrl, vocabulary: createVocabulary(namespace) }, precedence: precedenceOf(order) };
}

function dataOf(loaded: Loaded & Pick<RegistryData, 'meta' | 'serving'>, pace: Pace): RegistryData {
  const { meta, serving, head, network } = loaded;
  const catalog = new ComponentCatalog(showingOf(serving).naming, pace, {
    revision: { epoch: head.epoch, ...meta.revision },
    networkRevision: { epoch: head.epoch, ...meta.networkRevision },
    feed: NO_FEED,
    network,
  });
  catalog.load(loaded.contents);
  const data = new RegistryData(catalog, loaded, pace);
  data.show();
  return data;
}

/** A node would read them again from their source, and so shall it be before somebody takes the file for a backup. */
function refuseLoss({ losses: [loss] }: Loaded, where: string): void {
  if (!loss) return;
  const { source, expected, found } = loss;
  throw new KeepDamaged(
    where,
    `the statements of ${sourceKey(source)} are not those that were stored (${found} instead of ${expected})`,
  );
}
