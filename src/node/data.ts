import type { State } from '../catalog/catalog.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { cursorOf, cursorText } from '../core/cursor.js';
import type { EventStreams } from '../http/feed/event-streams.js';
import type { Place } from '../keep/keep.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import { VERSION } from '../lib/version.js';
import { openConfiguredRegistry } from '../registry/open-registry.js';
import { openShippedSets, type SetName } from '../shipped-set.js';
import type { Front } from './front.js';
import type { Given } from './given.js';

export interface NodeOptions {
  /** Which sets of components that come with this software it lists; none when absent. */
  readonly shipped?: readonly SetName[];
}

interface DataParts extends NodeOptions, Pick<Given, 'clock' | 'pace' | 'log'> {
  readonly front: Front;
  readonly vocabulary: Vocabulary;
  readonly eventStreams: EventStreams;
  /** Told how to close what has been opened. */
  readonly closing: (close: () => Promise<void>) => Promise<void>;
}

/** What a node serves. */
export type NodeData = Awaited<ReturnType<typeof openData>>;

/** Loads the registry, and has each of its states shown and told from then on. */
export async function openData(
  place: Place,
  { front, vocabulary, eventStreams, closing, shipped: wanted = [], clock, pace, log }: DataParts,
) {
  const { config } = front;
  const keep = await place.keep('registry');
  const open = await openConfiguredRegistry(keep, config, {
    ...{ clock, pace, log },
    version: VERSION,
    isShared: place.isShared,
    isQuadstore: place.isQuadstore,
    onProgress: front.showProgress,
  });
  const { registry, catalog } = open;
  await closing(() => registry.close());
  const show = (state: State) => {
    front.show(state);
    eventStreams.moved(cursorText(cursorOf(state)));
  };
  show(await catalog.state());
  catalog.watch(show);
  const parts = { baseUrl: config.baseUrl, vocabulary, registry, packageFolder: PACKAGE_FOLDER };
  // A mirror shows what its peers show.
  const shipped = config.mode === 'mirror' ? undefined : await openShippedSets(wanted, parts);
  // The registry is stored in the keep.
  return { open, keep, shipped };
}
