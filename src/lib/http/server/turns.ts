import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock.js';
import { linger } from './send-problem.js';

/**
 * One request of a connection at a time. `node:http` hands over all that it finds in 64 kB at once, 2,500 of the shortest.
 * A client that sends a request before it has the answer to the one before must be ready to send it again on another
 * connection (RFC 9112, section 9.3.2): here the answer in hand is finished, nothing more is read, and the connection ends.
 * The answer does not say `Connection: close`: Node would then close the socket at once, and a client that is still
 * sending would lose the answer.
 */
export class Turns {
  readonly #clock: Clock;
  /** The last answer that a connection was given. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** Those of which nothing more is read. */
  readonly #over = new WeakSet<Duplex>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  before(next: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { socket } = incoming;
      if (this.isOver(socket)) return;
      this.#answers.set(socket, outgoing);
      next(incoming, outgoing);
    };
  }

  /** The answer in hand, until it is sent or the connection has closed. */
  answerTo(socket: Duplex): ServerResponse | undefined {
    const answer = this.#answers.get(socket);
    return answer?.closed ? undefined : answer;
  }

  /**
   * Must what now comes on a connection be dropped? So it is with what comes before its turn, from then on. Bytes that the
   * request in hand is still waiting for are no such thing.
   */
  isOver(socket: Duplex): boolean {
    const answer = this.answerTo(socket);
    if (answer?.req.complete && !this.#over.has(socket)) {
      this.#over.add(socket);
      // With a listener for data, `node:http` parses no more by itself. Reading goes on, so that the end of the client is seen.
      socket.on('data', ignore).removeAllListeners('data').on('data', ignore);
      socket.once('end', () => socket.end());
      answer.once('close', () => linger(socket.end(), this.#clock));
    }
    return this.#over.has(socket);
  }
}

const ignore = () => undefined;
