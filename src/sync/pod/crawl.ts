import { findPodAmong } from '../../core/find-pod.js';
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
 * What one poll finds in a pod: all documents that were read before, and the first new ones for which there
 * is room beside them.
 */
export class Crawl {
  readonly documents = new Set<string>();
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes = new Map<string, string>();
  readonly #containers = new Set<string>();
  readonly #unread = new Set<string>();
  /** Documents that have not been read before nor been chosen yet, as many as could be chosen and one more. */
  readonly #newOnes = new Map<string, Found>();
  #knownFound = 0;
  #isCut = false;

  constructor(readonly parts: CrawlParts) {}

  /** Is there nothing left that would be read, or of which it is not known that it is there? */
  get hasAll(): boolean {
    const { known, maxDocuments } = this.parts;
    return this.#knownFound === known.size && this.documents.size + this.#newOnes.size > maxDocuments;
  }

  /** To be told what a container holds; nothing where it is withdrawn. @returns what is to be looked at now */
  opened(container: Pick<Found, 'url' | 'depth'>, members: readonly Member[] = []): Found[] {
    this.#unread.delete(container.url);
    const depth = container.depth + 1;
    return members.map((member) => ({ ...member, depth })).filter((member) => this.#takes(member));
  }

  /** The new documents for which there is room, once it is known which of the others are gone. */
  chosen(): Found[] {
    const { url: pod, known, maxDocuments } = this.parts;
    const gone = this.#newOnes.size > 0 ? this.vanished(known).length : 0;
    const room = maxDocuments - (known.size - gone) - (this.documents.size - this.#knownFound);
    const chosen = [...this.#newOnes.values()].slice(0, Math.max(room, 0));
    for (const { url } of chosen) {
      this.documents.add(url);
      this.#newOnes.delete(url);
    }
    const others = `holds more than ${maxDocuments} documents; the others are not read (sync.maxDocuments)`;
    if (this.#newOnes.size > 0 || this.#isCut) this.notes.set(pod, others);
    else this.notes.delete(pod);
    return chosen;
  }

  /** Of these documents, those that are neither there nor in a folder that may hold anything. */
  vanished(documents: Iterable<string>): string[] {
    const { url, root } = this.parts;
    const folderOver = findPodAmong(this.#isCut ? [url, root] : this.#unread);
    const isKept = (one: string) => this.documents.has(one) || this.notes.has(one) || folderOver(one);
    return [...documents].filter((one) => !isKept(one));
  }

  #takes(member: Found): boolean {
    const { url, isContainer, depth } = member;
    const { url: pod, known, maxDocuments } = this.parts;
    if (url === pod || this.documents.has(url) || this.#containers.has(url)) return false;
    if (!isContainer) {
      if (known.has(url)) {
        this.documents.add(url);
        this.#knownFound += 1;
        return true;
      }
      if (this.#newOnes.size <= maxDocuments) this.#newOnes.set(url, member);
      return false;
    }
    if (this.#containers.size >= maxDocuments) {
      this.#isCut = true;
      return false;
    }
    this.#containers.add(url);
    this.#unread.add(url);
    if (depth <= MAX_DEPTH) return true;
    this.notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
    return false;
  }
}
