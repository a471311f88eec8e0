import { createHmac } from 'node:crypto';
import { sameSecret } from '../../lib/secret.js';
import type { Invite } from '../records/invite.js';
import { uriKey } from '../uri.js';

/**
 * The fields that the signature of a link covers: a link opens one invite of one holder, and can be used to accept it until
 * it expires.
 */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires' | 'linksEnded'>;

/** The URL of the page on which the holder accepts the invite. Anybody who has the link can accept it. */
export function inviteLink(base: string, invite: Invitation, key: Uint8Array): string {
  const { uri, expires } = invite;
  const query = new URLSearchParams({ expires, signature: sign(invite, key) });
  return `${base}/invite/${shortUri(uri, `${base}/invite/`)}/accept?${query}`;
}

/** In a path, the last segment of a URI that this service has made stands for all of it: people copy links from paper. */
function shortUri(uri: string, collection: string): string {
  const segment = uri.startsWith(collection) ? uri.slice(collection.length) : '';
  return /^[\w-]+$/.test(segment) ? segment : encodeURIComponent(uri);
}

/** The parameters of a link. */
export interface Link {
  /** Ms since the epoch, as a numeric string. */
  readonly expires: string;
  /** Proof that this service has made the link. */
  readonly signature: string;
}

/** Undefined unless each parameter is there exactly once: of two, the one that is checked might not be the signed one. */
export function readLink(parameters: URLSearchParams): Link | undefined {
  const [expires, ...moreExpires] = parameters.getAll('expires');
  const [signature, ...moreSignatures] = parameters.getAll('signature');
  if (expires === undefined || signature === undefined) return undefined;
  return moreExpires.length + moreSignatures.length > 0 ? undefined : { expires, signature };
}

export function isGenuine({ expires, signature }: Link, invite: Invitation, key: Uint8Array): boolean {
  return sameSecret(signature, sign({ ...invite, expires }, key));
}

function sign({ uri, holder, expires, linksEnded = 0 }: Invitation, key: Uint8Array): string {
  const fields = [uriKey(uri), uriKey(holder), expires];
  return createHmac('sha256', key)
    .update(JSON.stringify(linksEnded === 0 ? fields : [...fields, linksEnded]))
    .digest('base64url');
}
