import type { Quad } from '@rdfjs/types';
import { isBelow, type Listing, type Member, readListing } from './container.js';

/** How many containers deep a pod is read. */
export const MAX_DEPTH = 8;

/** A container's body, or why it was not to be had. */
export type ContainerReading =
  | { readonly kind: 'open'; readonly url: string; readonly quads: readonly Quad[] }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** Left for another time, through no fault of its own. */
  | { readonly kind: 'unread' };

/** What a pod holds, and where that is not known. */
export interface Holdings {
  readonly documents: ReadonlyMap<string, Member>;
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes: ReadonlyMap<string, string>;
  /** Folders whose documents can only be asked for one by one: their listing is withdrawn, or too long. */
  readonly unlisted: readonly string[];
  /** Folders that may hold anything: their listing could not be read. */
  readonly unknown: readonly string[];
}

/** The folder that every document is in. */
export const EVERYWHERE = '';

/** Is a document in one of the folders? Plain comparison: there may be thousands of both. */
export function isIn(folders: readonly string[], url: string): boolean {
  return folders.some((folder) => url.startsWith(folder));
}

export interface Root {
  /** The pod's URL as configured. */
  readonly url: string;
  /** The URL that answered, and what. */
  readonly base: string;
  readonly listing: Listing;
}

/**
 * Walks from a pod's container to the containers below it, at most `MAX_DEPTH` deep and within the bound
 * for documents (which is that for containers, too). In the order of URLs, so that a bound cuts off the
 * same ones each time, whatever order the server lists them in.
 */
export async function crawl(
  root: Root,
  read: (url: string) => Promise<ContainerReading>,
  maxDocuments: number,
): Promise<Holdings> {
  const documents = new Map<string, Member>();
  const notes = new Map<string, string>();
  const unlisted: string[] = [];
  const unknown: string[] = [];
  const waiting: { url: string; depth: number }[] = [];
  const seen = new Set<string>();

  /** False when the bound is reached. */
  const take = (listing: Listing, depth: number): boolean => {
    for (const member of sorted(listing.documents)) {
      if (documents.size === maxDocuments && !documents.has(member.url)) return false;
      documents.set(member.url, member);
    }
    for (const { url } of sorted(listing.containers)) {
      if (seen.size === maxDocuments) return false;
      if (!seen.has(url)) waiting.push({ url, depth: depth + 1 });
      seen.add(url);
    }
    return true;
  };

  let fits = take(root.listing, 0);
  for (let at = 0; fits && at < waiting.length; at++) {
    const { url, depth } = waiting[at] as (typeof waiting)[number];
    if (depth > MAX_DEPTH) {
      notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
      unlisted.push(folder(url));
      continue;
    }
    const reading = await read(url);
    if (reading.kind === 'withdrawn' || reading.kind === 'unread') {
      (reading.kind === 'withdrawn' ? unlisted : unknown).push(folder(url));
      continue;
    }
    const listed = listingOf(reading, root);
    if (typeof listed === 'string') {
      notes.set(url, listed);
      unknown.push(folder(url));
    } else fits = take(listed, depth);
  }
  if (!fits) {
    notes.set(
      root.url,
      `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`,
    );
    unlisted.push(EVERYWHERE);
  }
  return { documents, notes, unlisted, unknown };
}

/**
 * Why a listing is not to be believed. One that names only strangers comes from a server that does not know its
 * own public address; to take it for an empty container would remove everything.
 */
export function listingFault({ documents, containers, others, refused }: Listing): string | undefined {
  if (refused.length === 0 || documents.length + containers.length + others.length > 0) return undefined;
  return `lists only what is not below it (${refused[0]}, …): does the server know its own public URL?`;
}

function listingOf(
  reading: Extract<ContainerReading, { kind: 'open' | 'unreadable' }>,
  root: Root,
): Listing | string {
  if (reading.kind === 'unreadable') return reading.message;
  if (!isBelow(reading.url, root.base)) return `leads to ${reading.url}, outside the pod`;
  const listing = readListing(reading.quads, reading.url);
  return listingFault(listing) ?? listing;
}

function sorted(members: readonly Member[]): Member[] {
  return [...members].sort((one, other) => (one.url < other.url ? -1 : 1));
}

function folder(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
