import { canParseUrl } from '../lib/can-parse-url.js';
import { percentDecode } from '../lib/http/request/percent.js';
import { uriSpellings } from '../lib/http/request/uri-spellings.js';
import { isAbsoluteIri } from '../lib/iri.js';

/** Characters that a URI may have. */
export const MAX_URI = 2048;

/** A text with a scheme is a plain URI. A text without one is percent-encoded, since encoding replaces the `:`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Percent-encoding is removed this many times at most: clients encode once, and libraries that build paths encode again. */
const MAX_LAYERS = 3;

/** Is this an absolute URI or IRI (RFC 3986, RFC 3987) of acceptable length? */
function isUri(text: string): boolean {
  if (text.length > MAX_URI || !text.isWellFormed()) return false;
  if (!isAbsoluteIri(text) || BROKEN_ESCAPE.test(text) || !canParseUrl(text)) return false;
  // The platform's parser would let `http:x` pass.
  return !/^https?:/i.test(text) || /^https?:\/\/[^/]/i.test(text);
}

/** Reads a URI that is plain, or percent-encoded as a whole, once or several times; undefined when it is none. */
export function readUri(written: string): string | undefined {
  let text = written;
  for (let layer = 0; layer < MAX_LAYERS && !SCHEME.test(text); layer++) {
    const decoded = percentDecode(text);
    if (decoded === undefined) return undefined;
    text = decoded;
  }
  return isUri(text) ? text : undefined;
}

const HOST = /^[\p{L}\p{N}.-]+(?::\d{1,5})?$/u;

/** Reads the address of a source as a person has written it: where a host with a dot comes first, `https` is meant. */
export function readSource(written: string): string | undefined {
  const [first = ''] = written.split(/[/?#]/, 1);
  return readUri(first.includes('.') && HOST.test(first) ? `https://${written}` : written);
}

/**
 * The normal form in which URIs are compared: an IRI equals its URI (RFC 3987, section 3.1), and escapes in capitals
 * equal those in small letters. It is never shown; answers have the URI as it was written.
 */
export function uriKey(uri: string): string {
  return uri
    .replace(/[^\0-\x7f]+/gu, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}

/** Are two URIs the same in normal form? */
export function sameUri(one: string, other: string): boolean {
  return uriKey(one) === uriKey(other);
}

/**
 * The URIs that the rest of a path may mean, the likeliest first; none when it cannot be a URI. A plain URI includes the
 * query string, and a client may have encoded only its special characters. A segment without a scheme is short for a
 * URI in the `collection`.
 */
export function meantUris(written: string, collection: string): string[] {
  if (!SCHEME.test(written)) {
    const segment = written.replace(/[?#].*$/s, '').replace(/\/$/, '');
    const uri = /^[\w-]+$/.test(segment) ? `${collection}/${segment}` : readUri(segment);
    return uri === undefined ? [] : [uri];
  }
  const decoded = percentDecode(written);
  return uriSpellings(written, ...(decoded === undefined ? [] : [decoded])).filter(isUri);
}
