import { parsedUrl } from '../can-parse-url.js';
import { FetchFailure } from './fetch-failure.js';

/** May this URL reach loopback and private addresses? Those that the operator wrote may; learned ones may not. */
export type Trust = 'configured' | 'learned';

/** One request of an exchange: the first, or one that a redirect asked for. */
export interface Hop {
  readonly url: URL;
  readonly trust: Trust;
  /** No redirect has left the first origin so far. Credentials go nowhere else. */
  readonly atHome: boolean;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** @throws FetchFailure `refused` when this is no URL that may be asked */
export function firstHop(url: string, trust: Trust): Hop {
  return { url: webUrl(url), trust, atHome: true };
}

/** Where an answer sends its reader (RFC 9110, section 15.4), if it does. */
export function redirectTarget(status: number, headers: Headers): string | undefined {
  return REDIRECTS.has(status) ? (headers.get('location') ?? undefined) : undefined;
}

/**
 * The hop after this one. A redirect to another origin is followed like a learned URL, and so are all hops after
 * it: a public pod that the operator configured must not be able to send the node to an address that only the
 * operator may name.
 *
 * @throws FetchFailure `refused` when it leads to no web URL, or out of https with something to lose
 */
export function nextHop(hop: Hop, location: string, authenticated: boolean): Hop {
  const url = webUrl(location, hop.url);
  const downgrade = hop.url.protocol === 'https:' && url.protocol === 'http:';
  if (downgrade && (hop.trust === 'learned' || (authenticated && hop.atHome))) {
    throw new FetchFailure('refused', `${hop.url.href} redirects from https to plain http`);
  }
  if (url.origin === hop.url.origin) return { ...hop, url };
  return { url, trust: 'learned', atHome: false };
}

/** One name for a host and its port: a dot at the end means nothing (RFC 1034, section 3.1). */
export function hostKey({ host }: URL): string {
  return host.replace(/\.(?=:|$)/, '');
}

/** Parsed, so that every spelling of an address (decimal, octal, …) has become the usual one; without fragment. */
function webUrl(text: string, base?: URL): URL {
  const url = parsedUrl(text, base?.href);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new FetchFailure('refused', `not an http or https URL: ${text.slice(0, 200)}`);
  }
  if (url.username || url.password) {
    throw new FetchFailure('refused', `a URL with a user name or password in it is not asked: ${url.host}`);
  }
  url.hash = '';
  return url;
}
