import { createHmac } from 'node:crypto';
import { sameSecret } from '../../lib/secret.js';
import type { Invite } from '../records/invite.js';
import { uriKey } from '../uri.js';

/**
 * What the signature of a link covers: it opens one invite of one holder, and can be used to accept it until it expires. `linksEnded`:
 * how many of its links the holder has made worthless with version 0.2.0, so that they stay so after an import.
 */
type Invitation = Pick<Invite, 'uri' | 'holder' | 'expires'> & { readonly linksEnded?: number };

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
  const given = ['expires', 'signature'].map((name) => parameters.getAll(name));
  const [expires, signature] = given.flat();
  if (expires === undefined || signature === undefined) return undefined;
  return given.every(({ length }) => length === 1) ? { expires, signature } : undefined;
}

export function isGenuine({ expires, signature }: Link, invite: Invitation, key: Uint8Array): boolean {
  return sameSecret(signature, sign({ ...invite, expires }, key));
}

function sign({ uri, holder, expires, linksEnded = 0 }: Invitation, key: Uint8Array): string {
  const fields = [uriKey(uri), uriKey(holder), expires, ...(linksEnded > 0 ? [linksEnded] : [])];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
