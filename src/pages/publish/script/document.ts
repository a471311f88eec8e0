import { ask, askForSuccess, type Fetch, giveUp, mediaTypeOf, textOf } from '../../../host/fetching.js';
import { whyUnconditional, writeCondition } from '../../../lib/http/headers/write-condition.js';
import { TIMEOUT_MS } from './graph.js';

const MAX_BYTES = 1_000_000;
const TURTLE = 'text/turtle';
/** What servers say of files whose type they do not know. */
const SAYS_NOTHING = ['', 'application/octet-stream', 'binary/octet-stream', 'text/plain'];

/** A document as its server has it. */
export interface Stored {
  readonly text: string;
  /** What its server calls this state. */
  readonly etag: string | undefined;
}

/** Reads a document as its owner; undefined when there is none. @throws Error that says what to do */
export async function readStored(url: string, fetch: Fetch): Promise<Stored | undefined> {
  const request = { fetch, timeoutMs: TIMEOUT_MS, cache: 'no-store', headers: { accept: TURTLE } } as const;
  const answer = await ask(url, request);
  if (answer.status === 404 || answer.status === 410) {
    await giveUp(answer);
    return undefined;
  }
  if (!answer.ok) throw await refusal(answer, 'read', url);
  if (mediaTypeOf(answer) !== TURTLE)
    throw new Error(`${url} is ${mediaTypeOf(answer)}: this page edits Turtle`);
  return { text: await textOf(answer, MAX_BYTES), etag: answer.headers.get('etag') ?? undefined };
}

/**
 * Writes a document, or without a text deletes it, unless somebody else has written it since it was read.
 * @throws Error that says what to do
 */
export async function writeStored(
  url: string,
  text: string | undefined,
  before: Stored | undefined,
  fetch: Fetch,
): Promise<void> {
  if (
    before &&
    whyUnconditional(before) !== undefined &&
    (await readStored(url, fetch))?.text !== before.text
  )
    throw new Error(`${url} cannot be written: ${REASONS[412]}`);
  const condition = writeCondition(before);
  const change =
    text === undefined
      ? { method: 'DELETE', headers: condition }
      : { method: 'PUT', headers: { 'content-type': TURTLE, ...condition }, body: text };
  const answer = await ask(url, { fetch, timeoutMs: TIMEOUT_MS, ...change });
  if (!answer.ok) throw await refusal(answer, text === undefined ? 'deleted' : 'written', url);
  await giveUp(answer);
}

/** What everybody gets at a URL, without any sign-in. @throws HostError */
export async function readAsStranger(url: string, fetch: Fetch): Promise<string> {
  const request = { fetch, timeoutMs: TIMEOUT_MS, cache: 'no-store', credentials: 'omit' } as const;
  const answer = await askForSuccess(url, { ...request, headers: { accept: TURTLE } });
  const type = mediaTypeOf(answer);
  const text = await textOf(answer, MAX_BYTES);
  if (type === TURTLE || type === 'application/ld+json') return text;
  // As nodes do with static hosts: where the server does not know, the name counts.
  if (SAYS_NOTHING.includes(type) && /\.(ttl|jsonld)$/.test(new URL(url).pathname)) return text;
  throw new Error(`its server calls it ${type || 'nothing'}: nodes want text/turtle`);
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'your sign-in is not accepted there (any more): sign in again',
  403: 'your pod does not allow you that',
  409: 'something is in the way there',
  412: 'somebody has written it meanwhile: leave the field with its URL and look at it again',
};

async function refusal(answer: Response, what: string, url: string): Promise<Error> {
  await giveUp(answer);
  return new Error(
    `${url} cannot be ${what}: ${REASONS[answer.status] ?? `its server answers ${answer.status}`}`,
  );
}
