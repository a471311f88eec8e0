import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { FetchAnswer, GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { Stored, Target } from './target.js';

export interface PodTargetParts {
  readonly fetch: GuardedFetch;
  /** The right to write: what the environment gives, or a sign-in; asked for when it is needed. */
  readonly credentials: () => Promise<Credentials>;
  /** Is the right there without asking anybody? */
  readonly ready: boolean;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A document in a pod (Solid Protocol): read and written with conditions, so that nobody's change is lost. */
export function podTarget(url: string, parts: PodTargetParts): Target {
  return {
    address: url,
    url,
    async read() {
      // Without a right at hand it is read as everybody may: what is public can be compared without signing in.
      let answer = await request(url, parts, { headers: { accept: 'text/turtle' } }, parts.ready);
      if (isRefused(answer) && !parts.ready) {
        await answer.discard();
        answer = await request(url, parts, { headers: { accept: 'text/turtle' } }, true);
      }
      return storedIn(answer);
    },
    async write(text, before) {
      const condition: Record<string, string> =
        before.text === undefined ? { 'if-none-match': '*' } : before.etag ? { 'if-match': before.etag } : {};
      const answer = await request(
        url,
        parts,
        text === undefined
          ? { method: 'DELETE', headers: condition }
          : { method: 'PUT', headers: { ...condition, 'content-type': 'text/turtle' }, body: text },
        true,
      );
      await answer.discard();
      if (answer.status >= 300) throw new Error(`${url} ${whyNotWritten(answer.status)}`);
    },
  };
}

async function request(
  url: string,
  { fetch, credentials }: PodTargetParts,
  sent: Sent,
  withRight: boolean,
): Promise<FetchAnswer> {
  const right = withRight ? await credentials() : undefined;
  return authorizedFetch(fetch, url, { ...sent, trust: 'configured', turn: 'none' }, right);
}

async function storedIn(answer: FetchAnswer): Promise<Stored> {
  const { status, url, headers } = answer;
  if (status === 200) {
    const type = headers.get('content-type') ?? 'no type';
    if (/^text\/turtle\b/.test(type))
      return { text: await answer.text(), etag: headers.get('etag') ?? undefined };
    await answer.discard();
    throw new Error(`${url} is ${type}, which is not edited: name another document, or delete it`);
  }
  await answer.discard();
  if (status === 404 || status === 410) return { text: undefined };
  if (isRefused(answer)) throw new Error(`${url} may not be read with this sign-in: is it your pod?`);
  throw new Error(`${url} answers ${status}`);
}

function isRefused({ status }: FetchAnswer): boolean {
  return status === 401 || status === 403;
}

function whyNotWritten(status: number): string {
  if (status === 412) return 'has been changed meanwhile: look at the difference again';
  if (status === 401 || status === 403) return 'may not be written with this sign-in: is it your pod?';
  if (status === 404 || status === 405 || status === 501)
    return `answers ${status}: nothing can be written there; for a static host, name a folder of this machine`;
  return `answers ${status}`;
}
