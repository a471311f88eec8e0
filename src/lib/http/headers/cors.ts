/** How pages of other origins may use a resource (CORS: Fetch standard, section 3.2). */
export interface CorsPolicy {
  /** Methods that a preflight does not allow, so that browsers do not send them for other origins' pages. */
  readonly withheld?: readonly string[];
}

/** Pages of any origin. There are no cookies, so a page can only send a token that it was given itself. */
export const ANY_ORIGIN: CorsPolicy = {};

/** Headers of every answer of such a resource; without them, a page could not even read the errors. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Allow, ETag, Feed-Cursor, Last-Modified, Link, Location, Retry-After, WWW-Authenticate',
};

/** Headers of the answer to a preflight request. `methods` as in `Allow`. */
export function preflightHeaders({ withheld = [] }: CorsPolicy, methods: string): Record<string, string> {
  const offered = methods.split(', ').filter((method) => !withheld.includes(method));
  return {
    'access-control-allow-methods': offered.join(', '),
    'access-control-allow-headers':
      'Accept, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, Last-Event-ID',
    'access-control-max-age': '7200',
  };
}
