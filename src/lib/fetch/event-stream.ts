import type { Clock } from '../clock.js';

/** How long a first answer may take, in ms. */
const ANSWER = 30_000;
/** How long a stream may be silent from then on: nodes send a comment every minute, at least. */
const SILENCE = 150_000;

/** A signal that is aborted with another, or when nothing was `heard` for too long; until the `end`. */
export function untilSilent(clock: Clock, stop: AbortSignal) {
  const silent = new AbortController();
  let waiting = new AbortController();
  const wait = (ms: number) => {
    // Without a reason, each piece of a stream would make an error with a stack.
    waiting.abort('something has been heard');
    waiting = new AbortController();
    const isSilent = () => silent.abort(new Error(`nothing has been heard for ${ms} ms`));
    clock.sleep(ms, waiting.signal).then(isSilent, () => undefined);
  };
  wait(ANSWER);
  const heard = () => wait(SILENCE);
  // Not a `linkedAbort`: a stream is stopped after the `end`, too, and `stop` is of this one alone.
  return { signal: AbortSignal.any([stop, silent.signal]), heard, end: () => waiting.abort() };
}

/** Characters of a line, at most: an event of a node is its cursor, twice. */
const LONGEST_LINE = 4096;

/**
 * The lines of a stream of server-sent events (HTML, section 9.2). They end with CR, LF or both. A CR at the end of a piece
 * may be half of both: it waits for the next piece.
 * @param heard called for each piece @throws Error for a line that is too long, before more of it is kept
 */
export async function* linesIn(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    heard();
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    if (lines.some((line) => line.length > LONGEST_LINE))
      throw new Error(`a line of the event stream has more than ${LONGEST_LINE} characters`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
