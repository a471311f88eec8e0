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

/** Longer ones are taken for no node's; a base URL rarely has more than 100 characters. */
const LONGEST = 512;

/** Which node a `User-Agent` names; undefined for those of other programs. Anybody can send any: it is only a claim. */
export function nodeOf(userAgent: string): NodeAgent | undefined {
  if (!userAgent.startsWith(`${PRODUCT}/`) || userAgent.length > LONGEST) return undefined;
  const [, version, url] = /^[\w-]+\/([\w.+-]+) \(\+(https?:\/\/[^\s()]+)\)$/.exec(userAgent) ?? [];
  return version === undefined || url === undefined ? undefined : { version, url };
}
