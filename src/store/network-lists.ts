/** An address that the node passes on, and how it is known. */
export interface NetworkEntry {
  /** Exactly as configured or learned. */
  readonly url: string;
  /** 0 when configured here, else its distance in the network. */
  readonly hops: number;
  /** URLs of the nodes through which it is known, the nearest first; empty when configured here. */
  readonly via: readonly string[];
}

/** What `/peers` and `/storage` list. */
export interface NetworkLists {
  readonly peers: readonly NetworkEntry[];
  readonly storage: readonly NetworkEntry[];
}

export const NO_NETWORK: NetworkLists = { peers: [], storage: [] };
