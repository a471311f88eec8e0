import type { Metadata } from '../component/metadata.js';
import type { Naming } from '../component/naming.js';
import type { Pin } from '../component/pin.js';
import type { Candidate } from '../component/query.js';
import { searchText } from '../component/search-text.js';
import { type Source, type SourceTrust, sourceKey } from '../component/source.js';
import { listingText, readPlain } from '../component/writing/listing-text.js';
import {
  pinText,
  SINCE_LENGTH,
  sinceText,
  sourceText,
  withProvenance,
} from '../component/writing/provenance-text.js';
import type { Precedence, Standing, Statement, StatementClass } from '../core/precedence.js';
import type { Description } from './description.js';

/** One document of one source, and who says it as readers are told. Shared by what the document says. */
export interface Origin extends Statement {
  readonly standing: Standing;
  /** See `Precedence.rankWithin`. */
  readonly rankWithin: number;
  /** See `documentKey`. */
  readonly key: string;
  /** The members of a listing object that tell who says it. */
  readonly text: string;
}

export function originOf(statement: Statement, precedence: Precedence): Origin {
  const standing = precedence.standing(statement);
  const rankWithin = precedence.rankWithin(statement);
  return { ...statement, standing, rankWithin, key: documentKey(statement), text: sourceText(standing) };
}

/** Identifies a document of a source; neither URL of a source has a space. */
export function documentKey({ source, document }: Pick<Statement, 'source' | 'document'>): string {
  return `${sourceKey(source)} ${document}`;
}

/** When something came to be said. Shared by what came with one change. */
export interface Stamp {
  /** ms since the Unix epoch. */
  readonly at: number;
  /** Had the document described the component before? */
  readonly isUpdate: boolean;
  /** Since when it is said, ms since the Unix epoch, where only its pin changed `at` that time. */
  readonly since?: number | undefined;
}

/** Where the bytes of entries lie. */
interface EntryPlace {
  readonly bytes: Buffer;
}

/** What a document says of a component, as the writer of the catalog gives it. */
export interface Said {
  readonly origin: Origin;
  readonly metadata: Metadata;
  readonly position: number;
  readonly stamp: Stamp;
  /** Checksum of the row that keeps it, as 32 bits with a sign. */
  readonly seal: number;
  readonly pin?: Pin | undefined;
}

/**
 * What one document says of one component. Its listing object lies in a run, from which everything that is rarely asked for is
 * read. What an entry says never changes; where its bytes lie does, when its run is written anew.
 */
export class Entry implements Description, Candidate {
  readonly uri: string;
  readonly origin: Origin;
  readonly version: string | undefined;
  readonly latest: boolean | undefined;
  readonly pin: Pin | undefined;
  readonly position: number;
  readonly stamp: Stamp;
  /** See `Said`. */
  readonly seal: number;
  /** Bytes of its listing object. */
  readonly length: number;
  /** Where the plain names begin in the object, in bytes. */
  readonly #plain: number;
  /** Until it lies in a run. */
  #draft: { readonly text: string; readonly metadata: Metadata } | undefined;
  #run: EntryPlace | undefined;
  #start = 0;
  #searchText: string | undefined;

  constructor({ origin, metadata, position, stamp, seal, pin }: Said, naming: Naming) {
    const { text, plain } = listingText(metadata, naming);
    const members = pinText(pin) + origin.text;
    this.uri = metadata.uri;
    this.origin = origin;
    this.version = metadata.version;
    this.latest = metadata.latest;
    this.pin = pin;
    this.position = position;
    this.stamp = stamp;
    this.seal = seal;
    this.#plain = plain + Buffer.byteLength(members) + SINCE_LENGTH;
    this.#draft = { text: withProvenance(text, members + sinceText(stamp.since ?? stamp.at)), metadata };
    this.length = Buffer.byteLength(this.#draft.text);
  }

  get source(): Source {
    return this.origin.standing.source;
  }

  get document(): string {
    return this.origin.standing.document;
  }

  get trust(): SourceTrust {
    return this.origin.standing.trust;
  }

  get class(): StatementClass {
    return this.origin.standing.class;
  }

  get rank(): number {
    return this.origin.standing.rank;
  }

  get since(): number {
    return this.stamp.since ?? this.stamp.at;
  }

  /** Parsed each time: keep it rather than ask twice. */
  get metadata(): Metadata {
    return this.#draft?.metadata ?? readPlain(this.#bytesFrom(this.#plain).toString());
  }

  /** The component's object in a JSON listing. */
  get json(): Buffer {
    return this.#bytesFrom(0);
  }

  /** What a search for words looks through. Worked out at the first search, and kept. */
  get searchText(): string {
    this.#searchText ??= searchText(this.metadata);
    return this.#searchText;
  }

  mayContain(json: Buffer): boolean {
    return this.#bytesFrom(this.#plain).includes(json);
  }

  /** The run where its bytes lie now. */
  get run(): EntryPlace | undefined {
    return this.#run;
  }

  /** Where its bytes begin in the run. */
  get start(): number {
    return this.#start;
  }

  /** Copies its object with a comma before it. @returns how many bytes that are */
  copyTo(target: Buffer, at: number): number {
    if (this.#draft) return target.write(`,${this.#draft.text}`, at);
    return this.#run?.bytes.copy(target, at, this.#start - 1, this.#start + this.length) ?? 0;
  }

  /** Its bytes lie there from now on, the same as before. */
  moveTo(run: EntryPlace, start: number): void {
    this.#run = run;
    this.#start = start;
    this.#draft = undefined;
  }

  #bytesFrom(offset: number): Buffer {
    if (this.#draft) return Buffer.from(this.#draft.text).subarray(offset);
    const bytes = this.#run?.bytes ?? Buffer.alloc(0);
    return bytes.subarray(this.#start + offset, this.#start + this.length);
  }
}

/** All that is said of one component. Never changed. */
export interface Component {
  readonly uri: string;
  readonly served: Entry;
  /** What is not served, by precedence: the first of them is served when the served one goes. */
  readonly shadowed: readonly Entry[];
}

export function entriesOf({ served, shadowed }: Component): readonly Entry[] {
  return shadowed.length === 0 ? [served] : [served, ...shadowed];
}
