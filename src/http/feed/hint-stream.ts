import type { Answer, RouteContext } from '../../lib/http/resource.js';
import type { EventStreams } from './event-streams.js';

/** The media type of a stream of hints. */
export const HINTS = 'text/event-stream';

const STREAM_HEADERS = {
  'content-type': HINTS,
  vary: 'Accept',
  'cache-control': 'no-store',
  // nginx would hold events back until its buffer is full.
  'x-accel-buffering': 'no',
};

/**
 * A stream of server-sent events (HTML standard, section 9.2): whenever the node changes, its cursor. It can be opened while the
 * node loads, because browsers never ask again after a refusal.
 */
export function hintStream(
  eventStreams: EventStreams,
  { req, client }: RouteContext,
  more: Record<string, string> = {},
): Answer {
  const headers = { ...STREAM_HEADERS, ...more };
  if (req.method === 'HEAD') return { status: 200, headers };
  const body = eventStreams.open(req.header('last-event-id'), client);
  return { status: 200, headers, body, endless: true };
}

/** Does a client name the stream of hints? One that says `text/*` wants something to read to its end. */
export function namesHints({ req }: RouteContext): boolean {
  return req.header('accept')?.includes(HINTS) ?? false;
}
