import { type Fetch, pageFetch } from '../../host/fetching.js';
import { HostError } from '../../host/host-error.js';
import { isOtherFormat, mendOfStatus } from '../../lib/refused-document.js';
import { wordsOf } from '../element.js';
import { type AccessChange, accessChange } from './access.js';
import type { Description } from './description.js';
import { readAsStranger, readStored, type Stored, writeStored } from './document.js';
import { type Draft, draftOf, type Finding } from './draft.js';

/** One document of the visitor's that is being edited, with what has been read of it. */
export class Publisher {
  readonly #fetch: Fetch;
  readonly document: string;
  #stored: Stored | undefined;

  private constructor(document: string, stored: Stored | undefined, fetch: Fetch) {
    this.document = document;
    this.#stored = stored;
    this.#fetch = fetch;
  }

  /** @throws Error when the document is there and cannot be edited */
  static async open(document: string, fetch: Fetch): Promise<Publisher> {
    return new Publisher(document, await readStored(document, fetch), fetch);
  }

  /** A document that somebody puts on a server by other means: it is written as if nothing were there yet. */
  static elsewhere(document: string): Publisher {
    return new Publisher(document, undefined, pageFetch);
  }

  get isThere(): boolean {
    return this.#stored !== undefined;
  }

  /** The document as it would be. */
  draft(edit: { put?: Description; remove?: string }): Promise<Draft> {
    const before = this.#stored?.text;
    return draftOf({ document: this.document, before, ...edit });
  }

  /** Writes the document; without a text, deletes it. @throws Error when somebody else has changed it */
  async write(text: string | undefined): Promise<void> {
    if (text !== undefined || this.#stored) await writeStored(this.document, text, this.#stored, this.#fetch);
    this.#stored = await readStored(this.document, this.#fetch);
  }

  /**
   * Looks at the document as somebody who has not signed in, and in a pod at the container that nodes find it by.
   * `unreadable`: what has to be opened first.
   */
  async prove(storages: readonly string[]): Promise<{ findings: Finding[]; unreadable?: string }> {
    const { isFormat, ...own } = await proofOf(this.document, 'the document');
    // No right would help: the document has to be written in another format.
    if (isFormat) return { findings: [own] };
    const container = new URL('.', this.document).href;
    // The rules of a whole storage are not this page's to change, nor does a server without pods list its folders.
    if (this.#fetch === pageFetch || storages.includes(container))
      return own.level === 'ok' ? { findings: [own] } : { findings: [own], unreadable: this.document };
    const { isFormat: _, ...around } = await proofOf(container, 'its container, where nodes find it');
    const closed = [around, own].findIndex(({ level }) => level !== 'ok');
    const findings = [own, around];
    return closed < 0 ? { findings } : { findings, unreadable: closed === 0 ? container : this.document };
  }

  /** What would let everyone read it. @throws Error that says why this page cannot tell */
  change(unreadable: string): Promise<AccessChange> {
    return accessChange(unreadable, this.#fetch);
  }
}

async function proofOf(url: string, what: string): Promise<Finding & { isFormat?: boolean }> {
  try {
    await readAsStranger(url, pageFetch);
    return { level: 'ok', what: `everyone can read ${what}: ${url}` };
  } catch (error) {
    const status = error instanceof HostError ? error.status : undefined;
    if (status !== undefined && isOtherFormat(status)) {
      return {
        level: 'error',
        what: `nodes cannot read ${what}: ${wordsOf(error)}`,
        fix: mendOfStatus(status),
        isFormat: true,
      };
    }
    return {
      level: 'error',
      what: `not everyone can read ${what}: ${wordsOf(error)}`,
      fix: 'until then no node lists it',
    };
  }
}
