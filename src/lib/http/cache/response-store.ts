import type { RouteMetrics } from '../route-metrics.js';
import { type HeaderReader, sameValues, type VariedValues } from './varied-headers.js';

/** A complete response that can be sent again. */
export interface StoredResponse {
  readonly status: number;
  /** Names and values alternating, as `writeHead` takes them. */
  readonly headers: string[];
  readonly body: string | Uint8Array | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Where each time that it is sent is counted. */
  readonly metrics?: RouteMetrics | undefined;
}

export interface CacheLimits {
  /** Bytes of all responses together; beyond this, the oldest are dropped. */
  readonly maxBytes: number;
  /** Bytes of one response; larger ones are not stored. */
  readonly maxResponseBytes: number;
}

/** A response for one combination of header values. */
interface Variant {
  /** Of the headers that the route declares in `varies`. */
  readonly values: VariedValues;
  readonly response: StoredResponse;
  /** Bytes, roughly. */
  readonly cost: number;
}

/** The responses to one target, or to one body that was sent to it. */
interface Variants {
  readonly read: HeaderReader;
  readonly list: Variant[];
}

/** Memory that a response takes beyond its body and its key, in bytes, roughly: its headers and the objects around it. */
const OVERHEAD = 1000;
/** How many variants one target has at most: they are searched one by one. */
const MAX_VARIANTS = 8;
/** Number of slots in which hashes of earlier requests are noted. */
const SLOTS = 2 ** 16;

/**
 * The responses of a `ResponseCache`, bounded in number and bytes. They are found by a key (what is asked), then by
 * the values of the headers that the route says its answers vary on, as in RFC 9111, section 4.1.
 */
export class ResponseStore {
  readonly figures = { hits: 0, misses: 0, bytes: 0, answers: 0 };
  readonly #limits: CacheLimits;
  readonly #responses = new Map<string, Variants>();
  /** A quarter of a megabyte, made for the first request. */
  #hashes: Uint32Array | undefined;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get(key: string, rawHeaders: readonly string[]): StoredResponse | undefined {
    const variants = this.#responses.get(key);
    const values = variants?.read(rawHeaders);
    const found = values && variants?.list.find((variant) => sameValues(variant.values, values))?.response;
    if (found) this.figures.hits += 1;
    else this.figures.misses += 1;
    return found;
  }

  /**
   * Is the response to this request worth storing? True from the second request on, unless the hash of another request
   * has replaced that of the first one. By chance (equal hashes) it is true for a first request, which does no harm.
   */
  wants(key: string): boolean {
    const hashed = hash(key);
    const slot = hashed % SLOTS;
    this.#hashes ??= new Uint32Array(SLOTS);
    if (this.#hashes[slot] === hashed) return true;
    this.#hashes[slot] = hashed;
    return false;
  }

  put(key: string, rawHeaders: readonly string[], read: HeaderReader, response: StoredResponse): void {
    if (response.bytes > this.#limits.maxResponseBytes) return;
    const values = read(rawHeaders);
    const variants = this.#responses.get(key) ?? { read, list: [] };
    if (!values || variants.list.some((variant) => sameValues(variant.values, values))) return;
    this.#responses.set(key, variants);
    // Headers may be long: what is stored of them counts, too.
    const headers = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    const cost = response.bytes + key.length + headers + OVERHEAD;
    variants.list.push({ values, response, cost });
    this.#count(cost, 1);
    if (variants.list.length > MAX_VARIANTS) this.#drop(variants);
    this.#shrink();
  }

  clear(): void {
    this.#responses.clear();
    Object.assign(this.figures, { bytes: 0, answers: 0 });
  }

  #shrink(): void {
    for (const [key, oldest] of this.#responses) {
      if (this.figures.bytes <= this.#limits.maxBytes) return;
      while (oldest.list.length > 0) this.#drop(oldest);
      this.#responses.delete(key);
    }
  }

  #drop({ list }: Variants): void {
    const gone = list.shift();
    if (gone) this.#count(-gone.cost, -1);
  }

  #count(bytes: number, answers: number): void {
    this.figures.bytes += bytes;
    this.figures.answers += answers;
  }
}

/** The FNV-1a hash of a text, never 0: that is the value of a free slot. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0 || 1;
}
