import type { Described } from '../../component/reading/described.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { DocumentRecord } from '../../core/document-record.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch, DocumentReading, ReadFailure, ReadLimits } from '../../core/reading.js';
import type { StoredDocument, StoredSource } from '../../core/source-record.js';
import { asTheyCome } from '../../lib/as-they-come.js';
import { explain, MalformedInput, TaskTimeout } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';
import { failedBatch, partOf } from '../batches.js';
import { invalidComponents } from '../invalid-components.js';
import { RoomLeft } from '../room-left.js';
import { type SourceReader, throwIfStopped } from '../source-reader.js';
import { stumbled } from '../wrong.js';
import type { Member } from './container.js';
import { type ContainerReading, type CrawlResult, crawl, EVERYWHERE, isIn } from './crawl.js';
import {
  afterFailure,
  afterTimeout,
  afterUnchanged,
  afterUnreadable,
  type Stamps,
  sameRecord,
  stampsOf,
  validatorsOf,
  whyRead,
} from './document-record.js';
import { type PodContent, podContent } from './pod-content.js';
import { podFailure, ServerTrouble } from './pod-failure.js';
import {
  createPodRequest,
  type PodAccess,
  type PodRequest,
  type Reading,
  type Whole,
} from './pod-request.js';
import { podStream } from './pod-stream.js';

export interface PodOptions extends PodAccess {
  /** Of a container, or of a document. */
  readonly url: string;
  readonly vocabulary: Vocabulary;
  /** Parses what the pod answers. */
  readonly pool: TaskPool;
  readonly log: LogTo<'error'>;
  /** Most documents that are read of this pod. */
  readonly maxDocuments: number;
}

/** A pod: the components that the documents of a container describe, or those of a single document. */
export function createPodReader(options: PodOptions): SourceReader {
  const { url, trust } = options;
  const request = createPodRequest(options);
  return {
    source: { kind: 'pod', url },
    trust,
    read: (stored, limits, signal) =>
      new PodReading(options, { request, limits, signal, stored: stored?.documents ?? new Map() }).batches(),
    stream: (document) => podStream(options, { ...options, url: document ?? url }),
  };
}

interface PodPolling {
  readonly request: PodRequest;
  readonly stored: StoredSource['documents'];
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
}

/** Documents of a pod that are read at a time. What is read is in memory until its batch has been taken. */
const READERS: Readonly<Record<Trust, number>> = { configured: 2, learned: 1 };
/** Documents that one poll asks for only because they have not been asked for within the hour, those of the longest time first. */
const ASKED_AGAIN = 1_000;
/** Bytes from which on a document is large: no two of them are parsed at a time. */
const LARGE = 1_000_000;

/** What is in a body, or why that is not known: it says nothing of the body when this node is to blame. */
type Parsed =
  | { readonly kind: 'parsed'; readonly content: PodContent }
  | { readonly kind: 'malformed' | 'not parsed'; readonly message: string };

/** Where the documents of a pod are, and what its own URL says if it is a document itself. */
interface Root {
  readonly found: CrawlResult;
  readonly own?: DocumentReading | undefined;
}

/** One poll of one pod, from its own URL to everything below it. */
class PodReading {
  readonly #options: PodOptions;
  readonly #polling: PodPolling;
  readonly #trouble: ServerTrouble;
  readonly #turns = new KeyedMutex();
  /** For what is found in documents that are not known yet. */
  readonly #room: RoomLeft;
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;

  constructor(options: PodOptions, polling: PodPolling) {
    this.#options = options;
    this.#polling = polling;
    this.#room = new RoomLeft(polling.limits.room, polling.limits.most);
    this.#trouble = new ServerTrouble(polling.signal);
  }

