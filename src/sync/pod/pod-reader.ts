import { sizeOf } from '../../component/component-size.js';
import type { Described } from '../../component/reading/described.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch, DocumentReading, ReadFailure, ReadLimits } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import { asTheyCome } from '../../lib/as-they-come.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import type { Parsing, TaskPool } from '../../lib/pool/task.js';
import { Batching, failedBatch } from '../batching.js';
import { isFull } from '../is-full.js';
import { type SourceReader, throwIfStopped } from '../source-reader.js';
import { isParseFailure, stumbled } from '../wrong.js';
import type { Listing, Member } from './container.js';
import { type ContainerReading, type CrawlResult, crawl, EVERYWHERE, isIn, listingFault } from './crawl.js';
import { documentOf, type Known, readingOf } from './document-reading.js';
import { afterFailure, sameRecord, validatorsOf, whyRead } from './document-record.js';
import { type PodContent, podContent } from './pod-content.js';
import { podFailure } from './pod-failure.js';
import {
  createPodRequest,
  type PodAccess,
  type PodRequest,
  type Reading,
  type Whole,
} from './pod-request.js';
import { podStream } from './pod-stream.js';
import { PollBudget } from './poll-budget.js';

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
      new PodReading({
        ...options,
        request,
        limits,
        signal,
        stored: stored?.documents ?? new Map(),
      }).batches(),
    stream: (document) => podStream(options, { ...options, url: document ?? url }),
  };
}

interface PodPolling extends PodOptions {
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

/** Where the documents of a pod are, and what its own URL says if it is a document itself. */
interface Root {
  readonly found: CrawlResult;
  readonly own?: DocumentReading | undefined;
}

/** One poll of one pod, from its own URL to everything below it. */
class PodReading {
  readonly #options: PodPolling;
  readonly #parsing: Parsing;
  readonly #budget: PollBudget;
  readonly #turns = new KeyedMutex();
  /** What was found in documents that are not known yet: components, and bytes of their texts. */
  readonly #added = { components: 0, bytes: 0 };
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;

  constructor(options: PodPolling) {
    const { pool, trust, signal } = options;
    this.#options = options;
    this.#parsing = { pool, lane: trust, signal };
    this.#budget = new PollBudget(signal);
  }

