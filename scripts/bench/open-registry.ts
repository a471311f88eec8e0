import { join } from 'node:path';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { Registry } from '../../src/registry/registry.js';
import { openDiskStore } from '../../src/store/disk/disk-store.js';

/** The registry in a data directory, as a node opens it. */
export async function openRegistry(data: string): Promise<Registry> {
  const store = await openDiskStore(join(data, 'registry'), { clock: systemClock, pace: systemPace });
  const { registry } = await store.load({
    baseUrl: 'http://node.example',
    vocabulary: createVocabulary('http://semcom.digita.ai/voc#'),
    precedence: precedenceOf({ pods: [], peers: [] }),
    servedAs: '',
    clock: systemClock,
    random: Math.random,
    pace: systemPace,
    log: console,
  });
  return registry;
}
