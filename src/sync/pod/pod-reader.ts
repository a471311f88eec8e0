import type { DocumentRecord } from '../../core/document-record.js';
import { findPodAmong } from '../../core/find-pod.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch, DocumentReading, ReadFailure, ReadLimits } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { afterFailure, invalidComponent, TOO_SLOW, withUnnamed } from '../failures.js';
import { podStream } from '../push/listening.js';
import { RoomLeft, roomFor } from '../room.js';
import { failedBatch, partOf, type SourceReader, throwIfStopped } from '../source-reader.js';
import type { Member } from './container.js';
import { Crawl, type OpenContainer, turned } from './crawl.js';
import { afterUnchanged, afterUnreadable, sameRecord, stampsOf, whyRead } from './document-record.js';
import {
  createPodRequest,
  type PodOptions,
  type PodRequest,
  podFailure,
  type Reading,
} from './pod-request.js';

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
    stream: (document) => podStream({ ...options, url: document ?? url }),
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

/** One poll of one pod, from its own URL to everything below it. */
class PodReading {
  /** For what is found in documents that are not known yet. */
  readonly #room: RoomLeft;
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;
  /** Why the latest requests, in a row, have had no answer at all. */
  #silence: string[] = [];
  /** A document or container asks for a pause: nothing more is asked for. */
  #pause: ReadFailure | undefined;

  constructor(readonly polling: PodPolling) {
    this.#room = new RoomLeft(polling.limits.room, polling.limits.most);
  }

  /** Looks what the pod's own URL is, and reads that. */
  async *batches(): AsyncGenerator<Batch> {
    const { url, credentials, maxDocuments, stored } = this.polling;
    const reading = await this.#ask(url, this.#remembered(url), maxDocuments);
    if (reading.kind === 'content' && reading.isContainer) return yield* this.#container(reading);
    if (reading.kind !== 'content' && reading.kind !== 'unchanged')
      return yield failedBatch(this.#stop ?? podFailure(reading, credentials !== undefined));
    const own = this.#stop ? undefined : this.#said({ url }, reading);
    const others = [...stored.keys()].filter((other) => other !== url);
    yield this.#last(own ? [own] : [], others, this.#stop);
  }

  /**
   * Reads all that there is below a container. What failed last time comes after everything else, which is complete whatever
   * becomes of it: it may be silent for long or ask for a pause, each time.
   */
  async *#container(root: OpenContainer): AsyncGenerator<Batch> {
    const { url, maxDocuments, clock, stored } = this.polling;
    // Others are notes of containers.
    const read = [...stored].filter(([, { readAt, components }]) => readAt !== undefined || components > 0);
    const parts = { url, known: new Set(read.map(([document]) => document)), maxDocuments };
    const crawl = new Crawl(root, { ...parts, read: (nested) => this.#open(nested) });
    const { first, failing } = this.#due(await crawl.visit((nested) => !this.#isFailing(nested)));
    const gone = yield* this.#readAll(first);
    gone.push(...this.#vanished(crawl));
    const failure = this.#stop ?? (await this.#rootFault(gone));
    if (failure) return yield this.#last(this.#notes(crawl), [], failure);
    this.#silence = [];
    const now = clock.now();
    const more = this.#due(await crawl.visit(() => true, now));
    this.#silence = [];
    const last = turned([...failing, ...more.failing], now);
    const goneNow = yield* this.#readAll([...more.first, ...last]);
    goneNow.push(...this.#vanished(crawl).filter((one) => !gone.includes(one)));
    // Who asks for a pause is not asked again: that the pod was there until now has to do.
    if (this.#pause || !(await this.#rootFault(goneNow))) gone.push(...goneNow);
    yield this.#last(this.#notes(crawl), gone);
  }

  #last(put: readonly DocumentReading[], gone: readonly string[], failure?: ReadFailure): Batch {
    const end = { complete: !failure, failure, notBefore: this.#pause?.notBefore, unread: this.#unread };
    return { put, gone: failure ? [] : gone, isLast: true, ...end };
  }

  /** Reads a nested container. Its listing is never asked for conditionally: its tag does not tell of edits. */
  async #open(container: string): ReturnType<Crawl['parts']['read']> {
    if (this.#stop) return undefined;
    const reading = await this.#ask(container, {}, this.polling.maxDocuments);
    // One that was being read when the time of the poll was over has no fault.
    if (this.#isOver) return undefined;
    if (reading.kind === 'withdrawn') return 'withdrawn';
    if (reading.kind === 'content' && reading.isContainer) return reading;
    return { note: 'message' in reading ? reading.message : 'is listed as a container and is none' };
  }

  /** The members that have to be asked for, with some of those that have not been for long; and those that failed last time. */
  #due(members: readonly Member[]): { readonly first: Member[]; readonly failing: Member[] } {
    const { clock, stored } = this.polling;
    const now = clock.now();
    const due = { news: [] as Member[], age: [] as Member[], failure: [] as Member[] };
    for (const member of members) {
      const why = this.#wantsRest(member.url) ? 'news' : whyRead(member, stored.get(member.url), now);
      if (why) due[why].push(member);
    }
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    due.age.sort((one, other) => readAt(one) - readAt(other));
    return { first: [...due.news, ...due.age.slice(0, ASKED_AGAIN)], failing: due.failure };
  }

  /** @returns documents that are withdrawn */
  async *#readAll(members: readonly Member[]): AsyncGenerator<Batch, string[]> {
    const gone: string[] = [];
    const readers = READERS[this.polling.trust];
    for (let at = 0; at < members.length && !this.#stop; at += readers) {
      const some = members.slice(at, at + readers);
      for (const read of await Promise.all(some.map((one) => this.#readMember(one)))) {
        if (typeof read === 'string') gone.push(read);
        else if (read) yield partOf(read);
      }
    }
    return gone;
  }

  /** Its URL when it is withdrawn. Nothing where the node keeps no more of this pod, nothing is new, or the time is over. */
  async #readMember(member: Member): Promise<DocumentReading | string | undefined> {
    const { url } = member;
    const isKnown = this.polling.stored.has(url);
    if (!isKnown && this.#room.isFull) {
      this.#unread += 1;
      return undefined;
    }
    const reading = await this.#ask(url, this.#remembered(url));
    // What was under way when the time of the poll was over is left as it was.
    if (this.#isOver) return undefined;
    if (reading.kind !== 'withdrawn') return this.#said(member, reading);
    return isKnown ? url : undefined;
  }

  /** What an answer says of a document: its components, what is to be remembered of it, or (often) nothing. */
  #said(member: Member, reading: Exclude<Reading, { kind: 'withdrawn' }>): DocumentReading | undefined {
    const { url, modified } = member;
    const stored = this.polling.stored.get(url);
    const now = this.polling.clock.now();
    if (reading.kind === 'unchanged')
      return stored && this.#remember(url, afterUnchanged(stored, member, reading.date, now));
    if (reading.kind === 'failed') return this.#remember(url, afterFailure(stored, reading.message, now));
    const stamps = stampsOf(reading, modified);
    // Pods may hold images and texts. One in place of a document that had components is more likely a mistake.
    if (reading.kind === 'unusable' && reading.otherType && !stored?.components)
      return this.#remember(url, { ...stamps, readAt: now });
    if (reading.kind === 'unusable')
      return this.#remember(url, afterUnreadable(stored, stamps, reading.message, now));
    const { components, omitted } = reading;
    if (!stored) for (const component of components) this.#room.hold(roomFor(component));
    const invalid = withUnnamed(reading.invalid.map(invalidComponent), reading.unnamed);
    return { url, components, record: { ...stamps, readAt: now, invalid, omitted: omitted || undefined } };
  }

  #remember(url: string, record: DocumentRecord): DocumentReading | undefined {
    return sameRecord(this.polling.stored.get(url), record) ? undefined : { url, record };
  }

  /** Is the time of the poll over? */
  get #isOver(): boolean {
    return this.polling.signal.aborted;
  }

  /** Why it is better to ask for nothing more, for now. */
  get #stop(): ReadFailure | undefined {
    if (this.#isOver) return { message: TOO_SLOW };
    const isSilent = this.#silence.length >= SILENT_REQUESTS;
    const silence = { message: `The pod stopped answering: ${this.#silence.at(-1)}` };
    return this.#pause ?? (isSilent ? silence : undefined);
  }

  #isFailing(url: string): boolean {
    return this.polling.stored.get(url)?.error !== undefined;
  }

  /** Is there room by now for what was left out of a document? It has to be sent again, even if the document is what it was. */
  #wantsRest(url: string): boolean {
    const { stored, limits } = this.polling;
    return fitsMore(stored.get(url) ?? {}, limits.room);
  }

  /** What makes the request for a document conditional. */
  #remembered(url: string): Validators {
    return this.#wantsRest(url) ? {} : (this.polling.stored.get(url) ?? {});
  }

