import { isBelow, type Listing, type Member } from './container.js';

/** How many containers deep a pod is read. */
const MAX_DEPTH = 8;

/** A container that could be read, and the URL that answered. */
export interface OpenContainer extends Listing {
  readonly url: string;
}

interface CrawlParts {
  /** The pod's URL as configured. */
  readonly url: string;
  /** Reads a container; else says why it cannot be read, or that all goes that is in it. Undefined: the poll is over. */
  readonly read: (container: string) => Promise<OpenContainer | { note: string } | 'withdrawn' | undefined>;
  /** Documents that have been read before. */
  readonly known: ReadonlySet<string>;
  /** Documents that are read at most, and containers. */
  readonly maxDocuments: number;
}

/**
 * Walks from a pod's container to the containers below it, and gathers what they hold. Documents that are known are always
 * found; of the new ones, as many as there is room for beside them, the first in the order of the walk.
 */
export class Crawl {
  /** Those that are to be read, of which there may be more. */
  readonly documents = new Map<string, Member>();
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes = new Map<string, string>();
  readonly #depths = new Map<string, number>();
  readonly #unread = new Set<string>();
  /** Documents that are known and were not found yet. */
  readonly #missing: Set<string>;
  /** How many new documents may be found. */
  #room: number;
  #found: Member[] = [];
  #hasMore = false;
  #isCut = false;

  constructor(
    readonly root: OpenContainer,
    readonly parts: CrawlParts,
  ) {
    this.#missing = new Set(parts.known);
    this.#room = parts.maxDocuments - parts.known.size;
    this.#add(root, 0);
  }

  /** Folders that may hold anything: their listing was not read. */
  get unknown(): readonly string[] {
    return this.#isCut ? [this.parts.url, this.root.url] : [...this.#unread];
  }

  /**
   * Reads the containers that are wanted and were not tried yet, and what is below them.
   * @param from with which of those that were found before it begins: see `turned`
   * @returns the documents that were found since the last call
   */
  async visit(isWanted: (container: string) => boolean, from = 0): Promise<readonly Member[]> {
    const waiting = turned([...this.#unread], from);
    for (const url of waiting) {
      // There is nothing below that would be read, or of which it is not known that it is there.
      if (this.#hasMore && this.#missing.size === 0) break;
      if (isWanted(url) && !this.notes.has(url)) waiting.push(...(await this.#read(url)));
    }
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** @returns containers that it has not met before */
  async #read(url: string): Promise<readonly string[]> {
    const depth = this.#depths.get(url) ?? 0;
    const tooDeep = { note: `is more than ${MAX_DEPTH} containers deep: what is in it is not read` };
    const read = depth > MAX_DEPTH ? tooDeep : await this.parts.read(url);
    if (read === undefined) return [];
    if (read !== 'withdrawn' && !('url' in read && isBelow(read.url, this.root.url))) {
      this.notes.set(url, 'note' in read ? read.note : `leads to ${read.url}, outside the pod`);
      return [];
    }
    this.#unread.delete(url);
    return read === 'withdrawn' ? [] : this.#add(read, depth);
  }

  #add({ documents, containers }: Listing, depth: number): readonly string[] {
    const { url: pod, maxDocuments } = this.parts;
    for (const member of documents) {
      const isKnown = this.#missing.delete(member.url);
      if (member.url === pod || this.documents.has(member.url)) continue;
      if (isKnown || this.#room > 0) {
        if (!isKnown) this.#room -= 1;
        this.documents.set(member.url, member);
        this.#found.push(member);
      } else this.#hasMore = true;
    }
    const others = containers.map(({ url }) => url).filter((url) => !this.#depths.has(url));
    const news = others.slice(0, maxDocuments - this.#depths.size);
    for (const url of news) {
      this.#depths.set(url, depth + 1);
      this.#unread.add(url);
    }
    this.#isCut ||= news.length < others.length;
    if (this.#hasMore || this.#isCut) {
      const note = `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`;
      this.notes.set(pod, note);
    }
    return news;
  }
}

/** The same items from another one on: so those that never answer do not always stand before the others. */
export function turned<T>(items: readonly T[], from: number): T[] {
  const start = from % Math.max(items.length, 1);
  return [...items.slice(start), ...items.slice(0, start)];
}
