/** What is left of a place that was damaged. */
export interface Salvage {
  /** Rows that were not what was written, and are gone. */
  readonly rows: readonly { readonly service: string; readonly table: string; readonly key: string }[];
  /** How many quads could not be read, and are gone. */
  readonly quads: number;
  /** The names of all graphs that hold quads, whichever service they belong to. */
  readonly graphs: ReadonlySet<string>;
  /** More may be missing of which nothing tells. */
  readonly isIncomplete: boolean;
}

/** What a repair has found, in sentences for the operator. */
export interface Findings {
  /** What is damaged. */
  readonly damaged: readonly string[];
  /** What has been made from what is left. */
  readonly rebuilt: readonly string[];
  /** What is gone; how it can come back. */
  readonly lost: readonly string[];
}
