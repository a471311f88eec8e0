import { sizeOf } from '../../component/component-size.js';
import { type Amount, difference } from '../../core/amount.js';
import {
  afterFailure,
  type DocumentRecord,
  invalidComponent,
  withUnnamed,
} from '../../core/document-record.js';
import { fitsMore, overheadOf, roomFor } from '../../core/limits.js';
import type { Batch, DocumentReading, ReadFailure } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { podStream } from '../push/listening.js';
import { isFull } from '../room.js';
import type { SourceReader } from '../source-reader.js';
import { isBelow, type Member } from './container.js';
import { Crawl, type Found } from './crawl.js';
import { afterUnchanged, afterUnreadable, sameRecord, stampsOf, whyRead } from './document-record.js';
import { PodQuestions, type PodQuestionsParts } from './pod-questions.js';
import { createPodRequest, type PodAnswer, type PodOptions, podFailure } from './pod-request.js';

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

interface PodPolling extends PodOptions, PodQuestionsParts {
  readonly stored: StoredSource['documents'];
}

/** Documents of a pod that are read at a time. What is read is in memory until its batch has been taken. */
const READERS: Readonly<Record<Trust, number>> = { configured: 2, learned: 1 };
/** Documents that one poll asks for only because they have not been asked for within the hour. */
const ASKED_AGAIN = 1_000;

/** One poll of one pod, from its own URL to everything below it. */
class PodReading {
  readonly #questions: PodQuestions;
  /** For what is found in documents that are not known yet. */
  #room: Amount;
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;

  constructor(readonly polling: PodPolling) {
    this.#questions = new PodQuestions(polling);
    this.#room = polling.limits.room;
  }

  /** Looks what the pod's own URL is, and reads that. */
  async *batches(): AsyncGenerator<Batch> {
    const { url, credentials, maxDocuments, stored } = this.polling;
    const reading = await this.#questions.ask(url, this.#remembered(url), maxDocuments);
    if (reading.kind === 'content' && reading.isContainer)
      return yield* this.#container(reading.url, reading.members);
    if (reading.kind !== 'content' && reading.kind !== 'unchanged')
      return yield this.#last([], [], this.#questions.stop ?? podFailure(reading, credentials !== undefined));
    // However much it says, nothing is left for another poll.
    const stop = this.#questions.stop;
    const own = stop ? undefined : this.#said({ url }, reading);
    const others = [...stored.keys()].filter((other) => other !== url);
    yield this.#last(own ? [own] : [], others, stop);
  }

