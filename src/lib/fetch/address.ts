import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast (RFC 4291, section 2.4): whatever IANA gives out for the internet lies in here. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

/** Looks public, but is the host's own management service inside Azure: it hands out credentials like 169.254.169.254. */
const PUBLIC_BUT_INTERNAL = new Set(['168.63.129.16']);

/**
 * Does this IP address belong to the open internet? False for loopback, private, link-local (cloud metadata),
 * shared (CGNAT), multicast, documentation and reserved ranges, and for every IPv6 range that carries an IPv4
 * address inside (mapped, compatible, NAT64, 6to4, Teredo): those would lead around the check of the IPv4 one.
 * What is not an address at all, or has a zone (`fe80::1%eth0`), is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    return ipaddr.IPv4.parse(address).range() === 'unicast' && !PUBLIC_BUT_INTERNAL.has(address);
  }
  if (!isIPv6(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(GLOBAL_UNICAST, 3) && parsed.range() === 'unicast';
}

const NEARBY = ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'];

/**
 * The addresses that somebody who has this one can be taken to have, for limits of each client: for IPv6, the 2^64 that begin
 * like it (RFC 6177). None for one of this machine or of a private network: it may be a proxy, with everybody behind it.
 */
export function networkOf(address = ''): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  // One of IPv4 may come as one of IPv6: `::ffff:192.0.2.1`.
  const plain = ipaddr.process(address);
  if (NEARBY.includes(plain.range())) return undefined;
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const parts = plain.parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Is this address (or name) of the machine itself, so that nobody outside reaches what listens there? */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}

/** Might this host (without brackets, or a dot at the end) be on the open internet, for all that its name tells? */
export function looksPublic(host: string): boolean {
  if (isIPv4(host) || isIPv6(host)) return isPublicAddress(host);
  return host !== 'localhost' && !host.endsWith('.localhost');
}
