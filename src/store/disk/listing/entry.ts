import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import type { Pin } from '../../../component/pin.js';
import type { Candidate } from '../../../component/query.js';
import { mayOccur, searchText } from '../../../component/search-text.js';
import type { Source, SourceTrust } from '../../../component/source.js';
import { type ListingText, listingText, readPlain } from '../../../component/writing/listing-text.js';
import { dateText, SINCE_BEFORE_NAMES } from '../../../component/writing/provenance-text.js';
import type { StatementClass } from '../../../core/precedence.js';
import { mappedBytes } from '../../../lib/mapped-bytes.js';
import type { Description } from '../../../registry/description.js';
import { attributed, attributedBytes, type EntryFacts, type Origin } from './origin.js';
import { SharedTexts } from './shared-texts.js';

/** Of the entries that came with one change. */
export interface Stamp {
  /** When, ms since the Unix epoch. */
  readonly at: number;
  /** Had their documents described the components before? */
  readonly isUpdate: boolean;
  /** Since when it is said, ms since the Unix epoch, where the change was only one of a pin. */
  readonly since?: number | undefined;
}

/** Characters from which on an object has, while it lies alone, memory that goes back to the system. */
const MAPPED = 16_000;

/** Of entries whose change has not been decided. */
const UNSTAMPED: Stamp = { at: 0, isUpdate: false };

/** Has the bytes of blocks elsewhere than in memory. */
interface BlockReader {
  read(block: Block): Buffer;
}

/**
 * A piece of the JSON listing as it goes over the wire: `,{…},{…}`, a comma before each object. Blocks are
 * never changed; whoever holds one holds a snapshot.
 */
export class Block {
  readonly entries: readonly Entry[];
  /** How many bytes it has. */
  readonly length: number;
  /** Where it stands among the blocks of the listing; kept by the catalog. */
  place = -1;
  #bytes: Buffer | BlockReader;
  #firstUri: string | undefined;
  #withoutComma: Buffer | undefined;

