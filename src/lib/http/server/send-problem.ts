import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Writable } from 'node:stream';
import { ANY_ORIGIN, corsHeaders } from '../headers/cors.js';
import type { Problem } from '../problem.js';
import { jsonText } from '../response/json-text.js';

/** Headers of a problem that is sent before the route is known; pages of any origin may read it. */
function headersOf(problem: Problem, body: string): Record<string, string> {
  return {
    ...problem.headers,
    ...corsHeaders(ANY_ORIGIN),
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** Answers a request with a problem document, without the router. */
export function sendProblem(outgoing: ServerResponse, problem: Problem): void {
  const body = jsonText(problem);
  outgoing.writeHead(problem.status, headersOf(problem, body)).end(body);
}

/** Sends a problem document on a socket where no request could be read, and closes the socket. */
export function endWithProblem(socket: Writable, problem: Problem): void {
  const body = jsonText(problem);
  const headers = { ...headersOf(problem, body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines, '', body].join('\r\n'),
  );
}
