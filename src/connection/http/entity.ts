import { Problem } from '../../lib/http/problem.js';
import type { Answer } from '../../lib/http/resource.js';
import { entityTagsIn } from '../../lib/http/response/conditional.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { textTag } from '../../lib/http/response/text-tag.js';

/** Headers of JSON that depends on the token: no cache may store it. */
export const PRIVATE: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
};

/** An answer with one record, and the entity tag that a client sends as `If-Match` when it changes the record. */
export function entityAnswer(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { ...PRIVATE, etag: entityTag(body), ...headers },
    body: jsonText(body),
  };
}

/**
 * Checks `If-Match`, so that a client does not overwrite a change that it has not seen (RFC 9110, section 13.1.1).
 * `body`: the current record. @throws Problem 412 when no entity tag of the client matches it
 */
export function requireMatch(ifMatch: string | undefined, body: object): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (entityTagsIn(ifMatch).includes(entityTag(body))) return;
  throw new Problem(412, 'The record has changed since it was read; read it again', {
    headers: { etag: entityTag(body) },
  });
}

function entityTag(body: object): string {
  return textTag(JSON.stringify(body));
}
