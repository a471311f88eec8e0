import type { Vocabulary } from '../component/vocabulary.js';
import { cursorOf, cursorText } from '../core/cursor.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import { VERSION } from '../lib/version.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { State } from '../registry/state.js';
import { openShippedSets, type SetName, type ShippedSet } from '../shipped-set.js';
import { openRegistry } from '../store/open-registry.js';
import type { RegistryStore } from '../store/registry-store.js';
import type { Front } from './front.js';
import type { Given } from './given.js';

export interface NodeOptions {
  /** Which sets of components that come with this software it lists; none when absent. */
  readonly shipped?: readonly SetName[];
}

export interface DataParts extends NodeOptions, Pick<Given, 'clock' | 'random' | 'pace' | 'log'> {
  readonly front: Front;
  readonly vocabulary: Vocabulary;
  readonly eventStreams: EventStreams;
}

/** What a node serves. */
export interface NodeData {
  readonly open: OpenRegistry;
  /** Undefined on a mirror, which shows what its peers show. */
  readonly shipped: readonly ShippedSet[] | undefined;
}

/** Loads the registry, and has each of its states shown and told from then on. */
export async function openData(
  store: RegistryStore,
  { front, vocabulary, eventStreams, shipped: wanted = [], clock, random, pace, log }: DataParts,
): Promise<NodeData> {
  const { config } = front;
  const given = { vocabulary, clock, random, pace, log };
  const open = await openRegistry(store, config, {
    ...given,
    version: VERSION,
    onProgress: front.showProgress,
  });
  const { registry, catalog } = open;
  const show = (state: State) => {
    front.show(state);
    eventStreams.moved(cursorText(cursorOf(state)));
  };
  show(await catalog.state());
  catalog.watch(show);
  if (config.mode === 'mirror') return { open, shipped: undefined };
  const parts = { baseUrl: config.baseUrl, vocabulary, registry, packageFolder: PACKAGE_FOLDER };
  return { open, shipped: await openShippedSets(wanted, parts) };
}
