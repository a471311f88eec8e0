import { PORT } from '../config/schema.js';
import type { Config } from '../config.js';

/** What reaches a server that listens on all addresses of the machine. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Where the node that runs with a configuration on this machine is asked: where it listens, or else at its public URL, where that
 * alone is known. Without trailing slash. @throws Error when neither is known
 */
export function ownAddress({ baseUrl, listen: { host, port } }: Pick<Config, 'baseUrl' | 'listen'>): string {
  if (port !== 0) {
    const name = LOOPBACK[host] ?? host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  }
  if (!baseUrl.includes(PORT)) return baseUrl;
  throw new Error('listen.port is 0, so nobody knows where the node listens: set it to a port');
}
