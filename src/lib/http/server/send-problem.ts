import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Writable } from 'node:stream';
import { ANY_ORIGIN, corsHeaders } from '../headers/cors.js';
import type { Problem } from '../problem.js';

/** Headers of a problem that is answered before a route is known: any page may read it, as it may the others. */
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
  const body = JSON.stringify(problem);
  outgoing.writeHead(problem.status, headersOf(problem, body)).end(body);
}

/** Writes the same to a socket on which no request could be read, and ends it. */
export function endWithProblem(socket: Writable, problem: Problem): void {
  const body = JSON.stringify(problem);
  const headers = { ...headersOf(problem, body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines, '', body].join('\r\n'),
  );
}
