import { type Fetch, pageFetch } from '../../../host/fetching.js';
import { HostError } from '../../../host/host-error.js';
import { whyUnconditional } from '../../../lib/http/headers/write-condition.js';
import { howToOpen, isOtherFormat, mendOfStatus } from '../../../lib/refused-document.js';
import { wordsOf } from '../../browser/element.js';
import type { Description } from './description.js';
import { readAsStranger, readStored, type Stored, writeStored } from './document.js';
import { type Draft, draftOf, type Finding } from './draft.js';
import { linksOf } from './graph.js';

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

  /** Why a change by somebody else might be undone all the same: a sentence; undefined when it cannot. */
  get caution(): string | undefined {
    return this.#stored && whyUnconditional(this.#stored);
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
   * Looks at the document as somebody who has not signed in, and in a pod at the container that nodes find it by. `isClosed`: not
   * everybody may read both.
   */
  async prove(storages: readonly string[]): Promise<{ findings: Finding[]; isClosed: boolean }> {
    const own = await this.#proofOf(this.document, 'the document');
    // No right would help: the document has to be written in another format.
    if (own.isFormat) return { findings: [own.finding], isClosed: false };
    const container = new URL('.', this.document).href;
    // A server without pods need not list its folders, nor everybody a whole storage.
    const isAlone = this.#fetch === pageFetch || storages.includes(container);
    const proofs = isAlone
      ? [own]
      : [own, await this.#proofOf(container, 'its container, where nodes find it')];
    const findings = proofs.map(({ finding }) => finding);
    return { findings, isClosed: findings.some(({ level }) => level !== 'ok') };
  }

  async #proofOf(url: string, what: string): Promise<{ finding: Finding; isFormat?: boolean }> {
    try {
      await readAsStranger(url, pageFetch);
      return { finding: { level: 'ok', what: `everyone can read ${what}: ${url}` } };
    } catch (error) {
      const status = error instanceof HostError ? error.status : undefined;
      if (status !== undefined && isOtherFormat(status)) {
        const finding = `nodes cannot read ${what}: ${wordsOf(error)}`;
        return { finding: { level: 'error', what: finding, fix: mendOfStatus(status) }, isFormat: true };
      }
      const finding = `not everyone can read ${what}, and until then no node lists it: ${wordsOf(error)}`;
      return { finding: { level: 'error', what: finding, fix: howToOpen(await this.#rulesOf(url)) } };
    }
  }

  /** Where the rules of access of a resource are; undefined where its server does not say. */
  async #rulesOf(url: string): Promise<string | undefined> {
    const links = await linksOf(url, this.#fetch).catch(() => []);
    const link = links.find(({ relations }) => relations.includes('acl'));
    return link && new URL(link.target, url).href;
  }
}
