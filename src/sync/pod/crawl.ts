import { findPodAmong } from '../../core/find-pod.js';
import { isBelow, type Listing, type Member } from './container.js';

/** How many containers deep a pod is read. */
const MAX_DEPTH = 8;

/** What came of reading a container. `unread`: it is left for another time, through no fault of its own. */
export type ContainerReading =
  | { readonly kind: 'open'; readonly url: string; readonly listing: Listing }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** `withdrawn`: with all that is in it. */
  | { readonly kind: 'withdrawn' | 'unread' };

/** What a pod holds, and where that is not known. */
export interface CrawlResult {
  /** Those that are to be read, of which there may be more. */
  readonly documents: ReadonlyMap<string, Member>;
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes: ReadonlyMap<string, string>;
  /** Folders that may hold anything: their listing was not read. */
  readonly unknown: readonly string[];
}

/** The folder that every document is in. */
export const EVERYWHERE = '';

/** Tells whether a document is in one of the folders. There may be thousands of both. */
export function isIn(folders: readonly string[]): (url: string) => boolean {
  const folderOver = findPodAmong(folders);
  const isAnywhere = folders.includes(EVERYWHERE);
  return (url) => isAnywhere || folderOver(url) !== undefined;
}

export interface Root {
  /** The pod's URL as configured. */
  readonly url: string;
  /** The URL that answered, and what. */
  readonly base: string;
  readonly listing: Listing;
}

interface CrawlParts {
  readonly read: (container: string) => Promise<ContainerReading>;
  /** Documents that have been read before. */
  readonly known: ReadonlySet<string>;
  /** Documents that are read at most, and containers. */
  readonly maxDocuments: number;
}

/**
 * Walks from a pod's container to the containers below it. Documents that are known come before those that are new, so that what
 * is stored does not go because there are too many others; of the new ones, those that come first in the order of the walk are
 * taken, which is the same each time.
 */
export async function crawl(root: Root, { read, known, maxDocuments }: CrawlParts): Promise<CrawlResult> {
  const documents = new Map<string, Member>();
  const newOnes = new Map<string, Member>();
  const notes = new Map<string, string>();
  const unknown: string[] = [];
  /** Containers in the order they are read in; it grows while they are. */
  const waiting = new Map<string, number>();
  let [hasMoreContainers, hasMore] = [false, false];

  const add = (listing: Listing, depth: number) => {
    for (const member of listing.documents) {
      if (known.has(member.url)) documents.set(member.url, member);
      else if (newOnes.size <= maxDocuments) newOnes.set(member.url, member);
    }
    for (const { url } of listing.containers) {
      if (waiting.has(url)) continue;
      if (waiting.size < maxDocuments) waiting.set(url, depth + 1);
      else hasMoreContainers = true;
    }
  };
  const isFull = () => documents.size === known.size && known.size + newOnes.size > maxDocuments;

  add(root.listing, 0);
  for (const [url, depth] of waiting) {
    // There is nothing below that would be read, or of which it is not known that it is there.
    if (isFull()) break;
    if (depth > MAX_DEPTH) {
      notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
      continue;
    }
    const reading = await read(url);
    const isInside = reading.kind === 'open' && isBelow(reading.url, root.base);
    if (isInside) add(reading.listing, depth);
    else if (reading.kind !== 'withdrawn') unknown.push(url.endsWith('/') ? url : `${url}/`);
    if (reading.kind === 'unreadable') notes.set(url, reading.message);
    if (reading.kind === 'open' && !isInside) notes.set(url, `leads to ${reading.url}, outside the pod`);
  }
  for (const [url, member] of newOnes) {
    if (documents.size < maxDocuments) documents.set(url, member);
    else hasMore = true;
  }
  if (hasMoreContainers) unknown.push(EVERYWHERE);
  if (hasMore || hasMoreContainers) {
    const note = `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`;
    notes.set(root.url, note);
  }
  return { documents, notes, unknown };
}
