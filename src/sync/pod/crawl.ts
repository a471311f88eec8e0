import { isBelow, type Listing, type Member } from './container.js';

/** How many containers deep a pod is read. */
const MAX_DEPTH = 8;

/** A container that could be read, and the URL that answered. */
export interface OpenContainer {
  readonly url: string;
  readonly listing: Listing;
}

/** Why a container could not be read: `note` says what is wrong with it, `withdrawn` that all goes that is in it. */
export interface ClosedContainer {
  readonly note?: string;
  readonly isWithdrawn?: boolean;
}

/** What a pod holds, and where that is not known. */
export interface CrawlResult {
  /** Those that are to be read, of which there may be more. */
  readonly documents: ReadonlyMap<string, Member>;
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes: ReadonlyMap<string, string>;
  /** Folders that may hold anything: their listing was not read. */
  readonly unknown: readonly string[];
}

interface CrawlParts {
  /** The pod's URL as configured. */
  readonly url: string;
  readonly read: (container: string) => Promise<OpenContainer | ClosedContainer>;
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
export async function crawl(
  root: OpenContainer,
  { url: pod, read, known, maxDocuments }: CrawlParts,
): Promise<CrawlResult> {
  const documents = new Map<string, Member>();
  const newOnes = new Map<string, Member>();
  const notes = new Map<string, string>();
  const unknown: string[] = [];
  /** Containers and their depth, in the order in which they are read; it grows while they are. */
  const waiting = new Map<string, number>();
  let hasMore = false;
  const add = (listing: Listing, depth: number) => {
    for (const member of listing.documents) {
      if (known.has(member.url)) documents.set(member.url, member);
      else if (newOnes.size <= maxDocuments) newOnes.set(member.url, member);
    }
    for (const { url } of listing.containers) {
      if (waiting.has(url)) continue;
      if (waiting.size < maxDocuments) waiting.set(url, depth + 1);
      else hasMore = true;
    }
  };
  add(root.listing, 0);
  for (const [url, depth] of waiting) {
    // There is nothing below that would be read, or of which it is not known that it is there.
    if (documents.size === known.size && known.size + newOnes.size > maxDocuments) break;
    if (depth > MAX_DEPTH) {
      notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
      continue;
    }
    const reading = await read(url);
    if ('listing' in reading && isBelow(reading.url, root.url)) {
      add(reading.listing, depth);
      continue;
    }
    const closed = 'listing' in reading ? { note: `leads to ${reading.url}, outside the pod` } : reading;
    if (closed.note !== undefined) notes.set(url, closed.note);
    if (!('isWithdrawn' in closed)) unknown.push(url);
  }
  if (hasMore) unknown.push(pod, root.url);
  for (const [url, member] of newOnes) {
    if (documents.size < maxDocuments) documents.set(url, member);
    else hasMore = true;
  }
  if (hasMore)
    notes.set(pod, `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`);
  return { documents, notes, unknown };
}
