import type { ListedAddress } from '../component/network-list.js';

/** What `/peers` and `/storage` list. */
export interface NetworkLists {
  readonly peers: readonly ListedAddress[];
  readonly storage: readonly ListedAddress[];
}

export const NO_NETWORK: NetworkLists = { peers: [], storage: [] };
