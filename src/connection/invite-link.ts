import { createHmac } from 'node:crypto';
import { sameSecret } from '../lib/secret.js';
import type { Invite } from './invite.js';
import { uriKey } from './uri.js';

/** What the signature of a link covers: it opens one invite, for one holder, until it expires. */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires'>;

/** The address of the page on which the holder accepts the invite. Anybody who has the link may accept. */
export function inviteLink(base: string, invite: Invitation, key: Uint8Array): string {
  const { uri, expires } = invite;
  const address = `${base}/invite/${encodeURIComponent(uri)}/accept`;
  return `${address}?${new URLSearchParams({ expires, signature: sign(invite, key) })}`;
}

/** Was a link with these parameters made for this invite? */
export function isGenuine(parameters: URLSearchParams, invite: Invitation, key: Uint8Array): boolean {
  const { expires, signature } = Object.fromEntries(parameters);
  if (expires === undefined || signature === undefined) return false;
  return sameSecret(signature, sign({ ...invite, expires }, key));
}

function sign({ uri, holder, expires }: Invitation, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([uriKey(uri), uriKey(holder), expires]))
    .digest('base64url');
}
