import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AnswerCache, KeptAnswer, RequestKey } from './answer-cache.js';

/** Request bodies up to this size, in bytes, are part of what an answer is remembered by. */
const MAX_BODY = 2048;

/** Requests whose answer is to be kept, and what it is to be remembered by. */
const awaited = new WeakMap<object, RequestKey>();

/**
 * Stands before the router, and gives answers that have been given before; a router that has to be asked costs
 * more than most answers. What it does not know at a glance it passes on. POST requests to the path `questions`
 * are questions: the same body gets the same answer.
 *
 * Only answers that the router calls `repeatable` are kept, and only while the cache's state is what it was when
 * they were asked for; those that depend on who asks, never.
 */
export function frontDesk(cache: AnswerCache, questions: string, next: RequestListener): RequestListener {
  const ask: Ask = (key, incoming, outgoing) => {
    const kept = key === undefined ? undefined : cache.get(key);
    if (kept) return give(kept, outgoing);
    if (key !== undefined && cache.wants(key)) awaited.set(incoming, key);
    next(incoming as never, outgoing as never);
  };
  return (incoming, outgoing) => {
    if (incoming.method === 'GET') ask(keyOf(incoming, incoming.url, 'GET'), incoming, outgoing);
    else if (incoming.method === 'POST' && incoming.url?.startsWith(questions))
      question(ask, incoming, outgoing);
    else next(incoming, outgoing);
  };
}

/** The body of a question, which has been read on the way. */
export function bodyAtHand(incoming: { rawBody?: Uint8Array } | undefined): Uint8Array | undefined {
  return incoming?.rawBody;
}

/** The key under which the answer to a request is to be kept; given once. */
export function awaitedKey(incoming: object | undefined): RequestKey | undefined {
  if (incoming === undefined) return undefined;
  const key = awaited.get(incoming);
  awaited.delete(incoming);
  return key;
}

function give({ status, headers, body, bytes, watch }: KeptAnswer, outgoing: ServerResponse): void {
  const began = watch?.began() ?? 0;
  outgoing.writeHead(status, headers).end(body);
  watch?.ended(began, status, bytes);
}

/** Where the router's server looks for bodies that have been read. */
type Question = IncomingMessage & { rawBody?: Buffer };

type Ask = (key: RequestKey | undefined, incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Reads a short body before the request goes on; the router finds it where its server looks for read bodies. */
function question(ask: Ask, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { headers, url } = incoming;
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!(length <= MAX_BODY) || headers['content-encoding'] !== undefined) {
    ask(undefined, incoming, outgoing);
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    (incoming as Question).rawBody = body;
    // Latin-1 has a character for every byte: different bodies are different keys.
    ask(keyOf(incoming, body.toString('latin1'), url), incoming, outgoing);
  });
}

/**
 * All that the answer to a request depends on beside `main`: what is asked and the headers that are looked at.
 * Undefined where it depends on more than this: on the time, or on headers that are given twice.
 */
function keyOf(
  { rawHeaders }: IncomingMessage,
  main: string | undefined,
  asked: string | undefined,
): RequestKey | undefined {
  const rest: (string | undefined)[] = [asked, undefined, undefined, undefined, undefined, undefined];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const place = KNOWN_LENGTHS[name.length] === true ? KNOWN.get(name.toLowerCase()) : undefined;
    if (place === undefined) continue;
    if (place === 0 || rest[place] !== undefined) return undefined;
    rest[place] = rawHeaders[i + 1] as string;
  }
  return main === undefined ? undefined : { main, rest };
}

/** Headers that answers depend on, and their place in the rest of a key; 0: the answer depends on more than what it says. */
const KNOWN = new Map([
  ['accept', 1],
  ['accept-encoding', 2],
  ['if-none-match', 3],
  ['content-type', 4],
  ['host', 5],
  ['if-modified-since', 0],
  ['transfer-encoding', 0],
  ['expect', 0],
]);
const KNOWN_LENGTHS: readonly (boolean | undefined)[] = Array.from({ length: 20 }, (_, length) =>
  [...KNOWN.keys()].some((name) => name.length === length),
);
