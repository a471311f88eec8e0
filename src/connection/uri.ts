import { canParseUrl } from '../lib/can-parse-url.js';
import { percentDecode } from '../lib/http/request/percent.js';
import { uriSpellings } from '../lib/http/request/url-parameters.js';
import { isAbsoluteIri } from '../lib/iri.js';

/** Characters that a URI may have. */
export const MAX_URI = 2048;

/** A text with a scheme is a plain URI. A text without one is percent-encoded, since encoding replaces the `:`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** The platform's parser would let `http:x` pass. */
const WITHOUT_HOST = /^https?:(?!\/\/[^/])/i;
/** Percent-encoding is removed this many times at most: clients encode once, and libraries that build paths encode again. */
const MAX_LAYERS = 3;

/** Is this an absolute URI or IRI (RFC 3986, RFC 3987) of acceptable length? */
function isUri(text: string): boolean {
  if (text.length > MAX_URI || WITHOUT_HOST.test(text)) return false;
  return isAbsoluteIri(text) && canParseUrl(text);
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
  // Browsers encode what is not ASCII.
  const iri = written.replace(/(?:%[89a-f][0-9a-f])+/gi, (run) => percentDecode(run) ?? run);
  return uriSpellings(written, iri, percentDecode(written) ?? written).filter(isUri);
}
