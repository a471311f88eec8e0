import type { Member } from './container.js';

/** How many containers deep a pod is read. */
const MAX_DEPTH = 8;

/** A member that is to be looked at, and how many containers deep it is. */
export interface Found extends Member {
  readonly depth: number;
}

interface CrawlParts {
  /** The pod's URL as configured, and the one that answered. */
  readonly url: string;
  readonly root: string;
  /** Documents that have been read before. */
  readonly known: ReadonlySet<string>;
  /** Documents that are read at most, and containers. */
  readonly maxDocuments: number;
}

/**
 * What one poll finds in a pod: all documents that were read before, and the first new ones for which there is
 * room beside them.
 */
export class Crawl {
  readonly documents = new Set<string>();
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes = new Map<string, string>();
  readonly #containers = new Set<string>();
  readonly #unread = new Set<string>();
  #knownFound = 0;
  #hasMore = false;
  #isCut = false;

  constructor(readonly parts: CrawlParts) {}

  /** Folders that may hold anything: their listing was not read. */
  get unknown(): readonly string[] {
    return this.#isCut ? [this.parts.url, this.parts.root] : [...this.#unread];
  }

  /** Is there nothing left that would be read, or of which it is not known that it is there? */
  get hasAll(): boolean {
    return this.#hasMore && this.#knownFound === this.parts.known.size;
  }

  /** To be told what a container holds; nothing where it is withdrawn. @returns what was not met before */
  opened(container: Pick<Found, 'url' | 'depth'>, members: readonly Member[] = []): Found[] {
    this.#unread.delete(container.url);
    const depth = container.depth + 1;
    return members.filter((member) => this.#takes(member, depth)).map((member) => ({ ...member, depth }));
  }

  #takes({ url, isContainer }: Member, depth: number): boolean {
    const { url: pod, known, maxDocuments } = this.parts;
    if (url === pod || this.documents.has(url) || this.#containers.has(url)) return false;
    const isFull = isContainer
      ? this.#containers.size >= maxDocuments
      : !known.has(url) && known.size + this.documents.size - this.#knownFound >= maxDocuments;
    if (isFull) {
      this.#isCut ||= isContainer === true;
      this.#hasMore ||= !isContainer;
      const others = `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`;
      this.notes.set(pod, others);
      return false;
    }
    if (!isContainer) {
      this.documents.add(url);
      if (known.has(url)) this.#knownFound += 1;
      return true;
    }
    this.#containers.add(url);
    this.#unread.add(url);
    if (depth <= MAX_DEPTH) return true;
    this.notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
    return false;
  }
}
