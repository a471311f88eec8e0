import { join } from 'node:path';
import { precedenceOf } from '../../src/component/precedence.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { systemClock } from '../../src/lib/clock.js';
import { openLevel } from '../../src/store/level.js';
import { QuadStore } from '../../src/store/quad-store.js';
import { Registry } from '../../src/store/registry.js';

/** The registry in a data directory, as a node opens it. */
export async function openRegistry(data: string): Promise<Registry> {
  return Registry.open(await QuadStore.open(await openLevel(join(data, 'registry'))), {
    baseUrl: 'http://node.example',
    vocabulary: createVocabulary('http://semcom.digita.ai/voc#'),
    precedence: precedenceOf({ pods: [], peers: [] }),
    servedAs: '',
    clock: systemClock,
    random: Math.random,
    log: { warn: (fields, message) => console.warn(message, fields) },
  });
}
