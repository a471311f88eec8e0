/** What a handler sees of a request: a part of what requests of hono have. */
export interface RouteRequest {
  readonly method: string;
  /** Absolute, as it was asked for. */
  readonly url: string;
  /** Its path, percent-decoded where that is possible. */
  readonly path: string;
  /** The value of a header, whose name is in lower case. */
  header(name: string): string | undefined;
  /** The body, where the response cache has read it already. */
  readonly bodyAtHand?: Uint8Array | undefined;
  /** The request as a web standard has it: for its body, where that is not at hand, and its signal. */
  readonly raw: Request;
}
