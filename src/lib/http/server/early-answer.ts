import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.js';

/** How long the rest of a body is still read after its answer, in ms. */
const LINGER_MS = 500;

/**
 * An answer that is given before the body of its request has arrived says `Connection: close` (RFC 9112, section 9.6):
 * the rest of the body stands between this request and the next one. The connection is closed only when the client
 * has sent everything, or after half a second: a client that is still sending would lose the answer.
 */
export function closeAfterEarlyAnswers(next: RequestListener, clock: Clock): RequestListener {
  return (incoming, outgoing) => {
    if (hasBody(incoming)) closeWhenEarly(incoming, outgoing, clock);
    next(incoming, outgoing);
  };
}

/** Does a body follow (RFC 9112, section 6.3)? */
function hasBody({ rawHeaders }: IncomingMessage): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') return Number(rawHeaders[i + 1]) !== 0;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

function closeWhenEarly(incoming: IncomingMessage, outgoing: ServerResponse, clock: Clock): void {
  const { writeHead, end } = outgoing;
  let early = false;
  outgoing.writeHead = (...head: unknown[]) => {
    early = !incoming.complete;
    if (early) outgoing.shouldKeepAlive = false;
    return writeHead.apply(outgoing, head as Parameters<typeof writeHead>);
  };
  outgoing.end = (...rest: unknown[]) => {
    const [last] = rest;
    // The end of a body without announced length is what its reader waits for.
    if (!early || outgoing.chunkedEncoding) return end.apply(outgoing, rest as Parameters<typeof end>);
    if (typeof last === 'string' || last instanceof Uint8Array) outgoing.write(last);
    else outgoing.flushHeaders();
    void arrival(incoming, clock).then(() => Reflect.apply(end, outgoing, []));
    return outgoing;
  };
}

/** Resolves when the rest of the body has arrived and been thrown away, or when it has taken too long. */
async function arrival(incoming: IncomingMessage, clock: Clock): Promise<void> {
  const arrived = new AbortController();
  for (const event of ['end', 'error', 'close']) incoming.once(event, () => arrived.abort());
  // Who read the body until now has no use for the rest.
  incoming.removeAllListeners('data');
  incoming.resume();
  if (incoming.readableEnded || incoming.destroyed) return;
  // The sleep ends early when the body has arrived, and that is no fault.
  await clock.sleep(LINGER_MS, arrived.signal).catch(() => undefined);
}
