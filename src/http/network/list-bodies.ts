import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ScopedLists } from './list-scopes.js';

const compress = promisify(gzip);

/** Characters of a list that are not worth compressing. */
const SHORT = 800;
/** Characters of all that are kept, at most; a list of a thousand entries has about 200,000. */
const KEPT = 4_000_000;

export type ListBody = Readonly<{ text: string } | { gzip: Uint8Array }>;

/** A body, and the characters of its text. */
interface Kept {
  readonly body: Promise<ListBody>;
  readonly length: number;
}

/**
 * The lists of the latest revision as they are sent. All readers of a node ask for the same few: each is written once, and
 * compressed once, as long as there is room for all that are asked for.
 */
export class ListBodies {
  #lists: ScopedLists | undefined;
  /** The one that was written first comes first. */
  readonly #kept = new Map<string, Kept>();
  /** Characters of those that are kept. */
  #characters = 0;

  /** @param key names a representation of one of the lists */
  get(
    lists: ScopedLists,
    key: string,
    { write, isCoded }: { readonly write: () => string; readonly isCoded: boolean },
  ): Promise<ListBody> {
    if (lists !== this.#lists) this.#keepOnly(0);
    this.#lists = lists;
    const name = `${key} ${isCoded}`;
    const known = this.#kept.get(name);
    if (known) return known.body;
    const text = write();
    const body = made(text, isCoded);
    if (text.length > KEPT) return body;
    this.#keepOnly(KEPT - text.length);
    this.#kept.set(name, { body, length: text.length });
    this.#characters += text.length;
    return body;
  }

  #keepOnly(characters: number): void {
    for (const [name, { length }] of this.#kept) {
      if (this.#characters <= characters) return;
      this.#kept.delete(name);
      this.#characters -= length;
    }
  }
}

async function made(text: string, isCoded: boolean): Promise<ListBody> {
  return isCoded && text.length > SHORT ? { gzip: await compress(text) } : { text };
}
