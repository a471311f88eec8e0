import type { Metadata } from '../../src/component/metadata.js';
import { precedenceOf } from '../../src/component/precedence.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { systemClock } from '../../src/lib/clock.js';
import type { Level } from '../../src/store/level.js';
import { QuadStore } from '../../src/store/quad-store.js';
import { Registry, type RegistryOptions } from '../../src/store/registry.js';
import { PLACES } from './stores.js';

export const VOCABULARY = createVocabulary('http://semcom.digita.ai/voc#');
export const BASE_URL = 'http://node.example';

/** A component, with what the test does not care about filled in. */
export function component(name: string, more: Partial<Metadata> = {}): Metadata {
  return { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [], ...more };
}

export function registryOptions(more: Partial<RegistryOptions> = {}): RegistryOptions {
  return {
    baseUrl: BASE_URL,
    vocabulary: VOCABULARY,
    precedence: precedenceOf({ pods: [], peers: [] }),
    servedAs: '',
    clock: systemClock,
    random: () => 0.5,
    log: { warn: () => undefined },
    ...more,
  };
}

export async function openRegistry(level: Level, more: Partial<RegistryOptions> = {}): Promise<Registry> {
  return Registry.open(await QuadStore.open(level), registryOptions(more));
}

/** A registry that is gone with the test. */
export async function memoryRegistry(more: Partial<RegistryOptions> = {}): Promise<Registry> {
  const place = await (PLACES.memory as () => Promise<{ open(): Promise<Level> }>)();
  return openRegistry(await place.open(), more);
}
