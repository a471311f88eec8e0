/** Size of the buffers that are used again, in bytes; a larger body gets a buffer of its own. */
const BUFFER = 131_072;
/** How many free buffers are kept at most: about as many as there are answers being sent at once. */
const MAX_FREE = 64;

const free: Buffer[] = [];

/** Memory for a body. */
export interface PooledBody {
  readonly bytes: Buffer;
  /** To be called at most once, when the body has been handed to the operating system and is not read any more. */
  readonly release: () => void;
}

/**
 * Memory for a body that is sent once; its contents are arbitrary at first. Buffers are used again, because memory that
 * is needed for microseconds would otherwise keep the garbage collector busy.
 */
export function pooledBody(size: number): PooledBody {
  if (size > BUFFER) return { bytes: Buffer.allocUnsafeSlow(size), release: () => undefined };
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(BUFFER);
  return {
    bytes: buffer.subarray(0, size),
    release: () => {
      if (free.length < MAX_FREE) free.push(buffer);
    },
  };
}

/** A text in such memory, in UTF-8. */
export function pooledText(text: string): PooledBody {
  const { bytes, release } = pooledBody(Buffer.byteLength(text));
  bytes.write(text);
  return { bytes, release };
}
