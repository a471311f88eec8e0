import type { Metadata } from '../component/metadata.js';
import type { Pin } from '../component/pin.js';
import type { Candidate } from '../component/query.js';
import { searchText } from '../component/search-text.js';
import { type Source, type SourceTrust, sourceKey } from '../component/source.js';
import { sourceText } from '../component/writing/attribution.js';
import { type FoundBy, type ListingText, readLists, readPlain } from '../component/writing/listing-text.js';
import {
  compareStandings,
  type Precedence,
  type Standing,
  type Statement,
  type StatementClass,
} from '../core/precedence.js';
import { compareText } from '../lib/compare-text.js';
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
  const [key, text] = [documentKey(statement), sourceText(standing)];
  return { ...statement, standing, rankWithin, key, text };
}

/** Identifies a document of a source; neither URL of a source has a space. */
export function documentKey({ source, document }: Pick<Statement, 'source' | 'document'>): string {
  return `${sourceKey(source)} ${document}`;
}

/** Identifies what a document says of a component; neither has a line feed. */
export function statementKey(document: string, uri: string): string {
  return `${document}\n${uri}`;
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

/** All that is said of one component. Never changed. */
export interface Component {
  readonly uri: string;
  readonly served: Entry;
  /** What is not served, by precedence: the first of them is served when the served one goes. */
  readonly shadowed: readonly Entry[];
}

const COMMA = 44;
const NO_BYTES = Buffer.alloc(0);
export const NO_ENTRIES: readonly Entry[] = [];

/**
 * What one document says of one component; where nobody else describes it, that is the component. Its listing object lies in a run,
 * from which everything that is rarely asked for is read. What an entry says never changes; where its bytes lie does, when its run
 * is written anew.
 */
export class Entry implements Description, Candidate, Component {
  readonly uri: string;
  readonly origin: Origin;
  readonly version: string | undefined;
  readonly latest: boolean | undefined;
  readonly pin: Pin | undefined;
  readonly position: number;
  readonly stamp: Stamp;
  /** Checksum of the row that keeps it, as 32 bits with a sign. */
  readonly seal: number;
  /** Bytes of its listing object. */
  readonly length: number;
  /** Where the plain names, and those of lists, begin in the object, in bytes. */
  readonly #names: number;
  readonly #lists: number;
  /** Until it lies in a run: its object, in parts. */
  #draft: readonly Buffer[] | undefined;
  #bytes: Buffer = NO_BYTES;
  #start = 0;
  #searchText: string | undefined;

  /** @param listed in the vocabulary of the node @param parts of its object, as the node serves it */
  constructor(
    { origin, position, stamp, seal, pin }: Pick<Entry, 'origin' | 'position' | 'stamp' | 'seal' | 'pin'>,
    listed: ListingText,
    parts: readonly Buffer[],
  ) {
    this.uri = listed.uri;
    this.origin = origin;
    this.version = listed.version;
    this.latest = listed.latest;
    this.pin = pin;
    this.position = position;
    this.stamp = stamp;
    this.seal = seal;
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
    this.#names = this.length - (listed.bytes.length - listed.names);
    this.#lists = this.length - (listed.bytes.length - listed.lists);
    this.#draft = parts;
  }

  get served(): Entry {
    return this;
  }

  get shadowed(): readonly Entry[] {
    return NO_ENTRIES;
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
    return readPlain(this.#bytesFrom(this.#names).toString());
  }

  /** The values that lead to it. Parsed each time. */
  get foundBy(): FoundBy {
    return readLists(this.#bytesFrom(this.#lists).toString());
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
    return this.#bytesFrom(this.#names).includes(json);
  }

  /** Copies its object with a comma before it. @returns how many bytes that are */
  copyTo(target: Buffer, at: number): number {
    target[at] = COMMA;
    let end = at + 1;
    if (!this.#draft) this.#bytes.copy(target, end, this.#start, this.#start + this.length);
    for (const part of this.#draft ?? []) end += part.copy(target, end);
    return 1 + this.length;
  }

  /** The same, and it lies there from now on. */
  moveTo(target: Buffer, at: number): number {
    const bytes = this.copyTo(target, at);
    [this.#bytes, this.#start, this.#draft] = [target, at + 1, undefined];
    return bytes;
  }

  #bytesFrom(offset: number): Buffer {
    if (this.#draft) return Buffer.concat(this.#draft).subarray(offset);
    return this.#bytes.subarray(this.#start + offset, this.#start + this.length);
  }
}

/** The component that these entries describe. On a mirror, two sources may pass on one statement, with one standing. */
export function componentOf(entries: readonly Entry[]): Component | undefined {
  if (entries.length < 2) return entries[0];
  const [served, ...shadowed] = entries.toSorted(
    ({ origin: one }, { origin: other }) =>
      compareStandings(one.standing, other.standing) || compareText(one.key, other.key),
  );
  return served && { uri: served.uri, served, shadowed };
}

export function entriesOf({ served, shadowed }: Component): readonly Entry[] {
  return shadowed.length === 0 ? [served] : [served, ...shadowed];
}
