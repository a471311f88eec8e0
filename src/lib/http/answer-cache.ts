import type { RouteWatch } from './request-watch.js';

/** All that the answer to a request depends on. */
export interface RequestKey {
  /** What tells most requests apart: the URL, or the body of a question. */
  readonly main: string;
  /** Everything else, in a fixed order. */
  readonly rest: readonly (string | undefined)[];
}

/** An answer that may be given again, as it goes over the wire. */
export interface KeptAnswer {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headers: string[];
  readonly body: string | Uint8Array | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** To be told of each time it is given. */
  readonly watch?: RouteWatch | undefined;
}

export interface CacheLimits {
  /** Bytes of all answers together; the oldest go. */
  readonly maxBytes: number;
  /** Bytes of one answer; larger ones are not kept. */
  readonly maxAnswerBytes: number;
}

interface Variant {
  readonly rest: RequestKey['rest'];
  readonly answer: KeptAnswer;
  /** Bytes, roughly. */
  readonly cost: number;
}

/** What an answer costs beyond its body and its key, in bytes, roughly: its head and its place. */
const OVERHEAD = 1000;
/** Answers to requests that differ in the rest alone, at most: they are looked through one by one. */
const MAX_VARIANTS = 8;
/** Places for marks of requests that have come before. */
const MARKS = 2 ** 16;

/**
 * Answers to requests that come again, for as long as nothing changes. An answer is kept when its request has
 * come before: what is asked once would only drive out what is asked often.
 */
export class AnswerCache {
  readonly figures = { hits: 0, misses: 0, bytes: 0, answers: 0 };
  readonly #limits: CacheLimits;
  readonly #state: () => unknown;
  readonly #answers = new Map<string, Variant[]>();
  readonly #marks = new Uint32Array(MARKS);
  #current: unknown;

  /** `state` is asked with every request; when it gives another object than before, no answer holds any more. */
  constructor(limits: CacheLimits, state: () => unknown) {
    this.#limits = limits;
    this.#state = state;
  }

  get(key: RequestKey): KeptAnswer | undefined {
    const state = this.#state();
    if (state !== this.#current) this.#forget(state);
    const answer = this.#find(key);
    if (answer) this.figures.hits += 1;
    else this.figures.misses += 1;
    return answer;
  }

  /**
   * Is an answer to this request worth being kept? True from its second time on, unless another request has taken
   * its place meanwhile; hardly ever true without reason.
   */
  wants(key: RequestKey): boolean {
    const mark = markOf(key);
    const place = mark % MARKS;
    if (this.#marks[place] === mark) return true;
    this.#marks[place] = mark;
    return false;
  }

  /** Keeps an answer that was made in the state that `get` saw. */
  keep(key: RequestKey, answer: KeptAnswer): void {
    const { maxBytes, maxAnswerBytes } = this.#limits;
    if (answer.bytes > maxAnswerBytes || this.#state() !== this.#current || this.#find(key)) return;
    const variants = this.#answers.get(key.main) ?? [];
    this.#answers.set(key.main, variants);
    const cost = answer.bytes + lengthOf(key) + OVERHEAD;
    variants.push({ rest: key.rest, answer, cost });
    this.#count(cost, 1);
    if (variants.length > MAX_VARIANTS) this.#drop(variants);
    for (const [main, oldest] of this.#answers) {
      if (this.figures.bytes <= maxBytes) break;
      while (oldest.length > 0) this.#drop(oldest);
      this.#answers.delete(main);
    }
  }

  #find({ main, rest }: RequestKey): KeptAnswer | undefined {
    const variants = this.#answers.get(main);
    if (variants) for (const variant of variants) if (isSame(variant.rest, rest)) return variant.answer;
    return undefined;
  }

  #drop(variants: Variant[]): void {
    const gone = variants.shift();
    if (gone) this.#count(-gone.cost, -1);
  }

  #count(bytes: number, answers: number): void {
    this.figures.bytes += bytes;
    this.figures.answers += answers;
  }

  #forget(state: unknown): void {
    this.#current = state;
    this.#answers.clear();
    Object.assign(this.figures, { bytes: 0, answers: 0 });
  }
}

/** Headers may be long: what is kept of them counts, too. */
function lengthOf({ main, rest }: RequestKey): number {
  return rest.reduce((sum, text) => sum + (text?.length ?? 0), main.length);
}

function isSame(one: RequestKey['rest'], other: RequestKey['rest']): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** A number from 1 on that another request has by chance only (FNV-1a). */
function markOf({ main, rest }: RequestKey): number {
  let mark = hash(0x811c9dc5, main);
  for (const text of rest) mark = hash(mark, text ?? '');
  return mark >>> 0 || 1;
}

function hash(seed: number, text: string): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // Two texts are not one long one.
  return Math.imul(value ^ 0x100, 0x01000193);
}