  /**
   * Reads all that there is below a container. What failed last time comes after everything else, which is
   * complete without it: it may be silent or ask for a pause each time.
   */
  async *#container(root: string, listed: readonly Member[]): AsyncGenerator<Batch> {
    const { url, maxDocuments, stored, clock } = this.polling;
    // Others are notes of containers.
    const read = [...stored].filter(([, { readAt, components }]) => readAt !== undefined || components > 0);
    const known = new Set(read.map(([document]) => document));
    const crawl = new Crawl({ url, root, known, maxDocuments });
    const failing: Found[] = [];
    const members = crawl.opened({ url: root, depth: 0 }, listed);
    const gone = new Set(yield* this.#readBelow(members, crawl, failing));
    const failure = this.#questions.stop ?? (await this.#rootFault(gone.size > 0));
    if (failure) return yield this.#last(this.#notes(crawl), [], failure);
    // Those that never answer are not always the first.
    const first = clock.now() % Math.max(failing.length, 1);
    const turned = [...failing.slice(first), ...failing.slice(0, first)];
    const all = [...gone, ...(yield* this.#readBelow(turned, crawl))];
    // After it asked for a pause the root is not asked again; it answered at the start, so removals count.
    const isThere = this.#questions.pause || !(await this.#rootFault(new Set(all).size > gone.size));
    yield this.#last(this.#notes(crawl), [...(isThere ? new Set(all) : gone)]);
  }

  /** Reads members and all that is below them. @param postponed gets what failed last time. @returns what is gone */
  async *#readBelow(
    members: readonly Found[],
    crawl: Crawl,
    postponed?: Found[],
  ): AsyncGenerator<Batch, string[]> {
    const { stored, trust } = this.polling;
    const documents: Member[] = [];
    const waiting = [...members];
    const round = postponed ? 'first' : 'again';
    this.#questions.begin(round);
    const isPostponed = ({ url }: Member) => postponed && stored.get(url)?.error !== undefined;
    for (const member of waiting) {
      if (isPostponed(member)) postponed?.push(member);
      else if (member.isContainer) waiting.push(...(await this.#open(member, crawl)));
      else documents.push(member);
    }
    for (const member of crawl.chosen()) (isPostponed(member) ? postponed : documents)?.push(member);
    this.#questions.begin(round);
    const gone: string[] = [];
    const due = this.#due(documents);
    const readers = READERS[trust];
    for (let at = 0; at < due.length && !this.#questions.stop; at += readers) {
      const some = due.slice(at, at + readers);
      for (const read of await Promise.all(some.map((one) => this.#readMember(one)))) {
        if (typeof read === 'string') gone.push(read);
        else if (read) yield { put: [read], gone: [], isLast: false };
      }
    }
    return [...gone, ...crawl.vanished(stored.keys())];
  }

  #last(put: readonly DocumentReading[], gone: readonly string[], failure?: ReadFailure): Batch {
    const { notBefore } = this.#questions.pause ?? {};
    const end = { complete: !failure, failure, notBefore, unread: this.#unread };
    return { put, gone: failure ? [] : gone, isLast: true, ...end };
  }

  /** Reads a nested container, never conditionally: its tag does not tell of edits. */
  async #open(container: Found, crawl: Crawl): Promise<readonly Found[]> {
    if (this.#questions.stop || crawl.hasAll) return [];
    const reading = await this.#questions.ask(container.url, {}, this.polling.maxDocuments);
    // One that was being read when the time of the poll was over has no fault.
    if (this.#questions.isOver) return [];
    if (reading.kind === 'withdrawn') return crawl.opened(container);
    const isContainer = reading.kind === 'content' && reading.isContainer;
    if (isContainer && isBelow(reading.url, crawl.parts.root))
      return crawl.opened(container, reading.members);
    const isNone = isContainer
      ? `leads to ${reading.url}, outside the pod`
      : 'is listed as a container and is none';
    crawl.notes.set(container.url, 'message' in reading ? reading.message : isNone);
    return [];
  }

  /** The members that have to be asked for, and some of those that have not been for long. */
  #due(members: readonly Member[]): readonly Member[] {
    const { clock, stored } = this.polling;
    const now = clock.now();
    const [due, old]: [Member[], Member[]] = [[], []];
    for (const member of members) {
      const why = this.#wantsRest(member.url) ? 'news' : whyRead(member, stored.get(member.url), now);
      if (why) (why === 'age' ? old : due).push(member);
    }
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    return [...due, ...old.sort((one, other) => readAt(one) - readAt(other)).slice(0, ASKED_AGAIN)];
  }

  /** @returns the URL of what is withdrawn; nothing where nothing is new, or there is no room or time */
  async #readMember(member: Member): Promise<DocumentReading | string | undefined> {
    const { url } = member;
    const isKnown = this.polling.stored.has(url);
    if (!isKnown && isFull({ room: this.#room, most: this.polling.limits.most })) {
      this.#unread += 1;
      return undefined;
    }
    const reading = await this.#questions.ask(url, this.#remembered(url));
    // What was under way when the time of the poll was over is left as it was.
    if (this.#questions.isOver) return undefined;
    if (reading.kind !== 'withdrawn') return this.#said(member, reading);
    return isKnown ? url : undefined;
  }

  /** What an answer says of a document: its components, what is to be remembered of it, or nothing. */
  #said(member: Member, reading: Exclude<PodAnswer, { kind: 'withdrawn' }>): DocumentReading | undefined {
    const { url, modified } = member;
    const stored = this.polling.stored.get(url);
    const now = this.polling.clock.now();
    if (reading.kind === 'unchanged')
      return stored && this.#remember(url, afterUnchanged(stored, member, reading.date, now));
    if (reading.kind === 'failed') return this.#remember(url, afterFailure(stored, reading.message, now));
    const stamps = stampsOf(reading, modified);
    // Pods hold images and texts, too. One in place of components is more likely a mistake.
    if (reading.kind === 'unusable' && reading.otherType && !stored?.components)
      return this.#remember(url, { ...stamps, readAt: now });
    if (reading.kind === 'unusable')
      return this.#remember(url, afterUnreadable(stored, stamps, reading.message, now));
    const { components } = reading;
    if (!stored) for (const one of components) this.#room = difference(this.#room, roomFor(one));
    const invalid = withUnnamed(reading.invalid.map(invalidComponent), reading.unnamed);
    const record = { ...stamps, readAt: now, invalid };
    this.#questions.hold(overheadOf(url, record).bytes);
    for (const one of components) this.#questions.hold(sizeOf(one));
    return { url, components, record };
  }

  #remember(url: string, record: DocumentRecord): DocumentReading | undefined {
    return sameRecord(this.polling.stored.get(url), record) ? undefined : { url, record };
  }

  /** Is there room by now for what was left out of a document? Then it has to be sent again. */
  #wantsRest(url: string): boolean {
    const { stored, limits } = this.polling;
    return fitsMore(stored.get(url) ?? {}, limits.room);
  }

  /** What makes the request for a document conditional. */
  #remembered(url: string): Validators {
    return this.#wantsRest(url) ? {} : (this.polling.stored.get(url) ?? {});
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #notes({ notes }: Crawl): DocumentReading[] {
    const { clock, stored } = this.polling;
    return [...notes].flatMap(
      ([url, note]) => this.#remember(url, afterFailure(stored.get(url), note, clock.now())) ?? [],
    );
  }

  /**
   * Why nothing is to be removed: the pod itself cannot be read any more. One that is closed or goes away
   * during the poll keeps what it said, as one closed before it: only the operator drops a pod (design,
   * section 6).
   */
  async #rootFault(isAnyGone: boolean): Promise<ReadFailure | undefined> {
    if (!isAnyGone) return undefined;
    const { url, credentials } = this.polling;
    const reading = await this.#questions.ask(url, {});
    const isThere = reading.kind === 'content' || reading.kind === 'unchanged';
    return isThere ? undefined : podFailure(reading, credentials !== undefined);
  }
}