  async *batches(): AsyncGenerator<Batch> {
    const { trust } = this.#options;
    const root = await this.#root();
    if ('message' in root) return yield failedBatch(this.#trouble.failure ?? root);
    const { found, own } = root;
    const withdrawn: string[] = [];
    for (const reading of [...(own ? [own] : []), ...this.#notes(found)]) yield partOf(reading);
    const members = [...found.documents.values(), ...this.#unlisted(found)];
    for await (const read of asTheyCome(READERS[trust], this.#due(members), (one) => this.#readMember(one))) {
      if (typeof read === 'string') withdrawn.push(read);
      else if (read) yield partOf(read);
    }
    const failure = (await this.#rootFault(withdrawn)) ?? this.#trouble.failure;
    const gone = failure ? [] : [...this.#vanished(found, members), ...withdrawn];
    const unread = this.#unread;
    yield { put: [], gone, isLast: true, complete: failure === undefined, failure, unread };
  }

  /** Looks what the pod's own URL is, and where its documents are. */
  async #root(): Promise<Root | ReadFailure> {
    const { url, credentials, maxDocuments } = this.#options;
    const reading = await this.#ask(url, this.#validatorsFor(url));
    if (reading.kind === 'unchanged') return this.#singleDocument(await this.#said({ url }, reading));
    if (reading.kind !== 'whole') return podFailure(reading, credentials !== undefined);
    const parsed = await this.#parse(reading, maxDocuments);
    if (parsed.kind !== 'parsed')
      return { message: `The pod's own document cannot be read: ${parsed.message}` };
    const { listing } = parsed.content;
    if (!listing) return this.#singleDocument(await this.#said({ url }, reading, parsed));
    const root = { url, base: reading.url, listing };
    const known = new Set(this.#readBefore());
    return { found: await crawl(root, { read: (nested) => this.#open(nested), known, maxDocuments }) };
  }

  /**
   * The pod is one document. What it held when it was a container is asked for one by one, so that neither
   * a server's slip removes it all, nor what was deleted stays.
   */
  #singleDocument(own: DocumentReading | undefined): Root {
    const { url } = this.#options;
    const documents = new Map([[url, { url }]]);
    return { own, found: { documents, notes: new Map(), unlisted: [EVERYWHERE], unknown: [] } };
  }

  /** Reads a nested container. Its listing is never asked for conditionally: its tag does not tell of edits. */
  async #open(url: string): Promise<ContainerReading> {
    if (this.#trouble.failure) return { kind: 'unread' };
    const reading = await this.#ask(url, {});
    if (reading.kind === 'withdrawn') return { kind: 'withdrawn' };
    if (reading.kind === 'unchanged') return { kind: 'unreadable', message: 'answers 304 unasked' };
    const parsed =
      reading.kind === 'whole' ? await this.#parse(reading, this.#options.maxDocuments) : reading;
    if (parsed.kind !== 'parsed') {
      // A container that was being read when the time of the poll was over has no fault.
      return this.#isOver ? { kind: 'unread' } : { kind: 'unreadable', message: parsed.message };
    }
    const { listing } = parsed.content;
    if (!listing) return { kind: 'unreadable', message: 'is listed as a container and is none' };
    return { kind: 'open', url: reading.kind === 'whole' ? reading.url : url, listing };
  }

  /** The members that have to be asked for, and some of those that have not been for long. */
  #due(members: readonly Member[]): Member[] {
    const { clock, url: own } = this.#options;
    const { stored } = this.#polling;
    const now = clock.now();
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    const [news, old]: [Member[], Member[]] = [[], []];
    for (const member of members) {
      if (member.url === own) continue;
      const why = this.#wantsRest(member.url) ? 'news' : whyRead(member, stored.get(member.url), now);
      if (why) (why === 'news' ? news : old).push(member);
    }
    old.sort((one, other) => readAt(one) - readAt(other));
    return [...news, ...old.slice(0, ASKED_AGAIN)];
  }

  /** Its URL when it is withdrawn. */
  async #readMember(member: Member): Promise<DocumentReading | string | undefined> {
    const { url } = member;
    if (this.#trouble.failure || this.#passesOver(url)) return undefined;
    const reading = await this.#ask(url, this.#validatorsFor(url));
    if (reading.kind === 'withdrawn') return this.#polling.stored.has(url) ? url : undefined;
    const isLarge = reading.kind === 'whole' && reading.size >= LARGE;
    if (!isLarge) return this.#said(member, reading);
    // The one before it may have taken all the room.
    return this.#turns.run('', async () => (this.#passesOver(url) ? undefined : this.#said(member, reading)));
  }

  /** Is a document left out because the node keeps no more of this pod? */
  #passesOver(url: string): boolean {
    const passesOver = !this.#polling.stored.has(url) && this.#room.isFull;
    if (passesOver) this.#unread += 1;
    return passesOver;
  }

  /** What an answer says of a document: its components, what is to be remembered of it, or (often) nothing. */
  async #said(
    member: Member,
    reading: Exclude<Reading, { kind: 'withdrawn' }>,
    parsed?: Parsed,
  ): Promise<DocumentReading | undefined> {
    const { url, modified } = member;
    const stored = this.#polling.stored.get(url);
    const now = this.#options.clock.now();
    switch (reading.kind) {
      case 'failed':
        // A document that was being asked for when the time of the poll was over has no fault.
        return this.#isOver ? undefined : remember(url, stored, afterFailure(stored, reading.message, now));
      case 'unchanged':
        return stored && remember(url, stored, afterUnchanged(stored, member, reading.date, now));
      case 'unusable': {
        const stamps = stampsOf(reading, modified);
        // Pods may hold images and texts. One in place of a document that had components is more likely a mistake.
        const isOther = reading.otherType && !stored?.components;
        const record = isOther
          ? { ...stamps, readAt: now }
          : afterUnreadable(stored, stamps, reading.message, now);
        return remember(url, stored, record);
      }
      case 'whole': {
        const stamps = withHash(stampsOf(reading, modified), reading);
        // Even of a text that is the same as before, components are wanted that were left out of it.
        if (stamps.hash && stamps.hash === stored?.hash && !this.#wantsRest(url))
          return remember(url, stored, afterUnchanged(stored, member, reading.date, now));
        return this.#described(member, stored, stamps, parsed ?? (await this.#parse(reading)));
      }
    }
  }

  #described(
    member: Member,
    stored: StoredDocument | undefined,
    stamps: Stamps & Pick<DocumentRecord, 'hash'>,
    parsed: Parsed,
  ): DocumentReading | undefined {
    const { url } = member;
    const now = this.#options.clock.now();
    if (parsed.kind !== 'parsed') {
      if (this.#isOver) return undefined;
      if (parsed.kind === 'malformed')
        return remember(url, stored, afterUnreadable(stored, stamps, parsed.message, now));
      return { url, record: afterTimeout(stored, member, parsed.message, now) };
    }
    const { components, invalid, unnamed, omitted }: Described = parsed.content.described;
    if (!stored) for (const component of components) this.#room.hold(component);
    const named = invalidComponents(invalid, unnamed);
    return { url, components, record: { ...stamps, readAt: now, invalid: named, omitted } };
  }

  /** @param maxMembers of a container; the body is a document when absent. Relative IRIs mean what they mean at the URL that answered. */
  async #parse({ text, mediaType, url, container }: Whole, maxMembers?: number): Promise<Parsed> {
    const { vocabulary, pool, trust, log } = this.#options;
    const { signal, limits } = this.#polling;
    const { namespace } = vocabulary;
    // What is beyond need not take memory before it is left out.
    const most = limits.most.components;
    const body = { text, mediaType, baseIri: url, namespace, container, maxMembers, most };
    try {
      return { kind: 'parsed', content: await podContent(body, { pool, lane: trust, signal }) };
    } catch (error) {
      throwIfStopped(signal);
      if (error instanceof PoolBusy || error instanceof TaskTimeout || this.#isOver)
        return { kind: 'not parsed', message: explain(error) };
      if (error instanceof MalformedInput) return { kind: 'malformed', message: explain(error) };
      log.error({ document: url, err: error }, 'this node stumbled over a document');
      return { kind: 'not parsed', message: stumbled(error) };
    }
  }

  /** Is the time of the poll over? */
  get #isOver(): boolean {
    return this.#polling.signal.aborted;
  }

  /** What was left out of a document has to be sent again, even if the document is what it was. */
  #validatorsFor(url: string): Validators {
    return this.#wantsRest(url) ? {} : validatorsOf(this.#polling.stored.get(url));
  }

  /** Is there room by now for what was left out of a document? */
  #wantsRest(url: string): boolean {
    const { stored, limits } = this.#polling;
    return fitsMore(stored.get(url) ?? {}, limits.room);
  }

  /** Stored documents that have been read, or that say something: others are notes of containers. */
  #readBefore(): string[] {
    const stored = [...this.#polling.stored];
    return stored
      .filter(([, { readAt, components }]) => readAt !== undefined || components > 0)
      .map(([url]) => url);
  }

  /** Stored documents in folders that give no whole listing: each is asked whether it is still there. */
  #unlisted({ documents, notes, unlisted, unknown }: CrawlResult): Member[] {
    const [isUnlisted, isUnknown] = [isIn(unlisted), isIn(unknown)];
    return this.#readBefore()
      .filter((url) => !documents.has(url) && !notes.has(url) && isUnlisted(url) && !isUnknown(url))
      .map((url) => ({ url }));
  }

  /** Stored documents that are neither there nor possibly there. */
  #vanished({ notes, unknown }: CrawlResult, members: readonly Member[]): string[] {
    const named = new Set([...notes.keys(), ...members.map(({ url }) => url)]);
    const mayBeThere = isIn(unknown);
    return [...this.#polling.stored.keys()].filter((url) => !named.has(url) && !mayBeThere(url));
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #notes({ notes }: CrawlResult): DocumentReading[] {
    const now = this.#options.clock.now();
    return [...notes].flatMap(([url, note]) => {
      const stored = this.#polling.stored.get(url);
      return remember(url, stored, afterFailure(stored, note, now)) ?? [];
    });
  }

  /**
   * Why nothing is to be removed of what is refused or gone: the pod itself cannot be read any more. One that is closed or goes
   * away during the poll keeps what it said, as one that was closed before it: only the operator drops a pod (design, section 6).
   */
  async #rootFault(withdrawn: readonly string[]): Promise<ReadFailure | undefined> {
    const { url, credentials } = this.#options;
    if (withdrawn.length === 0 || this.#trouble.failure) return undefined;
    const reading = await this.#ask(url, {});
    const isThere = reading.kind === 'whole' || reading.kind === 'unchanged';
    return isThere ? undefined : podFailure(reading, credentials !== undefined);
  }

  async #ask(url: string, validators: Validators): Promise<Reading> {
    const { request, signal } = this.#polling;
    const reading = await request(url, validators, signal);
    throwIfStopped(signal);
    this.#trouble.record(reading);
    return reading;
  }
}

function remember(
  url: string,
  stored: StoredDocument | undefined,
  record: DocumentRecord,
): DocumentReading | undefined {
  return sameRecord(stored, record) ? undefined : { url, record };
}

/** Where the server sends no validator, the text itself has to tell whether it is new. */
function withHash(stamps: Stamps, { hash }: Whole): Stamps & Pick<DocumentRecord, 'hash'> {
  const hasValidator = Object.values(stamps).some((value) => value !== undefined);
  return hasValidator || hash === undefined ? stamps : { hash };
}
