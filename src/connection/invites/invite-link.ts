import { createHmac } from 'node:crypto';
import { sameSecret } from '../../lib/secret.js';
import type { Invite } from '../records/invite.js';

/**
 * What the signature of a link covers: it opens one invite of one holder, until that expires or is given another end. `linksEnded`:
 * how many of its links the holder has made worthless with version 0.2.0, so that they stay so after an import.
 */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires'> & { readonly linksEnded?: number };

/** The URL of the page on which the holder accepts the invite. Anybody who has the link can accept it. */
export function inviteLink(base: string, invite: Invitation, key: Uint8Array): string {
  return `${base}/invite/${encodeURIComponent(invite.uri)}/accept?signature=${sign(invite, key)}`;
}

/** Has this service made the link with that signature? */
export function isGenuine(signature: string, invite: Invitation, key: Uint8Array): boolean {
  return sameSecret(signature, sign(invite, key));
}

function sign({ uri, holder, expires, linksEnded = 0 }: Invitation, key: Uint8Array): string {
  const fields = [uri, holder, expires, ...(linksEnded > 0 ? [linksEnded] : [])];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
