import type { Naming } from '../../../component/naming.js';
import type { Pin } from '../../../component/pin.js';
import type { Authority, Standing } from '../../../core/precedence.js';
import type { PostedField } from '../catalog/postings.js';
import { type BlockSpace, IN_MEMORY } from '../listing/block-space.js';
import type { Stamp } from '../listing/entry.js';
import type { Section } from './snapshot-file.js';

/** Beside the files of LevelDB, which passes over names that it does not know. */
export const SNAPSHOT = 'CATALOG';

/** Raised when the file is written differently. */
const SNAPSHOT_FORMAT = 2;

/** What a snapshot depends on, beside the data: another one says the same in other words, or in larger blocks. */
export function snapshotWrittenAs({ baseUrl, vocabulary }: Naming, { blockBytes }: BlockSpace): string {
  const size = blockBytes === IN_MEMORY.blockBytes ? [] : [blockBytes];
  return JSON.stringify([SNAPSHOT_FORMAT, baseUrl, vocabulary.namespace, ...size]);
}

/** Can a snapshot be read, in whatever words it says what it says? */
export function isReadable({ writtenAs }: Pick<SnapshotHead, 'writtenAs'>): boolean {
  return writtenAs.startsWith(`[${SNAPSHOT_FORMAT},`);
}

/** A document, as it stood when the snapshot was made. */
export interface SnapshotDocument {
  /** See `graphName`. */
  readonly graph: string;
  readonly standing: Standing;
  readonly authority?: Authority | undefined;
}

/** The state that a snapshot shows. */
export interface SnapshotState {
  /** Of the revision. */
  readonly epoch: string;
  /** See `Feed.position`. */
  readonly position: number;
  /** The first digits of `Feed.digest`. */
  readonly digest: string;
}

/** What the end of the file says of the rest. */
export interface SnapshotHead extends SnapshotState {
  readonly writtenAs: string;
  readonly documents: readonly SnapshotDocument[];
  readonly versions: readonly string[];
  readonly stamps: readonly Stamp[];
  readonly pins: readonly Pin[];
  /** Values of a field, in the order of their posting lists. */
  readonly values: Readonly<Record<PostedField, readonly string[]>>;
  /** How many entries are served; those that are not come behind them. */
  readonly served: number;
  readonly sections: {
    /** Of each block: its entries, its bytes in the file, their checksum, and its own bytes. The blocks are at the beginning of the file. */
    readonly blocks: Section;
    /** Of each entry: see `COLUMNS`. */
    readonly entries: Section;
    /** Of each entry: its position. */
    readonly positions: Section;
    /** Of each value: how many entries have it; then their ordinals, value by value. */
    readonly postings: Readonly<Record<PostedField, Section>>;
  };
}

/** Numbers of an entry: length and start of the plain names in bytes, then places in the tables of the head; 0 is none. */
export const COLUMNS = { length: 0, plain: 1, latest: 2, document: 3, version: 4, stamp: 5, pin: 6 } as const;
export const WIDTH = 7;
/** Numbers of a block. */
export const BLOCK_WIDTH = 4;
