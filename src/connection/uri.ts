import { isAbsoluteIri } from '../component/metadata.js';
import { canParseUrl } from '../lib/can-parse-url.js';
import { percentDecode } from '../lib/http/request/percent.js';

/** Characters of a URI, at most. */
export const MAX_URI = 2048;

/** A text with a visible scheme is a plain URI; without one it is still percent-encoded, since encoding hides the `:`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Layers of percent-encoding that are removed: clients encode once, and libraries that build paths encode again. */
const MAX_LAYERS = 3;

/** An absolute URI or IRI (RFC 3986, RFC 3987) that is short enough to be a name. */
function isUri(text: string): boolean {
  if (text.length > MAX_URI || !text.isWellFormed()) return false;
  if (!isAbsoluteIri(text) || BROKEN_ESCAPE.test(text) || !canParseUrl(text)) return false;
  // The platform's parser would let `http:x` pass.
  return !/^https?:/i.test(text) || /^https?:\/\/[^/]/i.test(text);
}

/** The URI that a text names: written as it is, or percent-encoded as a whole, once or several times. */
export function readUri(written: string): string | undefined {
  let text = written;
  for (let layer = 0; layer < MAX_LAYERS && !SCHEME.test(text); layer++) {
    const decoded = percentDecode(text);
    if (decoded === undefined) return undefined;
    text = decoded;
  }
  return isUri(text) ? text : undefined;
}

/**
 * What two spellings of one URI have in common: an IRI and its URI (RFC 3987, section 3.1) are one name, and
 * so are escapes in capitals and in small letters. Never shown; what was written is.
 */
export function uriKey(uri: string): string {
  return uri
    .replace(/[^\0-\x7f]+/gu, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}

/** Do two texts name the same resource, whichever way each of them spells it? */
export function sameUri(one: string, other: string): boolean {
  return uriKey(one) === uriKey(other);
}

/**
 * The URIs that the rest of a path may mean, the likeliest first; none for what cannot be a URI. One that
 * stands there as it is owns the query string, may have lost a slash to a proxy, and may have had only its
 * special characters encoded. A last segment without a scheme is the short form of a URI in the `collection`.
 */
export function meantUris(written: string, collection: string): string[] {
  if (!SCHEME.test(written)) {
    const segment = written.replace(/[?#].*$/s, '').replace(/\/$/, '');
    const uri = /^[\w-]+$/.test(segment) ? `${collection}/${segment}` : readUri(segment);
    return uri === undefined ? [] : [uri];
  }
  const whole = written.replace(/^(https?):\/+/i, '$1://');
  const decoded = percentDecode(whole);
  const spellings = [whole, ...(decoded === undefined ? [] : [decoded])];
  return [...new Set(spellings.flatMap((uri) => [uri, uri.replace(/\/$/, '')]))].filter(isUri);
}
