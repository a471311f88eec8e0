/** Media types that n3 parses, by the same names. */
export const TURTLE_FAMILY: readonly string[] = [
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
];
export const JSON_LD = 'application/ld+json';

export const PARSED_MEDIA_TYPES: readonly string[] = [...TURTLE_FAMILY, JSON_LD];

/** For documents of others: asked for Turtle alone, pod servers convert JSON-LD and fetch its remote contexts. */
export const ACCEPT_RDF = `text/turtle, ${JSON_LD};q=0.9`;

/** Media types by the ending of a file name, for static hosts that do not send them. */
export const RDF_FILES: ReadonlyMap<string, string> = new Map([
  ['.ttl', 'text/turtle'],
  ['.nt', 'application/n-triples'],
  ['.nq', 'application/n-quads'],
  ['.trig', 'application/trig'],
  ['.jsonld', JSON_LD],
]);

/** Types under which servers send files whose type they do not know. */
const SAYS_NOTHING: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream', 'text/plain'];

/**
 * The media type as which a body is to be parsed; undefined for what is no RDF. Static hosts, as Debian's nginx, serve `.ttl` and
 * `.jsonld` without a type of their own: then the name counts.
 */
export function parsedAs(mediaType: string, url: string): string | undefined {
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return mediaType;
  const { pathname } = new URL(url);
  const byName = RDF_FILES.get(pathname.slice(pathname.lastIndexOf('.')));
  const mayBeNamed = mediaType === 'application/json' ? byName === JSON_LD : SAYS_NOTHING.includes(mediaType);
  return mayBeNamed ? byName : undefined;
}
