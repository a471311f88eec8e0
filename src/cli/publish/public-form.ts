import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';

/** A document as everybody is given it. */
export interface PublicForm {
  readonly status: number;
  readonly etag?: string | undefined;
  /** Where the rules of access are (Web Access Control, section 3.1). */
  readonly rules?: string | undefined;
}

/** Asks for a document as strangers do, and as nodes do. */
export async function publicForm(url: string, fetch: GuardedFetch): Promise<PublicForm> {
  const headers = { accept: 'text/turtle, application/ld+json;q=0.9' };
  const answer = await fetch(url, { headers, trust: 'configured', turn: 'none' });
  await answer.discard();
  const link = parseLinks(answer.headers.get('link')).find(({ relations }) => relations.includes('acl'));
  return {
    status: answer.status,
    etag: answer.headers.get('etag') ?? undefined,
    rules: link && new URL(link.target, url).href,
  };
}
