/** A point in the history of what the node serves; it moves on real change only and survives restarts. */
export interface Revision {
  /** Made when the data directory was made; a wiped directory starts a new one. */
  readonly epoch: string;
  readonly number: number;
  /** When this point was reached, ms since the Unix epoch; never earlier than the point before. */
  readonly since: number;
}

export function nextRevision({ epoch, number, since }: Revision, now: number): Revision {
  return { epoch, number: number + 1, since: Math.max(now, since) };
}
