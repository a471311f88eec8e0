import type { DocumentRecord } from '../../core/document-record.js';
import { findPodAmong } from '../../core/find-pod.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch, DocumentReading, ReadFailure, ReadLimits } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import type { LogTo } from '../../lib/log.js';
import {
  afterFailure,
  invalidComponent,
  isParseFailure,
  stumbled,
  TOO_SLOW,
  withUnnamed,
} from '../failures.js';
import { podStream } from '../push/listening.js';
import type { ReaderParts } from '../request.js';
import { RoomLeft, roomFor } from '../room.js';
import { failedBatch, partOf, type SourceReader, throwIfStopped } from '../source-reader.js';
import type { Member } from './container.js';
import { type ClosedContainer, type CrawlResult, crawl, type OpenContainer } from './crawl.js';
import {
  afterUnchanged,
  afterUnreadable,
  sameRecord,
  stampsOf,
  validatorsOf,
  whyRead,
} from './document-record.js';
import { type PodContent, podContent } from './pod-content.js';
import { createPodRequest, type PodRequest, podFailure, type Reading, type Whole } from './pod-request.js';

export interface PodOptions extends ReaderParts {
  readonly log: LogTo<'error'>;
}

/** A pod: the components that the documents of a container describe, or those of a single document. */
export function createPodReader(options: PodOptions): SourceReader {
  const { url, trust } = options;
  const request = createPodRequest(options);
  return {
    source: { kind: 'pod', url },
    trust,
    read: (stored, limits, signal) => {
      const documents = stored?.documents ?? new Map();
      return new PodReading({ ...options, request, limits, signal, stored: documents }).batches();
    },
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
/** Requests in a row without any answer, after which a server counts as gone: it must not hold up other sources. */
const SILENT_REQUESTS = 5;

/** Where the documents of a pod are, and what its own URL says if it is a document itself. */
interface Root {
  readonly found: CrawlResult;
  readonly own?: DocumentReading | undefined;
}

/** Why a body cannot be understood. `isMalformed`: it will be no better until it changes; else this node is to blame. */
interface Unparsed {
  readonly message: string;
  readonly isMalformed: boolean;
}

/** One poll of one pod, from its own URL to everything below it. */
class PodReading {
  /** For what is found in documents that are not known yet. */
  readonly #room: RoomLeft;
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;
  /** Is there a document or container that was to be asked for, did not fail last time, and was left out? */
  #isCutShort = false;
  #silent = 0;
  /** The pod asks for a pause: nothing that failed last time is asked for any more. `until`: ms since the epoch, if it says so. */
  #pause: { readonly until: number | undefined } | undefined;
  /** Why it is better to stop for now. */
  #trouble: ReadFailure | undefined;

  constructor(readonly polling: PodPolling) {
    this.#room = new RoomLeft(polling.limits.room, polling.limits.most);
  }

  async *batches(): AsyncGenerator<Batch> {
    const root = await this.#root();
    if ('message' in root) return yield failedBatch(this.#stop ?? root);
    const { found, own } = root;
    const gone = this.#vanished(found);
    for (const reading of [own, ...this.#notes(found)]) if (reading) yield partOf(reading);
    const due = this.#due(found.documents.values());
    const readers = READERS[this.polling.trust];
    for (let at = 0; at < due.length; at += readers) {
      const members = due.slice(at, at + readers);
      for (const read of await Promise.all(members.map((one) => this.#readMember(one)))) {
        if (typeof read === 'string') gone.push(read);
        else if (read) yield partOf(read);
      }
    }
    const isCutShort = this.#isCutShort || this.#isOver;
    // Who asks for a pause is not asked again: that the pod was there when the poll began has to do.
    const isToAsk = gone.length > 0 && !this.#pause;
    const failure = isCutShort ? this.#stop : isToAsk ? await this.#rootFault() : undefined;
    const complete = failure === undefined;
    const end = { complete, failure, notBefore: this.#pause?.until, unread: this.#unread };
    yield { put: [], gone: complete ? gone : [], isLast: true, ...end };
  }

  /** Looks what the pod's own URL is, and where its documents are. */
  async #root(): Promise<Root | ReadFailure> {
    const { url, credentials, maxDocuments } = this.polling;
    const reading = await this.#ask(url);
    if (reading.kind !== 'whole' && reading.kind !== 'unchanged')
      return podFailure(reading, credentials !== undefined);
    const content = reading.kind === 'whole' ? await this.#parse(reading, maxDocuments) : undefined;
    if (content && 'message' in content)
      return { message: `The pod's own document cannot be read: ${content.message}` };
    if (reading.kind === 'whole' && content?.isContainer) {
      const parts = { url, known: new Set(this.#readBefore()), maxDocuments };
      const root = { url: reading.url, listing: content };
      return { found: await crawl(root, { ...parts, read: (nested) => this.#open(nested) }) };
    }
    const found = { documents: new Map([[url, { url }]]), notes: new Map(), unknown: [] };
    return { found, own: await this.#said({ url }, reading, content) };
  }

  /** Reads a nested container. Its listing is never asked for conditionally: its tag does not tell of edits. */
  async #open(url: string): Promise<OpenContainer | ClosedContainer> {
    if (this.#leavesOut(url)) return {};
    const reading = await this.#ask(url, {});
    if (reading.kind === 'withdrawn') return { isWithdrawn: true };
    const content =
      reading.kind === 'whole' ? await this.#parse(reading, this.polling.maxDocuments) : reading;
    // A container that was being read when the time of the poll was over has no fault.
    if (this.#isOver) return {};
    if ('message' in content) return { note: content.message };
    if (reading.kind !== 'whole' || !('isContainer' in content && content.isContainer))
      return { note: 'is listed as a container and is none' };
    return { url: reading.url, listing: content };
  }

  /** The members that have to be asked for, and some of those that have not been for long; last those that may end the poll. */
  #due(members: Iterable<Member>): Member[] {
    const { clock, url: own, stored } = this.polling;
    const now = clock.now();
    const due = { news: [] as Member[], age: [] as Member[], failure: [] as Member[] };
    for (const member of members) {
      if (member.url === own) continue;
      const why = this.#wantsRest(member.url) ? 'news' : whyRead(member, stored.get(member.url), now);
      if (why) due[why].push(member);
    }
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    due.age.sort((one, other) => readAt(one) - readAt(other));
    return [...due.news, ...due.age.slice(0, ASKED_AGAIN), ...due.failure];
  }

  /** Its URL when it is withdrawn. Nothing where the node keeps no more of this pod, or nothing is new. */
  async #readMember(member: Member): Promise<DocumentReading | string | undefined> {
    const { url } = member;
    if (this.#leavesOut(url)) return undefined;
    const isKnown = this.polling.stored.has(url);
    if (!isKnown && this.#room.isFull) {
      this.#unread += 1;
      return undefined;
    }
    const reading = await this.#ask(url);
    if (reading.kind !== 'withdrawn') return this.#said(member, reading);
    return isKnown ? url : undefined;
  }

  /** What an answer says of a document: its components, what is to be remembered of it, or (often) nothing. */
  async #said(
    member: Member,
    reading: Exclude<Reading, { kind: 'withdrawn' }>,
    parsed?: PodContent,
  ): Promise<DocumentReading | undefined> {
    const { url, modified } = member;
    const stored = this.polling.stored.get(url);
    const now = this.polling.clock.now();
    if (reading.kind === 'unchanged')
      return stored && this.#remember(url, afterUnchanged(stored, member, reading.date, now));
    if (reading.kind === 'failed') return this.#failed(url, reading.message);
    const stamps = stampsOf(reading, modified);
    // Pods may hold images and texts. One in place of a document that had components is more likely a mistake.
    if (reading.kind === 'unusable' && reading.otherType && !stored?.components)
      return this.#remember(url, { ...stamps, readAt: now });
    const content =
      reading.kind === 'whole'
        ? (parsed ?? (await this.#parse(reading)))
        : { message: reading.message, isMalformed: true };
    if ('message' in content) {
      if (this.#isOver || !content.isMalformed) return this.#failed(url, content.message);
      return this.#remember(url, afterUnreadable(stored, stamps, content.message, now));
    }
    const { components, omitted } = content;
    if (!stored) for (const component of components) this.#room.hold(roomFor(component));
    const invalid = withUnnamed(content.invalid.map(invalidComponent), content.unnamed);
    return { url, components, record: { ...stamps, readAt: now, invalid, omitted: omitted || undefined } };
  }

  /** A document that was being read when the time of the poll was over has no fault. */
  #failed(url: string, message: string): DocumentReading | undefined {
    const { stored, clock } = this.polling;
    return this.#isOver
      ? undefined
      : this.#remember(url, afterFailure(stored.get(url), message, clock.now()));
  }

  #remember(url: string, record: DocumentRecord): DocumentReading | undefined {
    return sameRecord(this.polling.stored.get(url), record) ? undefined : { url, record };
  }

  /**
   * Relative IRIs mean what they mean at the URL that answered.
   * @param maxMembers of a container; the body is a document when absent
   */
  async #parse(
    { text, mediaType, url, container }: Whole,
    maxMembers?: number,
  ): Promise<PodContent | Unparsed> {
    const { vocabulary, pool, trust, log, signal, limits } = this.polling;
    const { namespace } = vocabulary;
    // What is beyond need not take memory before it is left out.
    const most = limits.most.components;
    const body = { text, mediaType, baseIri: url, namespace, container, maxMembers, most };
    try {
      return await podContent(body, { pool, lane: trust, signal });
    } catch (error) {
      throwIfStopped(signal);
      const isMalformed = error instanceof MalformedInput;
      if (isMalformed || isParseFailure(error)) return { message: explain(error), isMalformed };
      log.error({ document: url, err: error }, 'this node stumbled over a document');
      return { message: stumbled(error), isMalformed };
    }
  }

  /** Is the time of the poll over? */
  get #isOver(): boolean {
    return this.polling.signal.aborted;
  }

  get #stop(): ReadFailure | undefined {
    return this.#trouble ?? (this.#isOver ? { message: TOO_SLOW } : undefined);
  }

  /** Is something not to be asked for, for now? What failed last time can be left out of a poll that is complete. */
  #leavesOut(url: string): boolean {
    const isFailing = this.#isFailing(url);
    const leavesOut = this.#stop !== undefined || (isFailing && this.#pause !== undefined);
    this.#isCutShort ||= leavesOut && !isFailing;
    return leavesOut;
  }

  #isFailing(url: string): boolean {
    return this.polling.stored.get(url)?.error !== undefined;
  }

  /** Is there room by now for what was left out of a document? It has to be sent again, even if the document is what it was. */
  #wantsRest(url: string): boolean {
    const { stored, limits } = this.polling;
    return fitsMore(stored.get(url) ?? {}, limits.room);
  }

  /** Stored documents that have been read, or that say something: others are notes of containers. */
  #readBefore(): string[] {
    const stored = [...this.polling.stored];
    return stored
      .filter(([, { readAt, components }]) => readAt !== undefined || components > 0)
      .map(([url]) => url);
  }

  /** Stored documents that are neither there nor possibly there. */
  #vanished({ documents, notes, unknown }: CrawlResult): string[] {
    const folderOver = findPodAmong(unknown);
    const stored = [...this.polling.stored.keys()];
    return stored.filter((url) => !documents.has(url) && !notes.has(url) && folderOver(url) === undefined);
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #notes({ notes }: CrawlResult): (DocumentReading | undefined)[] {
    const { clock, stored } = this.polling;
    return [...notes].map(([url, note]) =>
      this.#remember(url, afterFailure(stored.get(url), note, clock.now())),
    );
  }

  /**
   * Why nothing is to be removed: the pod itself cannot be read any more. One that is closed or goes away during the poll keeps
   * what it said, as one that was closed before it: only the operator drops a pod (design, section 6).
   */
  async #rootFault(): Promise<ReadFailure | undefined> {
    const { url, credentials } = this.polling;
    const reading = await this.#ask(url, {});
    const isThere = reading.kind === 'whole' || reading.kind === 'unchanged';
    return isThere ? undefined : podFailure(reading, credentials !== undefined);
  }

  async #ask(url: string, validators?: Validators): Promise<Reading> {
    const { request, signal, stored, clock, url: own } = this.polling;
    const known = this.#wantsRest(url) ? {} : validatorsOf(stored.get(url));
    const reading = await request(url, validators ?? known, signal);
    throwIfStopped(signal);
    const failed = reading.kind === 'failed' && !this.#isOver ? reading : undefined;
    this.#silent = failed && failed.status === undefined ? this.#silent + 1 : 0;
    const asksForPause = failed && (failed.status === 429 || (failed.notBefore ?? 0) > clock.now());
    if (asksForPause && url !== own) {
      // Of several, the longest pause counts.
      const until = Math.max(this.#pause?.until ?? 0, failed.notBefore ?? 0) || undefined;
      this.#pause = { until };
      const message = `The pod asks for a pause (${url} answers ${failed.status}); the next poll goes on from here`;
      // What fails each time would keep everything else from ever being read.
      if (!this.#isFailing(url)) this.#trouble = { ...(this.#trouble ?? { message }), notBefore: until };
    }
    if (failed && this.#silent >= SILENT_REQUESTS)
      this.#trouble ??= { message: `The pod stopped answering: ${failed.message}` };
    return reading;
  }
}
