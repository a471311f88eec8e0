import { PARSED_MEDIA_TYPES } from './rdf-parse.js';

/** Media types by the ending of a file name, for static hosts that do not send them. */
export const RDF_FILES: ReadonlyMap<string, string> = new Map([
  ['.ttl', 'text/turtle'],
  ['.nt', 'application/n-triples'],
  ['.nq', 'application/n-quads'],
  ['.trig', 'application/trig'],
  ['.jsonld', 'application/ld+json'],
]);

/** Types under which servers send files whose type they do not know. */
const SAYS_NOTHING: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream', 'text/plain'];

/**
 * The media type as which a body is to be parsed; undefined for what is no RDF. Static hosts, as Debian's nginx, serve `.ttl` and
 * `.jsonld` without a type of their own: then the name counts. Of an address that somebody has named, and no listing, JSON and HTML
 * may be RDF, too: see `mayHoldJsonLd`.
 */
export function parsedAs(mediaType: string, url: string, isNamed: boolean): string | undefined {
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return mediaType;
  const { pathname } = new URL(url);
  const byName = RDF_FILES.get(pathname.slice(pathname.lastIndexOf('.')));
  if (SAYS_NOTHING.includes(mediaType)) return byName;
  if (mediaType === 'application/json' && (isNamed || byName === 'application/ld+json'))
    return 'application/ld+json';
  return mediaType === 'text/html' && isNamed ? mediaType : undefined;
}

/** Does the body of an answer with this type tell of JSON-LD? Other types are believed as they are. */
export function mayHoldJsonLd(mediaType: string, body: Uint8Array): boolean {
  const sign =
    mediaType === 'application/json' ? '@context' : mediaType === 'text/html' ? 'application/ld+json' : '';
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(sign);
}

/** How to have a static host say the type of such files; undefined when it does. */
export function mendOfType(mediaType: string, url: string): string | undefined {
  if (PARSED_MEDIA_TYPES.includes(mediaType) || parsedAs(mediaType, url, false) === undefined)
    return undefined;
  return 'other programs may not read it: in nginx, location ~ \\.(ttl|jsonld)$ { types { text/turtle ttl; application/ld+json jsonld; } }';
}