  async *batches(): AsyncGenerator<Batch> {
    const { trust } = this.#options;
    const root = await this.#root();
    if ('message' in root) return yield failedBatch(this.#budget.exhausted ?? root);
    const { found, own } = root;
    const gathered = new Batching();
    const withdrawn: string[] = [];
    for (const reading of [...(own ? [own] : []), ...this.#notes(found)]) yield* gathered.add(reading);
    const members = [...found.documents.values(), ...this.#unlisted(found)];
    for await (const read of asTheyCome(READERS[trust], this.#due(members), (one) => this.#readMember(one))) {
      if (typeof read === 'string') withdrawn.push(read);
      else if (read) yield* gathered.add(read);
    }
    const failure = (await this.#rootFault(withdrawn)) ?? this.#budget.exhausted;
    const gone = failure ? [] : [...this.#vanished(found, members), ...withdrawn];
    const unread = this.#unread;
    yield { put: gathered.take(), gone, isLast: true, complete: failure === undefined, failure, unread };
  }

  /** Looks what the pod's own URL is, and where its documents are. */
  async #root(): Promise<Root | ReadFailure> {
    const { url, credentials } = this.#options;
    const reading = await this.#ask(url, this.#validatorsFor(url));
    if (reading.kind === 'unchanged') return this.#singleDocument(reading);
    if (reading.kind !== 'whole') return podFailure(reading, credentials !== undefined);
    const content = await this.#contentOf(reading);
    if ('message' in content) {
      return { message: `The pod's own document cannot be read: ${content.message}` };
    }
    return content.kind === 'document'
      ? this.#singleDocument(reading, content.described)
      : this.#container(reading, content.listing);
  }

  /**
   * The pod is one document. What it held when it was a container is asked for one by one, so that neither
   * a server's slip removes it all, nor what was deleted stays.
   */
  async #singleDocument(reading: Known, described?: Described): Promise<Root> {
    const { url } = this.#options;
    const own = await this.#said({ url }, reading, described);
    const documents = new Map([[url, { url }]]);
    return { own, found: { documents, notes: new Map(), unlisted: [EVERYWHERE], unknown: [] } };
  }

  async #container(reading: Whole, listing: Listing): Promise<Root | ReadFailure> {
    const { url, maxDocuments } = this.#options;
    const fault = listingFault(listing);
    if (fault) return { message: `The pod ${fault}` };
    const root = { url, base: reading.url, listing };
    return { found: await crawl(root, (nested) => this.#open(nested), maxDocuments) };
  }

  /** Reads a nested container. Its listing is never asked for conditionally: its tag does not tell of edits. */
  async #open(url: string): Promise<ContainerReading> {
    if (this.#budget.exhausted) return { kind: 'unread' };
    const reading = await this.#ask(url, {});
    if (reading.kind === 'withdrawn') return reading;
    if (reading.kind === 'unchanged') return { kind: 'unreadable', message: 'answers 304 unasked' };
    if (reading.kind !== 'whole') return this.#notOpened(reading.message);
    const content = await this.#contentOf(reading);
    if ('message' in content) return this.#notOpened(content.message);
    if (content.kind === 'container') return { kind: 'open', url: reading.url, listing: content.listing };
    return { kind: 'unreadable', message: 'is listed as a container and is none' };
  }

  /** A container that was being read when the time of the poll was over has no fault. */
  #notOpened(message: string): ContainerReading {
    return this.#isOver ? { kind: 'unread' } : { kind: 'unreadable', message };
  }

  /** Is the time of the poll over? */
  get #isOver(): boolean {
    return this.#options.signal.aborted;
  }

  /** What is in a body, or why that is not to be known. */
  async #contentOf(reading: Whole): Promise<PodContent | { readonly message: string }> {
    const { vocabulary, maxDocuments: maxMembers, signal, log } = this.#options;
    const { container } = reading;
    try {
      const body = { ...documentOf(reading, vocabulary), container, maxMembers, most: this.#most };
      return await podContent(body, this.#parsing);
    } catch (error) {
      throwIfStopped(signal);
      if (isParseFailure(error)) return { message: explain(error) };
      log.error({ document: reading.url, err: error }, 'this node stumbled over a document');
      return { message: stumbled(error) };
    }
  }

  /** The members that have to be asked for, and some of those that have not been for long. */
  #due(members: readonly Member[]): Member[] {
    const { stored, clock, url: own } = this.#options;
    const now = clock.now();
    const why = (member: Member) =>
      this.#hasRoom(member.url) ? 'news' : whyRead(member, stored.get(member.url), now);
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    const others = members.filter(({ url }) => url !== own);
    const old = others.filter((member) => why(member) === 'age');
    old.sort((one, other) => readAt(one) - readAt(other));
    return [...others.filter((member) => why(member) === 'news'), ...old.slice(0, ASKED_AGAIN)];
  }

  /** Its URL when it is withdrawn. */
  async #readMember(member: Member): Promise<DocumentReading | string | undefined> {
    const { url } = member;
    if (this.#budget.exhausted || this.#passesOver(url)) return undefined;
    const reading = await this.#ask(url, this.#validatorsFor(url));
    // A document that was being asked for when the time of the poll was over has no fault.
    if (reading.kind === 'failed' && this.#isOver) return undefined;
    if (reading.kind === 'withdrawn') return this.#options.stored.has(url) ? url : undefined;
    const isLarge = reading.kind === 'whole' && reading.size >= LARGE;
    if (!isLarge) return this.#said(member, reading);
    // The one before it may have taken all the room.
    return this.#turns.run('', async () => (this.#passesOver(url) ? undefined : this.#said(member, reading)));
  }

  /** Is a document left out because the node keeps no more of this pod? */
  #passesOver(url: string): boolean {
    const { stored, limits } = this.#options;
    const { most, room } = limits;
    const left = {
      components: room.components - this.#added.components,
      bytes: room.bytes - this.#added.bytes,
    };
    const passesOver = !stored.has(url) && isFull({ most, room: left });
    if (passesOver) this.#unread += 1;
    return passesOver;
  }

  async #said(member: Member, reading: Known, described?: Described): Promise<DocumentReading | undefined> {
    const { stored, clock, vocabulary, log } = this.#options;
    const parts = { vocabulary, parsing: this.#parsing, most: this.#most, now: () => clock.now(), log };
    const { hash, ...rest } = stored.get(member.url) ?? { components: 0 };
    // Even of a text that is the same as before, components are wanted that were left out of it.
    const before = this.#hasRoom(member.url) ? rest : stored.get(member.url);
    const said = await readingOf(reading, member, before, parts, described);
    if (stored.has(member.url)) return said;
    for (const component of said?.components ?? []) {
      this.#added.components += 1;
      this.#added.bytes += sizeOf(component);
    }
    return said;
  }

  /** What was left out of a document has to be sent again, even if the document is what it was. */
  #validatorsFor(url: string): Validators {
    return this.#hasRoom(url) ? {} : validatorsOf(this.#options.stored.get(url));
  }

  /** Is there room by now for what was left out of a document? */
  #hasRoom(url: string): boolean {
    const { stored, limits } = this.#options;
    return fitsMore(stored.get(url) ?? {}, limits.room);
  }

  /** What is beyond need not take memory before it is left out. */
  get #most(): number {
    return this.#options.limits.most.components;
  }

  /** Stored documents in folders that give no whole listing: each is asked whether it is still there. */
  #unlisted({ documents, notes, unlisted, unknown }: CrawlResult): Member[] {
    const [isUnlisted, isUnknown] = [isIn(unlisted), isIn(unknown)];
    return [...this.#options.stored]
      .filter(([url]) => !documents.has(url) && !notes.has(url) && isUnlisted(url) && !isUnknown(url))
      .filter(([, { readAt, components }]) => readAt !== undefined || components > 0)
      .map(([url]) => ({ url }));
  }

  /** Stored documents that are neither there nor possibly there. */
  #vanished({ notes, unknown }: CrawlResult, members: readonly Member[]): string[] {
    const named = new Set([...notes.keys(), ...members.map(({ url }) => url)]);
    const mayBeThere = isIn(unknown);
    return [...this.#options.stored.keys()].filter((url) => !named.has(url) && !mayBeThere(url));
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #notes({ notes }: CrawlResult): DocumentReading[] {
    const { stored, clock } = this.#options;
    const readings = [...notes].map(([url, note]) => {
      return { url, record: afterFailure(stored.get(url), note, clock.now()) };
    });
    return readings.filter(({ url, record }) => !sameRecord(stored.get(url), record));
  }

  /**
   * Why nothing is to be removed of what is refused or gone: the pod itself cannot be read any more. One that is closed or goes
   * away during the poll keeps what it said, as one that was closed before it: only the operator drops a pod (design, section 6).
   */
  async #rootFault(withdrawn: readonly string[]): Promise<ReadFailure | undefined> {
    const { url, credentials } = this.#options;
    if (withdrawn.length === 0 || this.#budget.exhausted) return undefined;
    const reading = await this.#ask(url, {});
    const isThere = reading.kind === 'whole' || reading.kind === 'unchanged';
    return isThere ? undefined : podFailure(reading, credentials !== undefined);
  }

  async #ask(url: string, validators: Validators): Promise<Reading> {
    const { request, signal } = this.#options;
    const reading = await request(url, validators, signal);
    throwIfStopped(signal);
    this.#budget.record(reading);
    return reading;
  }
}
