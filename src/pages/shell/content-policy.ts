/** Where else the scripts of a page may send requests, beside their own node: sources of a policy. */
export interface Reach {
  readonly connect?: readonly string[];
}

/**
 * The headers of a page. The policy allows a page to run and load the node's own files only. Metadata is escaped anyway;
 * should an escape ever be missing, a script in metadata still does not run.
 */
export function pageHeaders({ connect = [] }: Reach = {}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      `connect-src ${["'self'", ...connect].join(' ')}`,
      "img-src 'self' data:",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    // Has browsers give the page a process apart from that of its sandboxed frames, so that none that hangs holds it up.
    'origin-agent-cluster': '?1',
  };
}

/**
 * The origin of a URL as a source in a policy. Host names may have characters with a meaning in policies (`http://*`,
 * `http://a;b`); such an origin is replaced by a name that cannot exist.
 */
export function sourceOf(url: string): string {
  const { origin } = new URL(url);
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/i.test(origin) ? origin : 'https://refused.invalid';
}
