import type { RequestWatch } from './request-watch.js';

/** An answer that may be given again, as it goes over the wire. */
export interface KeptAnswer {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headers: string[];
  readonly body: string | Uint8Array | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** To be told of each time it is given. */
  readonly watch?: (() => ReturnType<RequestWatch>) | undefined;
}

export interface CacheLimits {
  /** Bytes of all answers together; the oldest go. */
  readonly maxBytes: number;
  /** Bytes of one answer; larger ones are not kept. */
  readonly maxAnswerBytes: number;
}

/** What an answer costs beyond its body, in bytes, roughly: its head and its place. */
const OVERHEAD = 1000;
/** Characters of the requests that have been seen once, all together. */
const MAX_SEEN = 2_000_000;

/**
 * Answers to requests that come again, for as long as nothing changes. An answer is kept when its request has
 * come before: what is asked once would only drive out what is asked often.
 */
export class AnswerCache {
  readonly figures = { hits: 0, misses: 0, bytes: 0, answers: 0 };
  readonly #limits: CacheLimits;
  readonly #state: () => unknown;
  readonly #answers = new Map<string, KeptAnswer>();
  readonly #seen = new Set<string>();
  #seenLength = 0;
  #current: unknown;

  /** `state` is asked with every request; when it gives another object than before, no answer holds any more. */
  constructor(limits: CacheLimits, state: () => unknown) {
    this.#limits = limits;
    this.#state = state;
  }

  get(key: string): KeptAnswer | undefined {
    const state = this.#state();
    if (state !== this.#current) this.#forget(state);
    const answer = this.#answers.get(key);
    if (answer) this.figures.hits += 1;
    else this.figures.misses += 1;
    return answer;
  }

  /** Is an answer to this request worth being kept? True from its second time on. */
  wants(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seenLength + key.length > MAX_SEEN) this.#forgetSeen();
    this.#seen.add(key);
    this.#seenLength += key.length;
    return false;
  }

  /** Keeps an answer that was made in the state that `get` saw. */
  keep(key: string, answer: KeptAnswer): void {
    const { maxBytes, maxAnswerBytes } = this.#limits;
    if (answer.bytes > maxAnswerBytes || this.#state() !== this.#current || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.figures.answers += 1;
    this.figures.bytes += costOf(key, answer);
    for (const [oldest, gone] of this.#answers) {
      if (this.figures.bytes <= maxBytes) break;
      this.#answers.delete(oldest);
      this.figures.answers -= 1;
      this.figures.bytes -= costOf(oldest, gone);
    }
  }

  #forget(state: unknown): void {
    this.#current = state;
    this.#answers.clear();
    Object.assign(this.figures, { bytes: 0, answers: 0 });
  }

  #forgetSeen(): void {
    this.#seen.clear();
    this.#seenLength = 0;
  }
}

function costOf(key: string, { bytes }: KeptAnswer): number {
  return bytes + key.length + OVERHEAD;
}
