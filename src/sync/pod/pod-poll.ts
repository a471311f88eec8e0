import type { Described } from '../../component/reading/described.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { DocumentChange } from '../../core/document-change.js';
import { fitsMore } from '../../core/limits.js';
import type { StoredSource } from '../../core/source-record.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { inParallel } from '../../lib/in-parallel.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import type { Parsing, TaskPool } from '../../lib/pool/task.js';
import {
  isParseFailure,
  type PollFailure,
  type PollProgress,
  type PollResult,
  throwIfStopped,
} from '../sync-source.js';
import { stumbled } from '../wrong.js';
import type { Listing, Member } from './container.js';
import { type ContainerReading, type CrawlResult, crawl, EVERYWHERE, isIn, listingFault } from './crawl.js';
import { changeOf, documentOf } from './document-reading.js';
import { afterFailure, sameRecord, trusted, validatorsOf, whyRead } from './document-record.js';
import { type PodContent, podContent } from './pod-content.js';
import { podFailure } from './pod-failure.js';
import type { PodAccess, PodRequest, Reading, Whole } from './pod-request.js';
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
  /** Is each large document stored before the next one is parsed? That takes longer, and 50 MB less. */
  readonly largeDocumentsInTurn?: boolean | undefined;
}

interface PodPolling extends PodOptions {
  readonly request: PodRequest;
  readonly stored: StoredSource['documents'];
  readonly progress: PollProgress;
}

/** Documents of a pod that are read at a time. What is read is in memory until it is stored. */
const READERS: Readonly<Record<Trust, number>> = { configured: 2, learned: 1 };
/**
 * What one poll gathers before it is stored. A smaller poll is stored at once, as a whole; of a larger one, only
 * each document is: it would take too much memory.
 */
const PORTION = { components: 10_000, characters: 8_000_000 } as const;
/** Documents that one poll asks for only because they have not been asked for within the hour, those of the longest time first. */
const ASKED_AGAIN = 1_000;
/** Bytes from which on a document is large. */
const LARGE = 1_000_000;

/** One poll of one pod, from its own URL to everything below it. Rejects when it is stopped. */
export class PodPoll {
  readonly #options: PodPolling;
  readonly #parsing: Parsing;
  readonly #budget: PollBudget;
  readonly #changes: DocumentChange[] = [];
  /** Documents that are refused, or gone although they were listed. */
  readonly #withdrawn: DocumentChange[] = [];
  /** Components in the changes, and characters of the documents that they come from. */
  readonly #gathered = { components: 0, characters: 0 };
  /** Documents that are not read because the node keeps no more of this pod. */
  #unread = 0;
  /** Documents, and containers with a note, whose record this poll has decided: they are not removed. */
  readonly #handled = new Set<string>();
  readonly #turns = new KeyedMutex();

  constructor(options: PodPolling) {
    const { pool, trust, progress } = options;
    this.#options = options;
    this.#parsing = { pool, lane: trust, signal: progress.signal };
    this.#budget = new PollBudget(progress.signal);
  }

  async run(): Promise<PollResult> {
    const { url, credentials } = this.#options;
    const reading = await this.#ask(url, this.#validatorsFor(url));
    if (reading.kind === 'unchanged') return this.#document(reading);
    if (reading.kind !== 'whole') return failed(podFailure(reading, credentials !== undefined));
    const content = await this.#contentOf(reading);
    if ('message' in content) {
      const failure = { message: `The pod's own document cannot be read: ${content.message}` };
      return failed(this.#budget.exhausted ?? failure);
    }
    if (content.kind === 'document') return this.#document(reading, content.described);
    return this.#container(reading, content.listing);
  }

  /** What is in a body, or why that is not to be known. */
  async #contentOf(reading: Whole): Promise<PodContent | { readonly message: string }> {
    const { vocabulary, maxDocuments: maxMembers } = this.#options;
    const { container } = reading;
    try {
      const body = { ...documentOf(reading, vocabulary), container, maxMembers, most: this.#most };
      return await podContent(body, this.#parsing);
    } catch (error) {
      throwIfStopped(this.#options.progress.signal);
      if (isParseFailure(error)) return { message: explain(error) };
      this.#options.log.error({ document: reading.url, err: error }, 'this node stumbled over a document');
      return { message: stumbled(error) };
    }
  }

  /**
   * The pod is one document. What it held when it was a container is asked for one by one, so that neither
   * a server's slip removes it all, nor what was deleted stays.
   */
  async #document(reading: Reading, described?: Described): Promise<PollResult> {
    const { url } = this.#options;
    this.#handled.add(url);
    await this.#record({ url }, reading, described);
    return this.#read({ documents: new Map(), notes: new Map(), unlisted: [EVERYWHERE], unknown: [] });
  }

  async #container(reading: Whole, listing: Listing): Promise<PollResult> {
    const { url, maxDocuments } = this.#options;
    const fault = listingFault(listing);
    if (fault) return failed({ message: `The pod ${fault}` });
    const root = { url, base: reading.url, listing };
    return this.#read(await crawl(root, (nested) => this.#open(nested), maxDocuments));
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
    return this.#isOver() ? { kind: 'unread' } : { kind: 'unreadable', message };
  }

  /** Is the time of the poll over? */
  #isOver(): boolean {
    return this.#options.progress.signal.aborted;
  }

