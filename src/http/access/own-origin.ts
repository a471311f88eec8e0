import { PORT } from '../../config/schema.js';
import type { Config } from '../../config.js';
import { isLoopback } from '../../lib/fetch/address.js';
import { ANY_ORIGIN, type CorsPolicy } from '../../lib/http/headers/cors.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler, Method } from '../../lib/http/resource.js';
import type { HostRule } from '../../lib/http/server/request-check.js';

/**
 * This file protects nodes with `write: open` (design, section 4). On loopback, such a node is meant for the programs
 * of its machine. The websites that are open in a browser there can reach it, too, and must not write to it.
 */

const OTHER_HOST =
  'as anyone may write to it, it takes requests to localhost and to the host of its baseUrl only';

/**
 * The host names that a node with `write: open` on loopback answers to. A website whose name resolves to 127.0.0.1 (DNS
 * rebinding) has the node's own origin in the eyes of a browser; only the name in `Host` is a different one. Undefined for
 * nodes that answer to any host.
 */
export function hostRule(
  config: Pick<Config, 'baseUrl' | 'write' | 'mode' | 'listen'>,
): HostRule | undefined {
  if (config.write !== 'open' || config.mode !== 'registry' || !isLoopback(config.listen.host))
    return undefined;
  const own = new URL(config.baseUrl.replace(`:${PORT}`, '')).hostname;
  return (hostname) => (hostname === own || isLoopbackName(hostname) ? undefined : OTHER_HOST);
}

/** @throws Problem 403 when a page of another website sends a write that needs no token */
export function refuseOtherSites(request: Request, { baseUrl }: Pick<Config, 'baseUrl'>): void {
  const origin = request.headers.get('origin');
  if (!isCrossSite(request) && (origin === null || isOwnOrigin(origin, request.url, baseUrl))) return;
  throw new Problem(
    403,
    'Anyone may write to this node, but not a page of another website; write with a program, or set "write" to "operator"',
  );
}

/**
 * Refuses forms that pages of other websites send. `Origin` is of no use here: it is `null` for the node's own forms,
 * because its pages send no referrer.
 */
export function ownFormsOnly(handler: Handler): Handler {
  return (c) => {
    if (!isCrossSite(c.req.raw)) return handler(c);
    throw new Problem(403, 'This form is not for pages of other websites');
  };
}

/** Pages of any origin may use a resource; where writing needs no token, they are not offered the writing methods. */
export function corsFor(config: Pick<Config, 'write'>, ...writing: readonly Method[]): CorsPolicy {
  return config.write === 'open' ? { ...ANY_ORIGIN, withheld: writing } : ANY_ORIGIN;
}

function isCrossSite(request: Request): boolean {
  return request.headers.get('sec-fetch-site') === 'cross-site';
}

/** `null`, the origin of sandboxed pages, is never the node's own. */
function isOwnOrigin(origin: string, url: string, baseUrl: string): boolean {
  if (origin === new URL(baseUrl).origin) return true;
  const addressed = new URL(url);
  return origin === addressed.origin && isLoopbackName(addressed.hostname);
}

/** No website can have such a name (RFC 6761, section 6.3). */
function isLoopbackName(hostname: string): boolean {
  return isLoopback(hostname) || hostname === '[::1]' || hostname.endsWith('.localhost');
}
