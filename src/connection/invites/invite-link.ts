import { createHmac } from 'node:crypto';
import { sameSecret } from '../../lib/secret.js';
import { uriKey } from '../uri.js';
import type { Invite } from './invite.js';

/** What the signature of a link covers: it opens one invite, for one holder, until it expires. */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires'>;

/** The address of the page on which the holder accepts the invite. Anybody who has the link may accept. */
export function inviteLink(base: string, invite: Invitation, key: Uint8Array): string {
  const { uri, expires } = invite;
  const address = `${base}/invite/${encodeURIComponent(uri)}/accept`;
  return `${address}?${new URLSearchParams({ expires, signature: sign(invite, key) })}`;
}

/** What a link says: ms since the epoch as a numeric string, and the proof that this service has made it. */
export interface Link {
  readonly expires: string;
  readonly signature: string;
}

/** Undefined for what is no link of ours: each parameter is there once, so that what is signed is what is checked. */
export function readLink(parameters: URLSearchParams): Link | undefined {
  const [expires, ...moreExpires] = parameters.getAll('expires');
  const [signature, ...moreSignatures] = parameters.getAll('signature');
  if (expires === undefined || signature === undefined) return undefined;
  return moreExpires.length + moreSignatures.length > 0 ? undefined : { expires, signature };
}

/** Was this link made for this invite? */
export function isGenuine({ expires, signature }: Link, invite: Invitation, key: Uint8Array): boolean {
  return sameSecret(signature, sign({ ...invite, expires }, key));
}

function sign({ uri, holder, expires }: Invitation, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([uriKey(uri), uriKey(holder), expires]))
    .digest('base64url');
}
