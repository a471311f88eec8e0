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

/** The parameters of a link. */
export interface Link {
  /** Ms since the epoch, as a numeric string. */
  readonly expires: string;
  /** Proof that this service has made the link. */
  readonly signature: string;
}

/** Of a parameter that is there twice the first counts, for the signature, too. */
export function readLink(parameters: URLSearchParams): Link {
  const [expires = '', signature = ''] = ['expires', 'signature'].map((name) => parameters.get(name) ?? '');
  return { expires, signature };
}

/** Has this service made the link, for that invite? */
export function isGenuine({ expires, signature }: Link, invite: Invitation, key: Uint8Array): boolean {
  return sameSecret(signature, sign({ ...invite, expires }, key));
}

function sign({ uri, holder, expires, linksEnded = 0 }: Invitation, key: Uint8Array): string {
  const fields = [uri, holder, expires, ...(linksEnded > 0 ? [linksEnded] : [])];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
