/** What is published now. */
export interface Stored {
  /** Turtle; undefined when there is nothing yet. */
  readonly text: string | undefined;
  /** What the server calls this state. */
  readonly etag?: string | undefined;
}

/** The place of a metadata document that is read and written. */
export interface Target {
  /** Where it is, for people. */
  readonly place: string;
  /** Its address on the web; undefined while that is not known. */
  readonly url: string | undefined;
  /** @throws Error that says what to do when it cannot be read */
  read(): Promise<Stored>;
  /**
   * Writes the document, or deletes it, if it still is what was read.
   * @throws Error that says what to do
   */
  write(text: string | undefined, before: Stored): Promise<void>;
}