  /** Reads what has to be read, and drops what is neither there nor possibly there. */
  async #read(found: CrawlResult): Promise<PollResult> {
    const { stored, trust } = this.#options;
    this.#note(found.notes);
    const members = [...found.documents.values(), ...this.#unlisted(found)];
    for (const { url } of members) this.#handled.add(url);
    await inParallel(READERS[trust], this.#due(members), (member) => this.#readMember(member));
    const mayBeThere = isIn(found.unknown);
    for (const url of stored.keys()) {
      if (!this.#handled.has(url) && !mayBeThere(url)) this.#changes.push({ url, record: null });
    }
    const failure = (await this.#withdraw()) ?? this.#budget.exhausted;
    return { documents: this.#changes, unread: this.#unread, failure };
  }

  /** The members that have to be asked for, and some of those that have not been for long. */
  #due(members: readonly Member[]): Member[] {
    const { stored, clock } = this.#options;
    const now = clock.now();
    const why = new Map(
      members.map((member) => [
        member,
        this.#hasRoom(member) ? 'news' : whyRead(member, stored.get(member.url), now),
      ]),
    );
    const readAt = ({ url }: Member) => stored.get(url)?.readAt ?? 0;
    const old = members.filter((member) => why.get(member) === 'age');
    old.sort((one, other) => readAt(one) - readAt(other));
    return [...members.filter((member) => why.get(member) === 'news'), ...old.slice(0, ASKED_AGAIN)];
  }

  async #readMember(member: Member): Promise<void> {
    if (this.#budget.exhausted) return;
    if (this.#passesOver(member)) return;
    const reading = await this.#ask(member.url, this.#validatorsFor(member.url));
    // A document that was being asked for when the time of the poll was over has no fault.
    if (reading.kind === 'failed' && this.#isOver()) return;
    const isLarge = reading.kind === 'whole' && reading.size >= LARGE;
    if (!isLarge || !this.#options.largeDocumentsInTurn) return this.#record(member, reading);
    await this.#turns.run('', async () => {
      // The one before it may have taken all the room.
      if (!this.#passesOver(member)) await this.#record(member, reading);
    });
  }

  /** What was left out of a document has to be sent again, even if the document is what it was. */
  #validatorsFor(url: string): Validators {
    return this.#hasRoom({ url }) ? {} : validatorsOf(trusted(this.#options.stored.get(url)));
  }

  /** Is a document left out because the node keeps no more of this pod? */
  #passesOver({ url }: Member): boolean {
    const { stored, progress } = this.#options;
    const passesOver = !stored.has(url) && progress.full;
    if (passesOver) this.#unread += 1;
    return passesOver;
  }

  /**
   * Removes what is refused or gone, if the pod itself can still be read. One that is closed or goes away during the poll
   * keeps what it said, as one that was closed before it: only the operator drops a pod (design, section 6).
   */
  async #withdraw(): Promise<PollFailure | undefined> {
    const { url, credentials } = this.#options;
    if (this.#withdrawn.length === 0 || this.#budget.exhausted) return undefined;
    const reading = await this.#ask(url, {});
    const isThere = reading.kind === 'whole' || reading.kind === 'unchanged';
    if (!isThere) return podFailure(reading, credentials !== undefined);
    this.#changes.push(...this.#withdrawn);
    return undefined;
  }

  /** What is beyond need not take memory before it is left out. */
  get #most(): number {
    return this.#options.progress.limit.components;
  }

  /** Is there room by now for what was left out of a document? */
  #hasRoom({ url }: Member): boolean {
    const { stored, progress } = this.#options;
    return fitsMore(stored.get(url) ?? {}, progress.room);
  }

  async #record(member: Member, reading: Reading, described?: Described): Promise<void> {
    const { stored, clock, vocabulary, log } = this.#options;
    const parts = { vocabulary, parsing: this.#parsing, most: this.#most, now: () => clock.now(), log };
    // Even of a text that is the same as before, components are wanted that were left out of it.
    const last = trusted(stored.get(member.url));
    const { hash, ...rest } = last ?? { components: 0 };
    const before = this.#hasRoom(member) ? rest : last;
    const change = await changeOf(reading, member, before, parts, described);
    if (!change) return;
    (reading.kind === 'withdrawn' ? this.#withdrawn : this.#changes).push(change);
    this.#gathered.components += change.components?.length ?? 0;
    this.#gathered.characters += reading.kind === 'whole' ? reading.size : 0;
    await this.#storePortion();
  }

  async #storePortion(): Promise<void> {
    const { components, characters } = this.#gathered;
    if (components < PORTION.components && characters < PORTION.characters) return;
    Object.assign(this.#gathered, { components: 0, characters: 0 });
    await this.#options.progress.store(this.#changes.splice(0));
  }

  /** Stored documents in folders that give no whole listing: each is asked whether it is still there. */
  #unlisted({ documents, unlisted, unknown }: CrawlResult): Member[] {
    const [isUnlisted, isUnknown] = [isIn(unlisted), isIn(unknown)];
    return [...this.#options.stored]
      .filter(
        ([url, { readAt, components }]) =>
          (readAt !== undefined || components > 0) && !this.#handled.has(url) && !documents.has(url),
      )
      .filter(([url]) => isUnlisted(url) && !isUnknown(url))
      .map(([url]) => ({ url }));
  }

  /** Says what keeps containers from being read, in the place where the status page looks for it. */
  #note(notes: CrawlResult['notes']): void {
    for (const [url, note] of notes) {
      const before = this.#options.stored.get(url);
      const record = afterFailure(before, note, this.#options.clock.now());
      if (!sameRecord(before, record)) this.#changes.push({ url, record });
      this.#handled.add(url);
    }
  }

  async #ask(url: string, validators: Validators): Promise<Reading> {
    const { request, progress } = this.#options;
    const reading = await request(url, validators, progress.signal);
    throwIfStopped(progress.signal);
    this.#budget.record(reading);
    if (reading.kind === 'whole') await progress.beforeParsing(reading.size);
    return reading;
  }
}

function failed(failure: PollFailure): PollResult {
  return { documents: [], failure };
}
