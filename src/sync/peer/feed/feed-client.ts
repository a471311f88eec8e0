import { explain, MalformedInput, TaskTimeout } from '../../../lib/faults.js';
import type { Parsing } from '../../../lib/pool/task.js';
import { isParseFailure } from '../../sync-source.js';
import { type AskedPart, addressWith, type Parameters } from '../asked-part.js';
import type { FeedPage } from '../feed-page.js';
import type { PeerFailure, PeerProgress, PeerReading, PeerRequest } from '../peer-request.js';
import { readFeedPage } from './feed-task.js';

/** What came of asking for a page. */
export type FeedReading =
  | { readonly kind: 'page'; readonly page: FeedPage }
  /** The peer is in the state that was known. */
  | { readonly kind: 'unchanged' }
  | FeedFailure;

export interface FeedFailure extends PeerFailure {
  /** Is it what the peer said that could not be understood, and not that it said nothing? */
  readonly malformed?: boolean;
  /** Is it only that this node does not keep so much? */
  readonly isRoom?: boolean;
}

export interface FeedQuestion {
  readonly path: '/feed' | '/feed/sources' | '/feed/source';
  readonly parameters?: Parameters;
  /** Makes the request conditional: the cursor of the state that is known. */
  readonly known?: string;
  /** Changes on a page at most, where fewer than usual are wanted. */
  readonly limit?: number;
}

export interface FeedClientOptions {
  /** The peer's URL, without a slash at the end. */
  readonly peer: string;
  readonly request: PeerRequest;
  readonly progress: PeerProgress;
  readonly parsing: Parsing;
  /** Absent where only single sources are asked about. */
  readonly part?: AskedPart;
  /** Changes on a page, where pages have proved too large. */
  readonly pageSize?: number | undefined;
}

/** Page sizes to try, in this order, when a page was more than `sync.maxBytes`. At first the peer chooses. */
const PAGE_SIZES = [100, 10];

/** Asks a peer for pages of its feed. Rejects when the poll is stopped. */
export class FeedClient {
  readonly #options: FeedClientOptions;
  #pageSize: number | undefined;
  #lists: string | undefined;
  #hasLooked = false;

  constructor(options: FeedClientOptions) {
    this.#options = options;
    this.#pageSize = options.pageSize;
  }

  /** Changes on a page; absent while the peer chooses. */
  get pageSize(): number | undefined {
    return this.#pageSize;
  }

  /** What the peer has said last of its lists of addresses, in short; absent where it says nothing of them. */
  get lists(): string | undefined {
    return this.#lists;
  }

  /** Has the peer been heard on its lists, or asked in vain? */
  get hasLooked(): boolean {
    return this.#hasLooked || this.#lists !== undefined;
  }

  /** Asks the peer what it says of its lists; it may say nothing. */
  async lookAtLists(since: string): Promise<void> {
    this.#hasLooked = true;
    const { request, progress } = this.#options;
    const question = { accept: 'application/json', headOnly: true, known: {}, progress };
    const ask = (more: Parameters) =>
      request({ url: this.#url({ path: '/feed', parameters: { since } }, more), ...question });
    const reading = await this.#ofPart(ask);
    if (reading.kind === 'whole') this.#lists = reading.lists;
  }

  async ask(question: FeedQuestion): Promise<FeedReading> {
    for (;;) {
      const reading = await this.#askOnce(question);
      if (reading.kind !== 'failed' || reading.reason !== 'too-large') return reading;
      const smaller = PAGE_SIZES.find((size) => size < (this.#pageSize ?? Number.POSITIVE_INFINITY));
      if (smaller === undefined || question.path === '/feed/sources') {
        return { ...reading, message: `${reading.message}: raise sync.maxBytes to read it` };
      }
      this.#pageSize = smaller;
    }
  }

  async #askOnce(question: FeedQuestion): Promise<FeedReading> {
    const { request, progress } = this.#options;
    const known = { etag: question.known && `"${question.known}"` };
    const ask = (more: Parameters) =>
      request({ url: this.#url(question, more), accept: 'application/json', known, progress });
    const isOfPart = question.path !== '/feed/source';
    const reading = await (isOfPart ? this.#ofPart(ask) : ask({}));
    if (reading.kind !== 'whole') return reading;
    const { mediaType, text, lists } = reading;
    this.#lists = lists ?? this.#lists;
    if (!/[/+]json$/.test(mediaType)) {
      return {
        kind: 'failed',
        malformed: true,
        message: `it is ${mediaType || 'of no media type'}, not JSON`,
      };
    }
    try {
      return { kind: 'page', page: await readFeedPage(text, this.#options.parsing) };
    } catch (error) {
      if (!isParseFailure(error)) throw error;
      // A page for which there was no time is no sign of a peer that has none.
      const malformed = error instanceof MalformedInput && !(error instanceof TaskTimeout);
      return { kind: 'failed', malformed, message: explain(error) };
    }
  }

  async #ofPart(ask: (parameters: Parameters) => Promise<PeerReading>): Promise<PeerReading> {
    const { part } = this.#options;
    return part ? part.ask(ask, isRefusal) : ask({});
  }

  #url({ path, parameters = {}, limit = this.#pageSize }: FeedQuestion, more: Parameters): string {
    const isPaged = limit !== undefined && path !== '/feed/sources';
    const page = { limit: isPaged ? String(limit) : undefined };
    return addressWith(this.#options.peer + path, { ...parameters, ...page, ...more });
  }
}

/** Does the peer not understand what it is asked? */
function isRefusal(answer: PeerReading): boolean {
  return answer.kind === 'failed' && answer.status === 400;
}
