import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { jsonValue } from '../../lib/json-value.js';

/** A document as everybody is given it. */
export interface PublicForm {
  readonly status: number;
  readonly etag?: string | undefined;
  /** Where the rules of access are (Web Access Control, section 3.1). */
  readonly acl?: string | undefined;
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
    acl: link && new URL(link.target, url).href,
  };
}

/**
 * Lets everybody read a document, and leaves all other rights to its owner, by a rule of its own (Web Access Control).
 * @throws Error that says what to do instead
 */
export async function makePublic(
  url: string,
  { acl }: PublicForm,
  fetch: GuardedFetch,
  credentials: Credentials,
): Promise<void> {
  const { authorization = '' } = await credentials.authorize({ url, method: 'PUT' });
  const owner = webIdIn(authorization);
  if (acl === undefined || !acl.endsWith('.acl') || owner === undefined)
    throw new Error(
      `${url} cannot be made public from here: let everybody read it in the settings of your pod`,
    );
  const body = `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
<#owner> a acl:Authorization; acl:agent <${owner}>; acl:accessTo <${url}>; acl:mode acl:Read, acl:Write, acl:Control.
<#public> a acl:Authorization; acl:agentClass <http://xmlns.com/foaf/0.1/Agent>; acl:accessTo <${url}>; acl:mode acl:Read.
`;
  const headers = { 'content-type': 'text/turtle', 'if-none-match': '*' };
  const request = { method: 'PUT', headers, body, trust: 'configured', turn: 'none' } as const;
  const answer = await authorizedFetch(fetch, acl, request, credentials);
  await answer.discard();
  if (answer.status === 412)
    throw new Error(
      `${acl} has rules already, which stay as they are: add the right to read for everybody there`,
    );
  if (answer.status >= 300) throw new Error(`${acl} answers ${answer.status}: its rules were not changed`);
}

/** Whom an access token speaks for (Solid-OIDC, section 8.1); tokens that are no JWT do not say. */
function webIdIn(authorization: string): string | undefined {
  const [, payload = ''] = authorization.replace(/^DPoP /, '').split('.');
  const claims = jsonValue(Buffer.from(payload, 'base64url').toString('utf8'));
  const webId = typeof claims === 'object' && claims !== null && 'webid' in claims ? claims.webid : undefined;
  return typeof webId === 'string' && /^https?:\/\/[^\s<>"{}|\\^`]+$/.test(webId) ? webId : undefined;
}
