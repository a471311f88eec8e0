import type { ListedAddress } from '../../component/network-list.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { Introduction } from '../discovery/introduction.js';
import type { Mark } from './peer-request.js';

/** A list as it was read last. */
export interface KnownList {
  readonly mark: Mark;
  readonly entries: readonly ListedAddress[];
}

/** What is remembered of a peer's listing of components. */
export interface KnownListing {
  readonly mark: Mark;
  /** Pods for whose documents this node did not take the peer's word: it reads them itself. */
  readonly withheld: readonly string[];
  readonly pageSize?: number;
}

/** What a peer source wants to find again at its next poll. */
export interface PeerMemo {
  /** How the peer was understood: with another vocabulary, or in another mode, its answers mean something else. */
  readonly readAs?: string;
  readonly peers?: KnownList;
  readonly storage?: KnownList;
  readonly component?: KnownListing;
}

/** The memo of a peer's record; the store keeps it as plain JSON, which nobody else writes. */
export function peerMemo(record: SourceRecord | undefined): PeerMemo {
  return (record?.memo ?? {}) as PeerMemo;
}

/** Whom the peer introduces, as far as it has been read. */
export function introductionIn(record: SourceRecord | undefined): Introduction {
  const { peers, storage } = peerMemo(record);
  return { peers: peers?.entries ?? NONE, storage: storage?.entries ?? NONE };
}

/** What is remembered of a listing, with these pods noted as ones for which the peer's word was not taken. */
export function withheldToo(
  known: KnownListing | undefined,
  pods: readonly string[],
  pageSize: number | undefined,
): KnownListing | undefined {
  if (!known && pageSize === undefined) return undefined;
  const { mark = {}, withheld = [] } = known ?? {};
  const all = [...new Set([...withheld, ...pods])].sort();
  return { mark, withheld: all, ...(pageSize === undefined ? {} : { pageSize }) };
}

/** Without its marks everything is read in full; the lists count until then. */
export function unmarked({ peers, storage }: PeerMemo): PeerMemo {
  return {
    ...(peers ? { peers: { ...peers, mark: {} } } : {}),
    ...(storage ? { storage: { ...storage, mark: {} } } : {}),
  };
}

const NONE: readonly ListedAddress[] = [];
