/** How pages of other origins may use a resource (CORS: Fetch standard, section 3.2). */
export interface CorsPolicy {
  /** Request headers that a page may set. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read beside those that CORS always allows. */
  readonly exposeHeaders: readonly string[];
  /** Methods that a preflight does not allow, so that browsers do not send them for other origins' pages. */
  readonly withheld?: readonly string[];
}

const CONDITIONS = ['If-Match', 'If-Modified-Since', 'If-None-Match'];

/** Pages of any origin. There are no cookies, so a page can only send a token that it was given itself. */
export const ANY_ORIGIN: CorsPolicy = {
  allowHeaders: ['Accept', 'Authorization', 'Content-Type', ...CONDITIONS, 'Last-Event-ID'],
  exposeHeaders: [
    ...['Allow', 'ETag', 'Feed-Cursor', 'Feed-Lists', 'Last-Modified', 'Link', 'Location', 'Retry-After'],
    'WWW-Authenticate',
  ],
};

/** Headers of every answer of a resource; without them, a page could not even read the errors. */
export function corsHeaders(policy: CorsPolicy): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': policy.exposeHeaders.join(', '),
  };
}

/** Headers of the answer to a preflight request. `methods` as in `Allow`. */
export function preflightHeaders(policy: CorsPolicy, methods: string): Record<string, string> {
  const offered = methods.split(', ').filter((method) => !policy.withheld?.includes(method));
  return {
    'access-control-allow-methods': offered.join(', '),
    'access-control-allow-headers': policy.allowHeaders.join(', '),
    'access-control-max-age': '7200',
  };
}
