/** The name under which nodes of this software introduce themselves to the servers that they read. */
const PRODUCT = 'component-registry-node';

/** What a `User-Agent` of a node says: its version, and the base URL under which it can be reached. */
export interface NodeAgent {
  readonly version: string;
  readonly url: string;
}

/** The `User-Agent` (RFC 9110, section 10.1.5) of a node. */
export function userAgentOf({ version, url }: NodeAgent): string {
  return `${PRODUCT}/${version} (+${url})`;
}
