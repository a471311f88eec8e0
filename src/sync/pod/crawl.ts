import { findPodAmong } from '../../core/find-pod.js';
import { compareText } from '../../lib/compare-text.js';
import { isBelow, type Listing, type Member } from './container.js';

/** How many containers deep a pod is read. */
export const MAX_DEPTH = 8;

/** A container's body, or why it was not to be had. */
export type ContainerReading =
  | { readonly kind: 'open'; readonly url: string; readonly listing: Listing }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** Left for another time, through no fault of its own. */
  | { readonly kind: 'unread' };

/** What a pod holds, and where that is not known. */
export interface CrawlResult {
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

/**
 * Walks from a pod's container to the containers below it, at most `MAX_DEPTH` deep and within the bound
 * for documents (which is that for containers, too). In the order of URLs, so that a bound cuts off the
 * same ones each time, whatever order the server lists them in.
 */
export async function crawl(
  root: Root,
  read: (url: string) => Promise<ContainerReading>,
  maxDocuments: number,
): Promise<CrawlResult> {
  const result = new Crawl(root, maxDocuments);
  result.add(root.listing, 0);
  for (const { url, depth } of result.waiting) {
    if (result.full) break;
    if (depth > MAX_DEPTH) result.leaveOut(url);
    else result.open(url, depth, await read(url));
  }
  return result;
}

/** A crawl under way, with what it has found so far. */
class Crawl implements CrawlResult {
  readonly documents = new Map<string, Member>();
  readonly notes = new Map<string, string>();
  readonly unlisted: string[] = [];
  readonly unknown: string[] = [];
  /** Containers in the order they are read in; it grows while they are. */
  readonly waiting: { readonly url: string; readonly depth: number }[] = [];
  readonly #seen = new Set<string>();
  #full = false;

  constructor(
    readonly root: Root,
    readonly maxDocuments: number,
  ) {}

  /** Is there more than the bound allows? */
  get full(): boolean {
    return this.#full;
  }

  open(url: string, depth: number, reading: ContainerReading): void {
    if (reading.kind === 'withdrawn') this.unlisted.push(folderOf(url));
    else if (reading.kind === 'unread') this.unknown.push(folderOf(url));
    else {
      const listed = listingOf(reading, this.root);
      if (typeof listed === 'string') this.#cannotRead(url, listed);
      else this.add(listed, depth);
    }
  }

  add({ documents, containers }: Listing, depth: number): void {
    for (const member of sorted(documents)) {
      if (this.#fits(this.documents, member)) this.documents.set(member.url, member);
    }
    for (const member of sorted(containers)) {
      if (this.#seen.has(member.url) || !this.#fits(this.#seen, member)) continue;
      this.#seen.add(member.url);
      this.waiting.push({ url: member.url, depth: depth + 1 });
    }
  }

  leaveOut(url: string): void {
    this.notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
    this.unlisted.push(folderOf(url));
  }

  #cannotRead(url: string, why: string): void {
    this.notes.set(url, why);
    this.unknown.push(folderOf(url));
  }

  /** Is there room for one more? The first one without it is the end of the crawl. */
  #fits(found: { size: number; has(url: string): boolean }, { url }: Member): boolean {
    if (found.has(url) || found.size < this.maxDocuments) return true;
    if (!this.#full) {
      this.#full = true;
      const note = `holds more than ${this.maxDocuments} documents; the others are not read (sync.maxDocuments)`;
      this.notes.set(this.root.url, note);
      this.unlisted.push(EVERYWHERE);
    }
    return false;
  }
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
  return listingFault(reading.listing) ?? reading.listing;
}

function sorted(members: readonly Member[]): Member[] {
  return [...members].sort((one, other) => compareText(one.url, other.url));
}

function folderOf(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
