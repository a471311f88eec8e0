import { sourceOfKey } from '../../component/source.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import type { Task, Undecoded } from '../../lib/pool/task.js';
import type { ReaderParts } from '../request.js';
import type { Fingerprint, PeerResources } from './peer-request.js';

/** What one poll of one peer works with, whether it reads the peer's feed or its listing. */
export interface PeerPolling extends PeerResources, Pick<ReaderParts, 'url' | 'vocabulary' | 'clock'> {
  readonly isMirror: boolean;
  /** `readInPieces`, with the pool and for as long as the poll lasts. @throws Unreadable */
  readonly parse: <Input extends { readonly text: string }, Whole extends object>(
    task: Task<Input, Partial<Whole>>,
    input: Undecoded<Input>,
    nothing: Whole,
  ) => Promise<Whole>;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  readonly stored: StoredSource | undefined;
  readonly signal: AbortSignal;
  /** What is remembered of the peer's resources; empty where they were read under another name. */
  readonly remembered: PeerMemo;
}

/** The path of the listing that every node has. A peer of which its mark is remembered does not say who says what it lists. */
export const PLAIN_LISTING = '/component';

/** What the reader of a peer wants to find again at its next poll: plain JSON. */
export interface PeerMemo {
  /** How the peer was understood: with another vocabulary, or in another mode, its answers mean something else. */
  readonly readAs?: string;
  /** What tells the state of each resource that was read last, by its path. */
  readonly marks?: Readonly<Record<string, Fingerprint>>;
  /** Of a peer that is followed by its feed. */
  readonly feed?: FeedMemo | undefined;
}

interface FeedMemo {
  /** Names the state of the peer that is stored. */
  readonly cursor: string;
  /** What the peer said of its sources in that state. */
  readonly lines: readonly FeedSummary[];
  /** Of the peer's lists of addresses, once both have been read, and are what its feed says of them. */
  readonly network?: number | undefined;
}

/** What one source of the peer says, in short: see `SourceSummary`. */
export interface FeedSummary {
  /** `sourceKey` */
  readonly of: string;
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
}

/** The memo of a peer's record; the store keeps it as plain JSON, which nobody else writes. */
export function peerMemo(record: SourceRecord | undefined): PeerMemo {
  return (record?.memo ?? {}) as PeerMemo;
}

/**
 * The pods that a peer reads itself and that have something to say, as `sourceKey`s: as its feed has told. Nothing is known
 * of a peer that is read by its listing.
 */
export function podsReadBy(record: SourceRecord | undefined): ReadonlySet<string> {
  const { lines = [] } = peerMemo(record).feed ?? {};
  return new Set(lines.flatMap(({ of, count }) => (count > 0 && sourceOfKey(of).kind === 'pod' ? [of] : [])));
}
