import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ScopedLists } from './list-scopes.js';

const compress = promisify(gzip);

/** Characters of a list that are not worth compressing. */
const SHORT = 800;
/** Characters of a list at most that is kept: about 500 entries. */
const KEPT = 100_000;

export type ListBody = Readonly<{ text: string } | { gzip: Uint8Array }>;

/**
 * The lists of the latest revision as they are sent. All readers of a node ask for the same few: each is written once, and
 * compressed once, unless it is long.
 */
export class ListBodies {
  #lists: ScopedLists | undefined;
  readonly #kept = new Map<string, Promise<ListBody>>();

  /** @param key names a representation of one of the lists */
  get(
    lists: ScopedLists,
    key: string,
    { write, isCoded }: { readonly write: () => string; readonly isCoded: boolean },
  ): Promise<ListBody> {
    if (lists !== this.#lists) this.#kept.clear();
    this.#lists = lists;
    const name = `${key} ${isCoded}`;
    const known = this.#kept.get(name);
    if (known) return known;
    const text = write();
    const body = made(text, isCoded);
    if (text.length <= KEPT) this.#kept.set(name, body);
    return body;
  }
}

async function made(text: string, isCoded: boolean): Promise<ListBody> {
  return isCoded && text.length > SHORT ? { gzip: await compress(text) } : { text };
}
