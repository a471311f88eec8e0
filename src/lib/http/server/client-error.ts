import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock.js';
import { Problem } from '../problem.js';
import { MAX_TARGET, targetTooLong } from './request-check.js';
import { endWithProblem, sendProblem } from './send-problem.js';
import type { Turns } from './turns.js';

/** What Node's parser reports; `rawPacket` is what it was reading. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: Uint8Array };

interface Refusing {
  readonly clock: Clock;
  readonly turns: Turns;
  /** Told the status of each answer. */
  readonly onRefused: (status: number) => void;
}

/**
 * Answers with problem documents what Node's server gives to no request listener: what cannot be read as a request,
 * `Expect` headers that cannot be met, and CONNECT.
 */
export function answerWithoutRequest(server: Server, { clock, turns, onRefused }: Refusing): void {
  const refuse = (socket: Duplex, problem: Problem) => {
    onRefused(problem.status);
    endWithProblem(socket, problem, clock);
  };
  server.on('clientError', (error: ClientError, socket) => {
    const isLost = !socket.writable || error.code === 'ECONNRESET';
    if (!isLost && turns.isOver(socket)) return;
    // While an answer is being sent, no other can be.
    if (isLost || turns.answerTo(socket)?.headersSent) socket.destroy(error);
    else refuse(socket, problemOf(error));
  });
  const unmet = turns.before((_, outgoing) => {
    onRefused(417);
    sendProblem(outgoing, new Problem(417, 'The only expectation that this node can meet is 100-continue'));
  });
  server.on('checkExpectation', unmet);
  server.on('connect', (_: IncomingMessage, socket) => {
    // Node has taken its own listener away, and an error without one would end the process.
    socket.on('error', () => socket.destroy());
    if (!turns.isOver(socket))
      refuse(socket, new Problem(405, 'This node is no proxy', { headers: { allow: '' } }));
  });
}

function problemOf({ code, rawPacket }: ClientError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isTargetTooLong(rawPacket)
        ? targetTooLong()
        : new Problem(431, 'The path, the query and the headers together are too long');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem(413, 'The extensions of the chunks are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(408, 'The request took too long to arrive');
    default:
      return new Problem(400, 'The request cannot be read as HTTP/1.1');
  }
}

/** The parser does not say what was too long; the packet shows it, when it begins with the request line. */
function isTargetTooLong(packet: Uint8Array | undefined): boolean {
  if (!packet) return false;
  const [method = '', target = ''] = Buffer.from(packet)
    .toString('latin1', 0, MAX_TARGET + 64)
    .split(' ', 2);
  return /^[A-Z]+$/.test(method) && /^[^\r\n]*$/.test(target) && target.length > MAX_TARGET;
}
