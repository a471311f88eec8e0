import { podLogin } from '../../config.js';
import { systemClock } from '../../lib/clock.js';
import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { FetchAnswer, GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../../lib/fetch/solid-oidc.js';
import { whyUnconditional, writeCondition } from '../../lib/http/headers/write-condition.js';
import { CHANGED, type Stored, type Target } from './target.js';

export interface PodTargetParts {
  readonly fetch: GuardedFetch;
  /** The right to write; without it, only what is public can be read. */
  readonly credentials: Credentials | undefined;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The right to write to a pod, by client credentials of the environment; undefined when there are none.
 * @param issuer of the pod's owner; the pod's own server when absent
 * @throws Error when one of the two variables is missing
 */
export function podCredentials(
  url: string,
  issuer: string | undefined,
  fetch: GuardedFetch,
): Credentials | undefined {
  const login = podLogin();
  const at = { issuer: issuer ?? new URL(url).origin, trust: 'configured', clock: systemClock } as const;
  return login && createPodCredentials({ ...at, ...login, fetch });
}

/** A document in a pod (Solid Protocol): read and written with conditions, so that nobody's change is lost. */
export function podTarget(url: string, { fetch, credentials }: PodTargetParts): Target {
  const request = (sent: Sent) =>
    authorizedFetch(fetch, url, { ...sent, trust: 'configured', turn: 'none' }, credentials);
  const read = async () => storedIn(await request({ headers: { accept: 'text/turtle' } }), credentials);
  return {
    address: url,
    url,
    read,
    async write(text, before) {
      if (!credentials) throw new Error(`${url} may not be written without a right: ${SIGN_IN}`);
      if (before.caution !== undefined && (await read()).text !== before.text)
        throw new Error(`${url} ${CHANGED}`);
      const condition = writeCondition(before.text === undefined ? undefined : before);
      const headers = { ...condition, 'content-type': 'text/turtle' };
      const answer = await request(
        text === undefined
          ? { method: 'DELETE', headers: condition }
          : { method: 'PUT', headers, body: text },
      );
      await answer.discard();
      if (answer.status >= 300) throw new Error(`${url} ${whyNotWritten(answer.status)}`);
    },
  };
}

const SIGN_IN = 'set POD_CLIENT_ID and POD_CLIENT_SECRET to client credentials of your pod';

async function storedIn(answer: FetchAnswer, credentials: Credentials | undefined): Promise<Stored> {
  const { status, url, headers } = answer;
  if (status === 200) {
    const type = headers.get('content-type') ?? 'no type';
    if (/^text\/turtle\b/.test(type)) {
      const etag = headers.get('etag') ?? undefined;
      return { text: await answer.text(), etag, caution: whyUnconditional({ etag }) };
    }
    await answer.discard();
    throw new Error(`${url} is ${type}, which is not edited: name another document, or delete it`);
  }
  await answer.discard();
  if (status === 404 || status === 410) return { text: undefined };
  if (status !== 401 && status !== 403) throw new Error(`${url} answers ${status}`);
  const mend = credentials ? 'is it your pod?' : SIGN_IN;
  throw new Error(
    `${url} may not be read with${credentials ? ' these credentials' : 'out a right'}: ${mend}`,
  );
}

function whyNotWritten(status: number): string {
  if (status === 412) return CHANGED;
  if (status === 401 || status === 403) return 'may not be written with these credentials: is it your pod?';
  if (status === 404 || status === 405 || status === 501)
    return `answers ${status}: nothing can be written there; for a static host, name a folder of this machine`;
  return `answers ${status}`;
}
