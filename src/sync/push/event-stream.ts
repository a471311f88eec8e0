/** Characters of a line, at most: an event of a node is its cursor, twice. */
const LONGEST_LINE = 4096;

/**
 * Yields the id of each event with data in a stream of server-sent events (HTML, section 9.2), and nothing of what the
 * event says: it is only ever a hint.
 * @throws Error for a line that is too long, before more of it is kept
 */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let [id, hasData] = ['', false];
  for await (const line of linesIn(body)) {
    if (line.startsWith('id:')) id = line.slice('id:'.length).trim();
    else if (line !== '') hasData ||= line.startsWith('data:') && line.length > 'data:'.length;
    else if (hasData) {
      hasData = false;
      yield id;
    }
  }
}

/** Lines end with CR, LF or both. A CR at the end of a piece may be the first half of both: it waits for the next piece. */
async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    if (lines.some((line) => line.length > LONGEST_LINE))
      throw new Error(`a line of the event stream has more than ${LONGEST_LINE} characters`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
