/** Bytes of a line, at most: an event of a node is its cursor, twice. */
const LONGEST_LINE = 4096;

/** What came is no event stream that a node would send. */
export class NoEventStream extends Error {
  override readonly name = 'NoEventStream';
}

/**
 * Yields the id of each event with data in a stream of server-sent events (HTML, section 9.2), and nothing of what the
 * event says: it is only ever a hint.
 * @throws NoEventStream for a line that is too long, before more of it is kept
 */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const lines = new Lines();
  let [id, hasData] = ['', false];
  for await (const piece of body) {
    for (const line of lines.after(piece)) {
      if (line.startsWith('id:')) id = line.slice('id:'.length).trim();
      else if (line !== '') hasData ||= line.startsWith('data:') && line.length > 'data:'.length;
      else if (hasData) {
        hasData = false;
        yield id;
      }
    }
  }
}

/** Lines end with CR, LF or both. Their ends are found byte by byte, each byte once. */
class Lines {
  #line: number[] = [];
  #endedWithReturn = false;

  *after(piece: Uint8Array): Generator<string> {
    for (const byte of piece) {
      const isSecondHalf = this.#endedWithReturn && byte === LINE_FEED;
      this.#endedWithReturn = byte === CARRIAGE_RETURN;
      if (isSecondHalf) continue;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        yield Buffer.from(this.#line).toString();
        this.#line = [];
      } else if (this.#line.push(byte) > LONGEST_LINE) {
        throw new NoEventStream(`a line of the event stream has more than ${LONGEST_LINE} bytes`);
      }
    }
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
