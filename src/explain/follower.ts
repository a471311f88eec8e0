/** A node that reads this one, by what its `User-Agent` claims. Times are ms since the epoch. */
export interface Follower {
  /** Its base URL. */
  readonly url: string;
  readonly version: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** Requests since the start of this node. */
  readonly requests: number;
}