  /** Stored documents that are neither there nor possibly there. */
  #vanished({ documents, notes, unknown }: Crawl): string[] {
    const folderOver = findPodAmong(unknown);
    const stored = [...this.polling.stored.keys()];
    return stored.filter((url) => !documents.has(url) && !notes.has(url) && folderOver(url) === undefined);
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #notes({ notes }: Crawl): DocumentReading[] {
    const { clock, stored } = this.polling;
    return [...notes].flatMap(
      ([url, note]) => this.#remember(url, afterFailure(stored.get(url), note, clock.now())) ?? [],
    );
  }

  /**
   * Why nothing of this is to be removed: the pod itself cannot be read any more. One that is closed or goes away during the poll
   * keeps what it said, as one that was closed before it: only the operator drops a pod (design, section 6).
   */
  async #rootFault(gone: readonly string[]): Promise<ReadFailure | undefined> {
    if (gone.length === 0) return undefined;
    const { url, credentials } = this.polling;
    const reading = await this.#ask(url, {});
    const isThere = reading.kind === 'content' || reading.kind === 'unchanged';
    return isThere ? undefined : podFailure(reading, credentials !== undefined);
  }

  /** @param maxMembers of a container; the answer is a document when absent */
  async #ask(url: string, before: Validators, maxMembers?: number): Promise<Reading> {
    const { request, signal, limits, clock, url: own } = this.polling;
    const most = limits.most.components;
    const reading = await request({ url, before, most, maxMembers }, signal);
    throwIfStopped(signal);
    if (reading.kind !== 'failed' || this.#isOver) {
      this.#silence = [];
      return reading;
    }
    const { status, message, notBefore = 0 } = reading;
    this.#silence = status === undefined ? [...this.#silence, message] : [];
    if (url !== own && (status === 429 || notBefore > clock.now())) {
      // Of several, the longest pause counts.
      const longest = Math.max(this.#pause?.notBefore ?? 0, notBefore) || undefined;
      const why = `The pod asks for a pause (${url} answers ${status}); the next poll goes on from here`;
      this.#pause = { message: this.#pause?.message ?? why, notBefore: longest };
    }
    return reading;
  }
}
