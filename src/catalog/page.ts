import type { Source } from '../component/source.js';
import type { Description } from './description.js';
import type { State } from './state.js';

/** Which part of a listing is wanted. */
export interface PageRequest {
  /** At most so many components; all of them when absent. */
  readonly limit?: number | undefined;
  /** Only components whose uri is greater, by UTF-16 code units. */
  readonly after?: string | undefined;
  /** Also the descriptions that are not served, each behind the served one of its component, by precedence. */
  readonly shadowed?: boolean | undefined;
  /**
   * Only what this document of this source says, whether or not it is served (`Description.isShadowed`): found by the
   * document, whatever else there is. The query has to be empty.
   */
  readonly document?: { readonly source: Source; readonly url: string } | undefined;
}

/** A snapshot of a part of a listing, in the order of uris: later changes do not touch it. */
export interface Page {
  readonly state: State;
  /** The `after` of the next page, when there is one; this one may be short, where only a part is looked through at a time. */
  readonly next?: string;
  /** The descriptions, in lists of a few hundred at most; may be called more than once. */
  descriptions(): AsyncIterable<readonly Description[]>;
  /** The page as a JSON array, where it is one of the catalog, and shows neither shadowed descriptions nor a document. */
  readonly json?: ReadyJson | undefined;
}

/** A JSON array of listing objects, in UTF-8, that need not be put together any more. */
export interface ReadyJson {
  /** Bytes of the whole array. */
  readonly bytes: number;
  /** Copies the whole array to the beginning of `target`, which must be at least `bytes` long. */
  copyTo(target: Uint8Array): void;
  /**
   * The array in pieces, which must not be changed, made as they are asked for. Of the whole listing, pieces that two states
   * have in common are the same objects, so that work done on them can be kept.
   */
  pieces(): Iterable<Uint8Array>;
  /** Where the same bytes are asked for again, until one of the components changes: the same object each time. */
  readonly of?: object | undefined;
}

/** All descriptions of a page in one list: for pages that are known to be short. */
export async function descriptionsOf(page: Page): Promise<Description[]> {
  const all: Description[] = [];
  for await (const some of page.descriptions()) all.push(...some);
  return all;
}
