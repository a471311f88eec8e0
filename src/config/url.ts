import { parsedUrl } from '../lib/can-parse-url.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** An absolute http(s) URL that names a source or a node: an IRI, without secrets in it or a part that stays off the wire. */
export function isHttpUrl(value: string): boolean {
  if (!/^https?:\/\/[^/]/i.test(value) || /#/.test(value) || !isAbsoluteIri(value)) return false;
  const url = parsedUrl(value);
  // The parser decodes the name of a host.
  return url?.username === '' && url.password === '' && isAbsoluteIri(url.href);
}

/** What two spellings of one resource's URL have in common: `HTTP://Pod.example` is `http://pod.example/`. */
export function sameUrl(url: string): string {
  return new URL(url).href;
}

/** What two spellings of one node's base URL have in common: for a node a trailing slash means nothing. */
export function sameBaseUrl(url: string): string {
  return withoutTrailingSlashes(sameUrl(url));
}
