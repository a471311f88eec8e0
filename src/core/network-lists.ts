import type { ListedAddress } from '../component/network-list.js';

/** What `/peers` and `/storage` list. */
export interface NetworkLists {
  readonly peers: readonly ListedAddress[];
  readonly storage: readonly ListedAddress[];
}

/** What a peer makes known. */
export interface Introduced extends NetworkLists {
  /** Lists of which only the beginning is read and kept (`MOST_LISTED`). */
  readonly cut?: readonly (keyof NetworkLists)[] | undefined;
}

export const NO_NETWORK: NetworkLists = { peers: [], storage: [] };
