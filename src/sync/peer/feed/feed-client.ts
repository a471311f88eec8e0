import { explain, MalformedInput, TaskTimeout } from '../../../lib/faults.js';
import { isParseFailure } from '../../sync-source.js';
import { addressWith, type Parameters } from '../address-with.js';
import type { FeedPage } from '../feed-page.js';
import type { PeerPolling } from '../peer-polling.js';
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
    const { request, progress } = this.#polling;
    const question = { accept: 'application/json', headOnly: true, before: {}, progress };
    const reading = await request({ url: this.#url({ path: '/feed', parameters: { since } }), ...question });
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
    const { request, progress, parsing } = this.#polling;
    const { path } = question;
    const before = { etag: question.before && `"${question.before}"` };
    const url = this.#url(question);
    const reading = await request({ url, accept: 'application/json', before, progress });
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

  #url({ path, parameters = {} }: FeedQuestion): string {
    const isPaged = this.#pageSize !== undefined && path !== '/feed/sources';
    const page = { limit: isPaged ? String(this.#pageSize) : undefined };
    return addressWith(this.#polling.peer + path, { ...parameters, ...page });
  }
}

/** An answer that should have been a page. */
export function notAPage(path: FeedPath, reading: Exclude<FeedReading, { kind: 'page' }>): FeedFailure {
  return reading.kind === 'failed' ? reading : malformed(path, UNASKED);
}
