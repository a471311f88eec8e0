/** What pages of others load, at addresses that stay; the build writes it next to the program. The rest is below `/assets/`. */
export const STABLE_ASSETS = ['host.js', 'host-frame.js', 'embed.js'] as const;

/**
 * The first segments of every path that the registry answers, in one place: the connection service cannot be mounted
 * below any of them. The type `OwnPath` makes the compiler refuse a resource of the registry whose segment is missing here.
 */
export const OWN_SEGMENTS = [
  ...['component', 'c', 'match', 'why', 'peers', 'storage', 'feed', 'hint'],
  ...['health', 'status', 'metrics', 'openapi.json', 'sync', 'discovery', 'pins', 'rehearse'],
  ...['data', 'network', 'publish', 'docs', 'frame'],
  ...['assets', 'demo', 'starter', 'favicon.ico', ...STABLE_ASSETS],
] as const;

/** The first segments of the connection service, below its mount point. */
export const CONNECTION_SEGMENTS = ['connection', 'invite', 'holder', 'exchange', 'resource'];

type OwnSegment = (typeof OWN_SEGMENTS)[number];

export type OwnPath = '/' | `/${OwnSegment}` | `/${OwnSegment}/${string}`;

/** Does the registry answer at this path, or below it? */
export function isOwnPath(path: string): boolean {
  const [, first = ''] = path.split('/');
  return OWN_SEGMENTS.some((segment) => segment === first);
}
