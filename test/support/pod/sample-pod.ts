import { readFile } from 'node:fs/promises';
import type { Pod } from './pod.js';

const MODULES = 'https://components.example.org';
/** Only its owner and her agents may read it. */
const PRIVATE = 'medication-plan.ttl';

/**
 * Ten documents as authors write them, and the uris of the valid components in each, by their paths below the container, and below
 * test/fixtures/pod. The fixtures say in comments what is special about each; one is broken.
 */
const SAMPLE_DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  'address-book.ttl': ['https://cdn.example.net/semcom/address-book.js'],
  [PRIVATE]: ['https://health.example.org/components/medication-plan.js'],
  'photo-gallery.jsonld': ['audio-player/1.1.0/audio-player.js', 'photo-gallery/3.2.0/photo-gallery.js'].map(
    (path) => `${MODULES}/${path}`,
  ),
  'productivity/bookmarks.jsonld': [`${MODULES}/bookmarks/1.0.3/bookmarks.js`],
  'productivity/calendar/month-view.ttl': [`${MODULES}/calendar/2.0.0-rc.1/month-view.js`],
  'profile-card.ttl': ['1.0.0', '1.4.2', '2.0.0'].map(
    (version) => `${MODULES}/profile-card/${version}/profile-card.js`,
  ),
  'recipe.ttl': ['https://kitchen.example.com/modules/recipe.js?v=5'],
  'task-list.jsonld': [`${MODULES}/task-list/0.9.1/task-list.js`],
  'weather.ttl': [],
  '日記.ttl': ['https://例え.example/部品/日記.js'],
};
const PATHS = Object.keys(SAMPLE_DOCUMENTS);

/** The uris that everyone may find in the sample pod, in the order of listings. */
export const PUBLIC_COMPONENTS = urisIn(PATHS.filter((path) => path !== PRIVATE));

/** The same, with what only the owner and her agents may read. */
export const ALL_COMPONENTS = urisIn(PATHS);

/** The uris in sample documents, in the order of listings. */
export function urisIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => SAMPLE_DOCUMENTS[path] ?? []).sort();
}

/** Writes sample documents into a container (a path with a trailing slash), public but for the private one. */
export async function fillPod(pod: Pod, container: string, paths: readonly string[] = PATHS): Promise<void> {
  for (const path of paths) {
    const type = path.endsWith('.ttl') ? 'text/turtle' : 'application/ld+json';
    await pod.put(container + encodeURI(path), await sampleText(path), type);
    if (path === PRIVATE) await pod.makePrivate(container + path);
  }
  await pod.makePublic(container);
}

export function sampleText(path: string): Promise<string> {
  return readFile(new URL(`../../fixtures/pod/${encodeURI(path)}`, import.meta.url), 'utf8');
}
