import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AnswerCache, KeptAnswer } from './answer-cache.js';

/** Request bodies up to this size, in bytes, are part of what an answer is remembered by. */
const MAX_BODY = 2048;

/** Requests whose answer is to be kept, and what it is to be remembered by. */
const awaited = new WeakMap<object, string>();

/**
 * Stands before the router, and gives answers that have been given before; a router that has to be asked costs
 * more than most answers. What it does not know at a glance it passes on. POST requests to the path `questions`
 * are questions: the same body gets the same answer.
 *
 * Only answers that the router calls `repeatable` are kept, and only while the cache's state is what it was when
 * they were asked for; those that depend on who asks, never.
 */
export function frontDesk(cache: AnswerCache, questions: string, next: RequestListener): RequestListener {
  const ask = (key: string | undefined, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const kept = key === undefined ? undefined : cache.get(key);
    if (kept) return give(kept, outgoing);
    if (key !== undefined && cache.wants(key)) awaited.set(incoming, key);
    next(incoming as never, outgoing as never);
  };
  return (incoming, outgoing) => {
    if (incoming.method === 'GET') ask(keyOf(incoming), incoming, outgoing);
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
export function awaitedKey(incoming: object | undefined): string | undefined {
  if (incoming === undefined) return undefined;
  const key = awaited.get(incoming);
  awaited.delete(incoming);
  return key;
}

function give({ status, headers, body, bytes, watch }: KeptAnswer, outgoing: ServerResponse): void {
  const sent = watch?.();
  outgoing.writeHead(status, headers).end(body);
  sent?.(status, bytes);
}

/** Where the router's server looks for bodies that have been read. */
type Question = IncomingMessage & { rawBody?: Buffer };

type Ask = (key: string | undefined, incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Reads a short body before the request goes on; the router finds it where its server looks for read bodies. */
function question(ask: Ask, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const head = keyOf(incoming);
  const length = Number(incoming.headers['content-length'] ?? Number.NaN);
  if (head === undefined || !(length <= MAX_BODY) || incoming.headers['content-encoding'] !== undefined) {
    ask(undefined, incoming, outgoing);
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    (incoming as Question).rawBody = body;
    // Latin-1 has a character for every byte: different bodies are different keys.
    ask(`${head}\n${body.toString('latin1')}`, incoming, outgoing);
  });
}

/**
 * All that answers depend on. Undefined where they depend on more than this: on the time, or on headers that
 * are given twice.
 */
function keyOf({ method, url, rawHeaders }: IncomingMessage): string | undefined {
  let key = `${method} ${url}`;
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const known = KNOWN_LENGTHS[name.length] === true ? KNOWN.get(name.toLowerCase()) : undefined;
    if (known === undefined) continue;
    if (known === 0 || (seen & known) !== 0) return undefined;
    seen |= known;
    key += `\n${known} ${rawHeaders[i + 1]}`;
  }
  return key;
}

/** Headers that answers depend on, as bits; 0: the answer depends on the time, too. */
const KNOWN = new Map([
  ['accept', 1],
  ['accept-encoding', 2],
  ['if-none-match', 4],
  ['content-type', 8],
  ['host', 16],
  ['if-modified-since', 0],
  ['transfer-encoding', 0],
  ['expect', 0],
]);
const KNOWN_LENGTHS: readonly (boolean | undefined)[] = Array.from({ length: 20 }, (_, length) =>
  [...KNOWN.keys()].some((name) => name.length === length),
);
