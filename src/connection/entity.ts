import { createHash } from 'node:crypto';
import { Problem } from '../lib/http/problem.js';
import type { Answer } from '../lib/http/resource.js';

/** What is answered here belongs to one reader, and no cache on the way may keep it. */
export const PRIVATE: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
};

/** One record, with the tag that its next change can be guarded by. */
export function entityAnswer(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { ...PRIVATE, etag: entityTag(body), ...headers },
    body: JSON.stringify(body),
  };
}

/**
 * Guards a change against the changes of others (RFC 9110, section 13.1.1). `body`: the record as it is now.
 * @throws Problem 412 when it is none of those that the client has seen
 */
export function requireMatch(ifMatch: string | undefined, body: object): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags: readonly string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (tags.includes(entityTag(body))) return;
  throw new Problem(412, 'The record has changed since it was read; read it again', {
    headers: { etag: entityTag(body) },
  });
}

function entityTag(body: object): string {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return `"${hash.slice(0, 22)}"`;
}
