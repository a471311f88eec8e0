import { readFile } from 'node:fs/promises';
import type { Pod } from './pod.js';

interface SampleDocument {
  /** Path below the container, and below test/fixtures/pod. */
  readonly path: string;
  readonly contentType: 'text/turtle' | 'application/ld+json';
  /** The uris of the valid components in it, sorted. */
  readonly components: readonly string[];
  readonly private?: true;
  readonly broken?: true;
}

const MODULES = 'https://components.example.org';

/** Ten documents as authors write them; the fixtures say in comments what is special about each. */
const SAMPLE_DOCUMENTS: readonly SampleDocument[] = [
  turtle('address-book.ttl', ['https://cdn.example.net/semcom/address-book.js']),
  {
    ...turtle('medication-plan.ttl', ['https://health.example.org/components/medication-plan.js']),
    private: true,
  },
  jsonLd('photo-gallery.jsonld', [
    `${MODULES}/audio-player/1.1.0/audio-player.js`,
    `${MODULES}/photo-gallery/3.2.0/photo-gallery.js`,
  ]),
  jsonLd('productivity/bookmarks.jsonld', [`${MODULES}/bookmarks/1.0.3/bookmarks.js`]),
  turtle('productivity/calendar/month-view.ttl', [`${MODULES}/calendar/2.0.0-rc.1/month-view.js`]),
  turtle(
    'profile-card.ttl',
    ['1.0.0', '1.4.2', '2.0.0'].map((version) => `${MODULES}/profile-card/${version}/profile-card.js`),
  ),
  turtle('recipe.ttl', ['https://kitchen.example.com/modules/recipe.js?v=5']),
  jsonLd('task-list.jsonld', [`${MODULES}/task-list/0.9.1/task-list.js`]),
  { ...turtle('weather.ttl', []), broken: true },
  turtle('日記.ttl', ['https://例え.example/部品/日記.js']),
];

/** The uris that everyone may find in the sample pod, in the order of listings. */
export const PUBLIC_COMPONENTS = urisIn(SAMPLE_DOCUMENTS);

/** The same, with what only the owner and her agents may read. */
export const ALL_COMPONENTS = urisIn(SAMPLE_DOCUMENTS, true);

/** Those of the sample documents with these paths, or all. */
export function sampleDocuments(paths?: readonly string[]): readonly SampleDocument[] {
  return SAMPLE_DOCUMENTS.filter(({ path }) => paths?.includes(path) ?? true);
}

/** The uris in documents, in the order of listings: those that everyone may find, or also those that are private. */
export function urisIn(documents: readonly SampleDocument[], withPrivate = false): string[] {
  const found = documents.filter((document) => withPrivate || !document.private);
  return found.flatMap(({ components }) => components).sort();
}

/** Writes the sample documents, or some of them, into a container (a path with a trailing slash), public but for the private one. */
export async function fillPod(
  pod: Pod,
  container: string,
  documents: readonly SampleDocument[] = SAMPLE_DOCUMENTS,
): Promise<void> {
  for (const { path, contentType, ...document } of documents) {
    await pod.put(container + encodeURI(path), await sampleText(path), contentType);
    if (document.private) await pod.makePrivate(container + encodeURI(path));
  }
  await pod.makePublic(container);
}

export function sampleText(path: string): Promise<string> {
  return readFile(new URL(`../../fixtures/pod/${encodeURI(path)}`, import.meta.url), 'utf8');
}

function turtle(path: string, components: readonly string[]): SampleDocument {
  return { path, contentType: 'text/turtle', components };
}

function jsonLd(path: string, components: readonly string[]): SampleDocument {
  return { path, contentType: 'application/ld+json', components };
}
