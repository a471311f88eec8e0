import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a text, or bytes, to a port of this machine as it is, and reads what comes until the other side closes. */
export async function sendRaw(port: number, sent: string | Uint8Array): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(sent);
  const received = await text(socket);
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/, 2) as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** A request without a body; the connection is closed after its answer. */
export function rawRequest(
  target: string,
  headers: readonly string[] = ['host: localhost'],
  method = 'GET',
): string {
  return [`${method} ${target} HTTP/1.1`, 'connection: close', ...headers, '', ''].join('\r\n');
}
