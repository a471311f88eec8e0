import type { Vocabulary } from '../component/vocabulary.js';
import { Samples } from '../demo/samples.js';
import { Starter } from '../demo/starter.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import { stateTeller } from '../http/feed/event-streams.js';
import { ListScopes } from '../http/network/list-scopes.js';
import { explain } from '../lib/faults.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import { VERSION } from '../lib/version.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { State } from '../registry/state.js';
import { openRegistry } from '../store/open-registry.js';
import type { RegistryStore } from '../store/registry-store.js';
import type { Front } from './front.js';
import type { Given } from './given.js';

export interface NodeOptions {
  /** Does the node show samples? When absent, it does if it did before, see `Samples.open`. */
  readonly demo?: boolean;
  /** Does it show the starter set? The same holds. */
  readonly starter?: boolean;
}

export interface DataParts extends NodeOptions, Pick<Given, 'clock' | 'random' | 'pace' | 'log'> {
  readonly front: Front;
  readonly vocabulary: Vocabulary;
  readonly eventStreams: EventStreams;
}

/** What a node serves. */
export interface NodeData {
  readonly open: OpenRegistry;
  readonly listScopes: ListScopes;
  /** Absent on a mirror, which shows what its peers show. */
  readonly samples: Samples | undefined;
  readonly starter: Starter | undefined;
}

/** Loads the registry, and has each of its states shown and told from then on. */
export async function openData(
  store: RegistryStore,
  { front, vocabulary, eventStreams, demo, starter: wanted, clock, random, pace, log }: DataParts,
): Promise<NodeData> {
  const { config } = front;
  const given = { vocabulary, clock, random, pace, log };
  const open = await openRegistry(store, config, {
    ...given,
    version: VERSION,
    onProgress: front.showProgress,
  });
  const { registry, catalog } = open;
  const listScopes = new ListScopes(catalog);
  const tell = stateTeller(eventStreams, listScopes);
  const show = (state: State) => {
    front.show(state);
    tell(state).catch((error) =>
      log.warn({ error: explain(error) }, 'followers could not be told of a change'),
    );
  };
  show(await catalog.state());
  catalog.watch(show);
  if (config.mode === 'mirror') return { open, listScopes, samples: undefined, starter: undefined };
  const parts = { config, vocabulary, registry, packageFolder: PACKAGE_FOLDER };
  const [samples, starter] = [new Samples(parts), new Starter(parts)];
  await samples.open(demo === true);
  await starter.open(wanted === true);
  return { open, listScopes, samples, starter };
}
