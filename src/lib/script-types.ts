/**
 * The media types that browsers run as scripts (WHATWG MIME Sniffing, section 4.6), as far as they are still served. RFC 9239
 * recommends the first and calls the others obsolete.
 */
export const SCRIPT_TYPES: readonly string[] = [
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
  'text/ecmascript',
];
