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

/** What one poll finds in a pod: documents that were read before, and new ones as long as there is room. */
export class Crawl {
  /** Documents that are there, and read. */
  readonly documents = new Set<string>();
  /** Why a container was not read, or not whole, by its URL. */
  readonly notes = new Map<string, string>();
  readonly #containers = new Set<string>();
  /** Containers of which it is not known what they hold. */
  readonly #unread = new Set<string>();
  /** For documents that have not been read before. The places of those that are gone are free next time. */
  #room: number;

  constructor(readonly parts: CrawlParts) {
    this.#room = parts.maxDocuments - parts.known.size;
  }

  /** To be told what a container holds; nothing where it is withdrawn. @returns what is to be looked at now */
  opened(container: Pick<Found, 'url' | 'depth'>, members: readonly Member[] = []): Found[] {
    this.#unread.delete(container.url);
    const depth = container.depth + 1;
    return members
      .map((member) => ({ ...member, depth }))
      .filter((member) => (member.isContainer ? this.#takesContainer(member) : this.#takesDocument(member)));
  }

  /** Of these documents, those that are neither there nor in a folder that may hold anything. */
  vanished(documents: Iterable<string>): string[] {
    const folderOver = findPodAmong(this.#unread);
    const isKept = (one: string) => this.documents.has(one) || this.notes.has(one) || folderOver(one);
    return [...documents].filter((one) => !isKept(one));
  }

  #takesDocument({ url }: Found): boolean {
    const { url: pod, known, maxDocuments } = this.parts;
    if (url === pod || this.documents.has(url)) return false;
    if (!known.has(url)) {
      if (this.#room <= 0) {
        const others = `holds more than ${maxDocuments} documents; the others are not read`;
        this.notes.set(pod, `${others} (sync.maxDocuments)`);
        return false;
      }
      this.#room -= 1;
    }
    this.documents.add(url);
    return true;
  }

  #takesContainer({ url, depth }: Found): boolean {
    const { url: pod, root, maxDocuments } = this.parts;
    if (url === pod || this.#containers.has(url)) return false;
    if (this.#containers.size >= maxDocuments) {
      this.notes.set(pod, `holds more than ${maxDocuments} containers; the others are not read`);
      // It is not known which documents are in those.
      for (const one of [pod, root]) this.#unread.add(one);
      return false;
    }
    this.#containers.add(url);
    this.#unread.add(url);
    if (depth <= MAX_DEPTH) return true;
    this.notes.set(url, `is more than ${MAX_DEPTH} containers deep: what is in it is not read`);
    return false;
  }
}
