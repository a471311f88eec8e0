import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { BodyPieces } from '../lib/http/response/body.js';

/** Bytes of pages in memory, about; when there are more, new pages are made shorter. */
const ALL_BYTES = 32_000_000;
const KEPT_BYTES = 8_000_000;
/** Bytes of one page: at most, and at least when memory is short. */
const PAGE_BYTES = { most: 4_000_000, least: 65_536 };

export interface MadePage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const compress = promisify(gzip);
/** Shorter bodies are not compressed, in bytes: it would save less than it costs. */
const SHORT = 800;

/** Makes a page of its text, compressed where that is worth it; `headers` are told whether it is. */
export async function pageOf(
  text: string,
  coding: 'gzip' | undefined,
  headers: (coding?: 'gzip') => Readonly<Record<string, string>>,
): Promise<MadePage> {
  const plain = Buffer.from(text);
  if (!coding || plain.length < SHORT) return { body: plain, headers: headers() };
  return { body: await compress(plain), headers: { ...headers(coding), 'content-encoding': coding } };
}

/**
 * The pages of the feed, or of a list, that are in memory. A thousand followers that hear of a change at once ask for the same page: it is
 * made once, and sent to all from the same bytes. Pages of an earlier state are forgotten as soon as they are sent.
 * Slow followers that ask for ever other pages cannot fill the memory: pages get shorter meanwhile, and followers follow more links.
 */
export class PageStore {
  #state: unknown;
  readonly #kept = new LRUCache<string, StoredPage>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
    dispose: (page) => page.release(),
  });
  readonly #making = new Map<string, Promise<StoredPage>>();
  #bytes = 0;

  /** Bytes of all pages in memory, those that are being made and sent included. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The page for a key in a state. Unless it is there, `make` is called with the number of bytes that it should have at
   * most. The page is held for the caller, who releases it.
   */
  async get(key: string, state: unknown, make: (maxBytes: number) => Promise<MadePage>): Promise<StoredPage> {
    if (state !== this.#state) this.#begin(state);
    const page = this.#kept.get(key) ?? (await (this.#making.get(key) ?? this.#start(key, make)));
    page.hold();
    return page;
  }

  #begin(state: unknown): void {
    this.#state = state;
    this.#making.clear();
    this.#kept.clear();
  }

  #start(key: string, make: (maxBytes: number) => Promise<MadePage>): Promise<StoredPage> {
    const state = this.#state;
    const making = this.#make(make).then((page) => {
      if (this.#state !== state) return page;
      page.hold();
      this.#kept.set(key, page);
      // It has no room for what is too large.
      if (!this.#kept.has(key)) page.release();
      return page;
    });
    this.#making.set(key, making);
    const ended = () => {
      if (this.#making.get(key) === making) this.#making.delete(key);
    };
    making.then(ended, ended);
    return making;
  }

  async #make(make: (maxBytes: number) => Promise<MadePage>): Promise<StoredPage> {
    const free = (ALL_BYTES - this.#bytes) / 4;
    const bytes = Math.floor(Math.min(Math.max(free, PAGE_BYTES.least), PAGE_BYTES.most));
    this.#bytes += bytes;
    try {
      return new StoredPage(await make(bytes), (change) => {
        this.#bytes += change;
      });
    } finally {
      this.#bytes -= bytes;
    }
  }
}

/** A page that may be sent to several followers at once. */
export class StoredPage {
  readonly headers: MadePage['headers'];
  readonly #body: Uint8Array;
  readonly #counted: (change: number) => void;
  #holders = 0;

  /** `counted` is told by how many bytes the memory of pages grows and shrinks. */
  constructor({ headers, body }: MadePage, counted: (change: number) => void) {
    this.headers = headers;
    this.#body = body;
    this.#counted = counted;
  }

  get bytes(): number {
    return this.#body.length;
  }

  hold(): void {
    if (this.#holders === 0) this.#counted(this.bytes);
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#counted(-this.bytes);
  }

  /** The body for one reader, released when it is sent or the reader has gone. To be asked for once each time that it is held. */
  send(): Uint8Array | BodyPieces {
    const body = this.#body;
    if (body.length <= PIECE) {
      this.release();
      return body;
    }
    return { bytes: body.length, [Symbol.asyncIterator]: () => this.#pieces() };
  }

  /** Not a generator: one that has not begun does not notice that its reader has gone. */
  #pieces(): AsyncIterator<Uint8Array> {
    let at = 0;
    let isHeld = true;
    const end = async (): Promise<IteratorResult<Uint8Array>> => {
      if (isHeld) this.release();
      isHeld = false;
      return { done: true, value: undefined };
    };
    return {
      next: async () => {
        if (at >= this.#body.length) return end();
        const value = this.#body.subarray(at, at + PIECE);
        at += PIECE;
        return { done: false, value };
      },
      return: end,
    };
  }
}

/** Bytes that are handed to the connection at a time. */
const PIECE = 65_536;
