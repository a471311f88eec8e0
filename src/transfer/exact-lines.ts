/** A line without its line feed, and whether a line feed came behind it. */
export interface ExactLine {
  readonly bytes: Buffer;
  readonly isEnded: boolean;
}

/**
 * Splits a stream of bytes at line feeds. Lines are given as they come, in lists of those of one chunk; what stands behind
 * the last line feed is a line that has not ended. @throws RangeError for a line of more than `longest` bytes
 */
export async function* exactLines(
  chunks: AsyncIterable<Buffer>,
  longest: number,
): AsyncGenerator<readonly ExactLine[]> {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const lines: ExactLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      lines.push({ bytes: Buffer.concat([...begun, chunk.subarray(from, end)]), isEnded: true });
      [begun, size, from] = [[], 0, end + 1];
    }
    begun.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longest) throw new RangeError(`a line has more than ${longest} bytes`);
    yield lines;
  }
  if (size > 0) yield [{ bytes: Buffer.concat(begun), isEnded: false }];
}
