/**
 * Room for so many bytes, all zero, whose memory the system gets back as soon as nobody holds them any more: it is mapped for
 * them alone (a resizable buffer is). What the C library allocates stays with the process once it has been freed, and is
 * often not fit for what comes next (mallopt(3), `M_MMAP_THRESHOLD`); ten documents of 10 MB left 50 MB behind. Takes some
 * microseconds, so it is for what is large and gone soon.
 */
export function mappedBytes(length: number): Uint8Array<ArrayBuffer> {
  // Of a fixed length: a view that follows the length of its buffer is slower.
  return new Uint8Array(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}
