import { createHmac } from 'node:crypto';
import { sameSecret } from '../../lib/secret.js';
import type { Invite } from '../records/invite.js';

/**
 * What the signature of a link covers: it opens one invite of one holder, and can be used to accept it until `expires`.
 * `linksEnded`: how many of its links the holder has made worthless with version 0.2.0, so that they stay so after an import.
 */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires'> & { readonly linksEnded?: number };

/** The URL of the page on which the holder accepts the invite. Anybody who has the link can accept it. */
export function inviteLink(base: string, invite: Invitation, key: Uint8Array): string {
  const query = new URLSearchParams({ expires: invite.expires, signature: sign(invite, key) });
  return `${base}/invite/${encodeURIComponent(invite.uri)}/accept?${query}`;
}

/** Has this service made the link with these parameters, for that invite? */
export function isGenuine(parameters: URLSearchParams, invite: Invitation, key: Uint8Array): boolean {
  const signed = sign({ ...invite, expires: parameters.get('expires') ?? '' }, key);
  return sameSecret(parameters.get('signature') ?? '', signed);
}

function sign({ uri, holder, expires, linksEnded = 0 }: Invitation, key: Uint8Array): string {
  const fields = [uri, holder, expires, ...(linksEnded > 0 ? [linksEnded] : [])];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
