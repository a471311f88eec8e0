import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock.js';
import { CORS_HEADERS } from '../headers/cors.js';
import { problemAnswer } from '../json-answer.js';
import type { Problem } from '../problem.js';
import { replyOf } from '../response/answer.js';
import { sendReply } from '../response/sending.js';
import { LINGER_MS } from './server-response.js';

/** What is sent of a problem before the route is known; pages of any origin may read it. */
const replyTo = (problem: Problem) =>
  replyOf(problemAnswer(problem), CORS_HEADERS, { finished: () => undefined });

/** Answers a request with a problem document, without the router. */
export function sendProblem(outgoing: ServerResponse, problem: Problem): void {
  sendReply(replyTo(problem), outgoing);
}

/**
 * Sends a problem document on a socket where no request could be read, and closes the socket; after half a second even if
 * the client does not close its side. If it were closed at once, a client that is still sending would lose the answer.
 */
export function endWithProblem(socket: Duplex, problem: Problem, clock: Clock): void {
  const { headers, body } = replyTo(problem);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(
    [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines, '', body].join('\r\n'),
  );
  linger(socket, clock);
}

/** Destroys a socket that this side has ended, after half a second, if the client does not close its side before. */
export function linger(socket: Duplex, clock: Clock): void {
  socket.resume();
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  // `sleep` rejects when the socket is closed before.
  clock.sleep(LINGER_MS, closed.signal).then(
    () => socket.destroy(),
    () => undefined,
  );
}