  constructor(bytes: Buffer, entries: readonly Entry[]) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.entries = entries;
  }

  /** In memory, the same object each time. @throws StoreUnavailable when they are elsewhere, and cannot be read */
  get bytes(): Buffer {
    return Buffer.isBuffer(this.#bytes) ? this.#bytes : this.#bytes.read(this);
  }

  /** Its bytes are there from now on. */
  moveTo(bytes: Buffer | BlockReader): void {
    this.#bytes = bytes;
  }

  get firstUri(): string {
    this.#firstUri ??= (this.entries[0] as Entry).uri;
    return this.#firstUri;
  }

  /** The piece of a listing that begins with this block; in memory, the same object each time. */
  get withoutComma(): Buffer {
    if (!Buffer.isBuffer(this.#bytes)) return this.bytes.subarray(1);
    this.#withoutComma ??= this.#bytes.subarray(1);
    return this.#withoutComma;
  }
}

/** Where the value of `uri` begins in the plain names: behind `"uri":"`. */
const URI_AT = 7;
const QUOTE = 0x22;

/**
 * One source's description of a component. It is hardly more than the place of its listing object in a
 * block; everything else is read from there when asked for. What it says never changes; where it lies does.
 */
export class Entry implements Description, Candidate {
  readonly origin: Origin;
  /** Shared by the entries of the same version. */
  readonly version: string | undefined;
  readonly pin: Pin | undefined;
  readonly length: number;
  /** Its place among the entries of its document; kept by those who hold the document. */
  held = -1;
  /** Its place in the snapshot of the catalog that was written last; of use while one is written. */
  ordinal = 0;
  #block: Block;
  #start: number;
  /** Offset of the plain names in the object, times 4, plus what `latest` says. */
  readonly #marks: number;
  #searchText: string | undefined;
  #position = 0;
  #stamp = UNSTAMPED;

  constructor(origin: Origin, place: { block: Block; start: number; length: number }, facts: EntryFacts) {
    this.origin = origin;
    this.version = facts.version;
    this.pin = facts.pin;
    this.length = place.length;
    this.#block = place.block;
    this.#start = place.start;
    this.#marks = facts.plain * 4 + (facts.latest === undefined ? 0 : facts.latest ? 1 : 2);
  }

  get source(): Source {
    return this.origin.standing.source;
  }

  get document(): string {
    return this.origin.standing.document;
  }

  get class(): StatementClass {
    return this.origin.standing.class;
  }

  get rank(): number {
    return this.origin.standing.rank;
  }

  /** See `Feed.position`. */
  get position(): number {
    return this.#position;
  }

  get stampedWith(): Stamp {
    return this.#stamp;
  }

  /** Of its latest change, ms since the Unix epoch. */
  get at(): number {
    return this.#stamp.at;
  }

  get since(): number {
    return this.#stamp.since ?? this.#stamp.at;
  }

  get trust(): SourceTrust {
    return this.origin.standing.trust;
  }

  /** Had the document described the component before it said this? */
  get isUpdate(): boolean {
    return this.#stamp.isUpdate;
  }

  get block(): Block {
    return this.#block;
  }

  get start(): number {
    return this.#start;
  }

  /** Where the plain names begin in its object, in bytes. */
  get plain(): number {
    return this.#marks >>> 2;
  }

  get latest(): boolean | undefined {
    const mark = this.#marks & 3;
    return mark === 0 ? undefined : mark === 1;
  }

  /** Read anew each time, like `metadata`: keep it rather than ask twice. */
  get uri(): string {
    const from = this.#plainAt + URI_AT;
    return this.#block.bytes.toString('utf8', from, this.#block.bytes.indexOf(QUOTE, from));
  }

  get metadata(): Metadata {
    return readPlain(this.#block.bytes.toString('utf8', this.#plainAt, this.#start + this.length));
  }

  /** What a search for words looks through. */
  get searchText(): string {
    return this.#searchText ?? searchText(this.metadata);
  }

  /** Works it out ahead of searches, and keeps it. */
  prepareSearch(): void {
    this.#searchText ??= searchText(this.metadata);
  }

  /** The component's object in a JSON listing. */
  get json(): Buffer {
    return this.#block.bytes.subarray(this.#start, this.#start + this.length);
  }

  /** The same without its pin, who says it and since when: as `listingText` makes it. */
  get object(): ListingText {
    const json = this.json;
    const [from, to] = [
      this.#plainAt - this.#start - attributedBytes(this.origin, this.pin),
      this.#plainAt - this.#start,
    ];
    return { text: json.toString('utf8', 0, from) + json.toString('utf8', to), plain: from };
  }

  /** Do these bytes stand among the plain names? */
  mayContain(json: Buffer): boolean {
    return this.#block.bytes.subarray(this.#plainAt, this.#start + this.length).includes(json);
  }

  mayMention(words: readonly string[]): boolean {
    if (this.#searchText !== undefined) return true;
    return mayOccur(words, this.#block.bytes.toString('latin1', this.#plainAt, this.#start + this.length));
  }

  /** To be called once, before it is shown to anybody. The stamp is shared by the entries of one change. */
  stamp(position: number, stamp: Stamp): void {
    // As an integer of 32 bits, while it is one: V8 keeps another number in an object of its own, of 16 bytes.
    this.#position = position === (position | 0) ? position | 0 : position;
    this.#stamp = stamp;
  }

  /** Writes the date of its stamp into its object, which lies alone until then. */
  date(): void {
    this.#block.bytes.write(dateText(this.since), this.#plainAt - SINCE_BEFORE_NAMES, 'latin1');
  }

  /** The same statement with another pin, or of another origin: of the same position, and not yet in any listing. */
  with({ pin, origin = this.origin }: { readonly pin: Pin | undefined; readonly origin?: Origin }): Entry {
    const { version, latest } = this;
    const { text, plain } = this.object;
    const entry = entryInOwnBlock(origin, text, { plain, version, latest, pin }, this.since);
    entry.stamp(this.#position, this.#stamp);
    return entry;
  }

  /** Tells it that its object now lies elsewhere. */
  moveTo(block: Block, start: number): void {
    this.#block = block;
    this.#start = start;
  }

  get #plainAt(): number {
    return this.#start + this.plain;
  }
}

/** An entry that lies alone, and has no stamp yet. */
export function createEntry(
  metadata: Metadata,
  origin: Origin,
  naming: Naming,
  { versions = new SharedTexts(), pin }: { versions?: SharedTexts; pin?: Pin | undefined } = {},
): Entry {
  const { text, plain } = listingText(metadata, naming);
  const { version, latest } = metadata;
  const known = { plain, version: versions.share(version), latest, pin };
  return entryInOwnBlock(origin, text, known, 0);
}

/** The same, of a listing object that is there already; `at`: since when it is said, ms since the Unix epoch. */
function entryInOwnBlock(origin: Origin, object: string, known: EntryFacts, at: number): Entry {
  const { text, facts } = attributed(object, known, origin, at);
  const block = new Block(bytesOf(`,${text}`), []);
  return new Entry(origin, { block, start: 1, length: block.bytes.length - 1 }, facts);
}

/** An entry lies alone for the length of one change: what is large gives its memory back then. */
function bytesOf(text: string): Buffer {
  if (text.length < MAPPED) return Buffer.from(text);
  const { buffer, byteLength } = mappedBytes(Buffer.byteLength(text));
  const bytes = Buffer.from(buffer, 0, byteLength);
  bytes.write(text);
  return bytes;
}

/** Served entries in the order of the listing. Never changed in place. */
export type Ordered = readonly Entry[];

export const NOTHING: Ordered = [];
