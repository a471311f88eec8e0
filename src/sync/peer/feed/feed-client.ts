import { explain, MalformedInput, TaskTimeout } from '../../../lib/faults.js';
import { isParseFailure } from '../../sync-source.js';
import { addressWith, type Parameters } from '../asked-part.js';
import type { FeedPage } from '../feed-page.js';
import type { PeerPolling } from '../peer-polling.js';
import type { PeerReading } from '../peer-request.js';
import { type FeedFailure, type FeedPath, malformed, UNASKED } from './feed-stop.js';
import { readFeedPage } from './feed-task.js';

/** What came of asking for a page; `unchanged`: the peer is in the state that was known. */
export type FeedReading =
  | { readonly kind: 'page'; readonly page: FeedPage }
  | { readonly kind: 'unchanged' }
  | FeedFailure;

export interface FeedQuestion {
  readonly path: FeedPath;
  readonly parameters?: Parameters;
  /** Makes the request conditional: the cursor of the state that was read before. */
  readonly before?: string;
  /** Changes on a page at most, where fewer than usual are wanted. */
  readonly limit?: number;
}

/** Page sizes to try, in this order, when a page was more than `sync.maxBytes`. At first the peer chooses. */
const PAGE_SIZES = [100, 10];

/** Asks a peer for pages of its feed. Rejects when the poll is stopped. */
export class FeedClient {
  readonly #polling: PeerPolling;
  #pageSize: number | undefined;
  #lists: string | undefined;
  #hasLooked = false;

  constructor(polling: PeerPolling) {
    this.#polling = polling;
    this.#pageSize = polling.remembered.feed?.pageSize;
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
    const { request, part, progress } = this.#polling;
    const question = { accept: 'application/json', headOnly: true, before: {}, progress };
    const ask = (more: Parameters) =>
      request({ url: this.#url({ path: '/feed', parameters: { since } }, more), ...question });
    const reading = await part.ask(ask, isRefusal);
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
    const { request, part, progress, parsing } = this.#polling;
    const { path } = question;
    const before = { etag: question.before && `"${question.before}"` };
    const ask = (more: Parameters) =>
      request({ url: this.#url(question, more), accept: 'application/json', before, progress });
    const reading = await (path === '/feed/source' ? ask({}) : part.ask(ask, isRefusal));
    if (reading.kind === 'failed') return { ...reading, path };
    if (reading.kind === 'unchanged') return reading;
    const { mediaType, text, lists } = reading;
    this.#lists = lists ?? this.#lists;
    if (!/[/+]json$/.test(mediaType))
      return malformed(path, `it is ${mediaType || 'of no media type'}, not JSON`);
    try {
      return { kind: 'page', page: await readFeedPage(text, parsing) };
    } catch (error) {
      if (!isParseFailure(error)) throw error;
      // A page for which there was no time is no sign of a peer that has none.
      const isMalformed = error instanceof MalformedInput && !(error instanceof TaskTimeout);
      return { kind: 'failed', path, malformed: isMalformed, message: explain(error) };
    }
  }

  #url({ path, parameters = {}, limit = this.#pageSize }: FeedQuestion, more: Parameters): string {
    const isPaged = limit !== undefined && path !== '/feed/sources';
    const page = { limit: isPaged ? String(limit) : undefined };
    return addressWith(this.#polling.peer + path, { ...parameters, ...page, ...more });
  }
}

/** Does the peer not understand what it is asked? */
function isRefusal(answer: PeerReading): boolean {
  return answer.kind === 'failed' && answer.status === 400;
}

/** An answer that should have been a page. */
export function notAPage(path: FeedPath, reading: Exclude<FeedReading, { kind: 'page' }>): FeedFailure {
  return reading.kind === 'failed' ? reading : malformed(path, UNASKED);
}
