/** Who else's pages may use a resource from a browser (Fetch standard, section 3.2), and what they see of it. */
export interface CorsPolicy {
  /** Request headers that a page may set. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read, beyond the harmless ones. */
  readonly exposeHeaders: readonly string[];
  /** Methods that pages of other origins are not told of. */
  readonly withheld?: readonly string[];
}

/** Any page may. No cookies are in play, so a token in `Authorization` is one the page itself was given. */
export const ANY_ORIGIN: CorsPolicy = {
  allowHeaders: ['Accept', 'Authorization', 'Content-Type', 'If-Match', 'If-Modified-Since', 'If-None-Match'],
  exposeHeaders: ['Allow', 'ETag', 'Last-Modified', 'Link', 'Location', 'Retry-After', 'WWW-Authenticate'],
};

/** Headers of every answer of a resource, errors included: a page could not read them without. */
export function corsHeaders(policy: CorsPolicy): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': policy.exposeHeaders.join(', '),
  };
}

/** Headers of the answer to a browser's question before it sends a request. `methods` as in `Allow`. */
export function preflightHeaders(policy: CorsPolicy, methods: string): Record<string, string> {
  const offered = methods.split(', ').filter((method) => !policy.withheld?.includes(method));
  return {
    'access-control-allow-methods': offered.join(', '),
    'access-control-allow-headers': policy.allowHeaders.join(', '),
    'access-control-max-age': '7200',
  };
}
