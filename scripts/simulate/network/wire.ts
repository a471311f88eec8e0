/** A request as it arrives at a server. */
export interface WireRequest {
  /** The host that asks. */
  readonly from: string;
  readonly method: string;
  /** Scheme and host; no slash at the end. */
  readonly origin: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An answer as it leaves a server. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or a line where it goes on until one side ends it. */
  readonly body: Uint8Array | Line;
}

/** A body that goes on until one side ends it. It is carried by calls: there are millions of pieces in a virtual day. */
export interface Line {
  /** Gives the one reader what has come already, and what comes from now on. The function that is returned ends the line. */
  open(reader: LineReader): () => void;
}

export interface LineReader {
  piece(bytes: Uint8Array): void;
  /** Nothing more comes; `isBroken`: although there should. */
  ended(isBroken: boolean): void;
}

/** What answers at a host. */
export interface VirtualServer {
  answer(request: WireRequest): Promise<WireAnswer>;
}

export const NO_BODY = new Uint8Array(0);

/** Bytes of a head on the wire, about: the first line, and each header field with its separators. */
export function headBytes(firstLine: string, headers: Readonly<Record<string, string>>): number {
  let bytes = firstLine.length + 4;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0) + 4;
  return bytes;
}
