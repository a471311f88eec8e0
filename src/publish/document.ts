import { ACCEPT_RDF, parsedAs } from '../component/rdf/parsed-as.js';
import { parseLinks } from '../lib/http/headers/link-header.js';
import { error, type Finding, ok } from './finding.js';
import { howToOpen, isOtherFormat, mendOfStatus } from './refused-document.js';

/** `fetch` as browsers have it. Who gives one bounds its time and bytes, and has it reject with words for people. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** A document as it is stored. */
export interface Stored {
  /** Turtle; undefined when there is nothing yet. */
  readonly text: string | undefined;
  /** What the server calls this state. */
  readonly etag?: string | undefined;
}

/** A metadata document that is read and written. */
export interface Target {
  /** Where it is, for people. */
  readonly address: string;
  /** Its address on the web; undefined while that is not known. */
  readonly url: string | undefined;
  /** @throws Error that says what to do when it cannot be read */
  read(): Promise<Stored>;
  /** Writes the document, or without a text deletes it, if it still is what was read. @throws Error that says what to do */
  write(text: string | undefined, before: Stored): Promise<void>;
}

/** What is wrong, behind its address, with a document that is no longer what was read. */
export const CHANGED = 'has been changed meanwhile: look at it again';

/**
 * A document in a pod (Solid Protocol): read and written with conditions, so that nobody's change is lost.
 * @param fetch with the right to do so
 * @param signIn how to get that right
 */
export function podDocument(url: string, fetch: Fetch, signIn: string): Target {
  const refuse = (done: string, status: number): never => {
    if (status === 412) throw new Error(`${url} ${CHANGED}`);
    if (status === 401 || status === 403)
      throw new Error(`${url} may not be ${done}, because a right is missing: ${signIn}`);
    const isNoPlace = done === 'written' && [404, 405, 501].includes(status);
    throw new Error(`${url} answers ${status}${isNoPlace ? ': nothing can be written there' : ''}`);
  };
  const read = async (): Promise<Stored> => {
    const answer = await fetch(url, { headers: { accept: 'text/turtle' } });
    if (answer.ok && mediaTypeOf(answer) === 'text/turtle')
      return { text: await answer.text(), etag: answer.headers.get('etag') ?? undefined };
    await answer.body?.cancel();
    if (answer.status === 404 || answer.status === 410) return { text: undefined };
    if (!answer.ok) return refuse('read', answer.status);
    const type = mediaTypeOf(answer) || 'of no type';
    throw new Error(`${url} is ${type}, which is not edited: name another document, or delete it`);
  };
  return {
    address: url,
    url,
    read,
    async write(text, before) {
      if (cautionOf(before) !== undefined && (await read()).text !== before.text) refuse('written', 412);
      const condition = writeCondition(before);
      const headers = { ...condition, 'content-type': 'text/turtle' };
      const answer = await fetch(
        url,
        text === undefined
          ? { method: 'DELETE', headers: condition }
          : { method: 'PUT', headers, body: text },
      );
      await answer.body?.cancel();
      if (!answer.ok) refuse('written', answer.status);
    },
  };
}

/** Why a change by somebody else might be undone all the same: a sentence; undefined when it cannot. */
export function cautionOf({ text, etag }: Stored): string | undefined {
  if (text === undefined || isStrong(etag)) return undefined;
  const why =
    etag === undefined
      ? 'no ETag, so no write there is conditional'
      : 'a weak ETag, which no write can be bound to';
  return `Its server sends ${why}: it is read once more before it is written, and a change in that moment would be lost.`;
}

/**
 * The header by which a server refuses a write when the resource is no longer what was read (RFC 9110, section 13.1); none
 * where the server cannot compare.
 */
function writeCondition({ text, etag }: Stored): Record<string, string> {
  if (text === undefined) return { 'if-none-match': '*' };
  return isStrong(etag) ? { 'if-match': etag } : {};
}

/** `If-Match` compares strongly, so that a weak validator never matches (RFC 9110, section 8.8.3.2). */
function isStrong(etag: string | undefined): etag is string {
  return etag !== undefined && !etag.startsWith('W/');
}

/** The media type of an answer, lower case and without parameters. */
export function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

/** What everybody is given at an address. */
interface Proof {
  readonly finding: Finding;
  readonly etag?: string | undefined;
}

/**
 * Looks at a document as strangers and nodes do. Rules of access are never written: who may read is said, and how to change it.
 * @param fetch without any sign-in
 */
export async function proofOf(url: string, fetch: Fetch): Promise<Proof> {
  const headers = { accept: ACCEPT_RDF };
  const closed = (why: string, fix: string): Proof => ({ finding: error('notPublic', { why, fix }) });
  let answer: Response;
  try {
    answer = await fetch(url, { headers, credentials: 'omit' });
    await answer.body?.cancel();
  } catch (failure) {
    return closed(failure instanceof Error ? failure.message : String(failure), howToOpen(undefined));
  }
  const { status } = answer;
  const why = `its server answers ${status}`;
  if (isOtherFormat(status)) return { finding: error('otherFormat', { why, fix: mendOfStatus(status) }) };
  if (status === 401 || status === 403) {
    const links = parseLinks(answer.headers.get('link'));
    const rules = links.find(({ relations }) => relations.includes('acl'));
    return closed(why, howToOpen(rules && new URL(rules.target, url).href));
  }
  if (!answer.ok) return closed(why, mendOfStatus(status));
  const type = mediaTypeOf(answer);
  if (parsedAs(type, url) === undefined)
    return closed(`its server calls it ${type || 'nothing'}`, 'serve it as text/turtle');
  return { finding: ok('isPublic', { url }), etag: answer.headers.get('etag') ?? undefined };
}
