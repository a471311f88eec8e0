/** What every page shows of its node. */
export interface NodeView {
  /** Public URL of the node. */
  readonly baseUrl: string;
  readonly version: string;
  /** URLs of data that the samples are shown with; none while they are not listed. */
  readonly sampleData?: readonly string[];
}
