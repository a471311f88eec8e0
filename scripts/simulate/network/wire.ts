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
  /** Whole, or piece by piece where it goes on until one side ends it. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
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
