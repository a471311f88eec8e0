/** A document as a pod stores it. */
export interface StoredDocument {
  readonly body: Uint8Array;
  readonly mediaType: string;
  /** Ms since the Unix epoch, by the server's clock. */
  readonly modified: number;
}
