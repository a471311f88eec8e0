import type { Naming } from '../../../component/naming.js';
import { listingText } from '../../../component/writing/listing-text.js';
import {
  pinText,
  sinceText,
  sourceText,
  withProvenance,
} from '../../../component/writing/provenance-text.js';
import type { Description } from '../../../registry/description.js';
import type { Page, ReadyJson } from '../../../registry/page.js';
import type { State } from '../../../registry/state.js';

/** Descriptions that are handed out at a time. */
const SLICE = 200;
/** Bytes of a piece of JSON. */
const PIECE = 65_536;

export interface WrittenPageParts {
  readonly state: State;
  readonly descriptions: readonly Description[];
  /** The `after` of the next page, when there is one. */
  readonly next?: string | undefined;
  /** How the descriptions are written; absent when the shadowed ones are among them, which JSON does not show. */
  readonly naming?: Naming | undefined;
}

/** A page that has been read as a whole. Its JSON is put together when somebody asks for it, in one piece of memory. */
export class WrittenPage implements Page {
  readonly state: State;
  readonly next?: string;
  readonly #descriptions: readonly Description[];
  readonly #naming: Naming | undefined;
  #json: ReadyJson | undefined;

  constructor({ state, descriptions, next, naming }: WrittenPageParts) {
    this.state = state;
    if (next !== undefined) this.next = next;
    this.#descriptions = descriptions;
    this.#naming = naming;
  }

  descriptions(): AsyncIterable<readonly Description[]> {
    return slices(this.#descriptions);
  }

  get json(): ReadyJson | undefined {
    if (!this.#naming) return undefined;
    this.#json ??= readyJson(arrayOf(this.#descriptions, this.#naming));
    return this.#json;
  }
}

export async function* slices(all: readonly Description[]): AsyncGenerator<readonly Description[]> {
  for (let at = 0; at < all.length; at += SLICE) yield all.slice(at, at + SLICE);
}

/** The object of a component in a JSON listing. */
export function objectText(description: Description, naming: Naming): string {
  const { text } = listingText(description.metadata, naming);
  return withProvenance(
    text,
    pinText(description.pin) + sourceText(description) + sinceText(description.since),
  );
}

function arrayOf(descriptions: readonly Description[], naming: Naming): Buffer {
  return Buffer.from(`[${descriptions.map((one) => objectText(one, naming)).join()}]`);
}

function readyJson(bytes: Buffer): ReadyJson {
  return {
    bytes: bytes.length,
    copyTo: (target) => target.set(bytes),
    *pieces() {
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    },
  };
}
