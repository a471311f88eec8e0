import { hostname } from 'node:os';
import type { Config } from '../config.js';

/** Addresses that stand for all addresses of a machine. */
const ALL: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * What tells one node from others that have the same `baseUrl`: the host and port that it listens on. On all addresses of a machine, the
 * machine's name says more: in containers that is the name of the container.
 */
export function nodeName({ listen: { host, port } }: Pick<Config, 'listen'>): string {
  if (ALL.has(host)) return `${hostname()}:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
