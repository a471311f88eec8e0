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

/** An address as it is written elsewhere: one of IPv4 that comes as one of IPv6 (`::ffff:192.0.2.1`) as such. */
export function plainAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/**
 * The addresses that somebody who has this plain one can be taken to have: for IPv6, the 2^64 that begin like it
 * (RFC 6177), however they are shortened.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Is this address (or name) of the machine itself, so that nobody outside reaches what listens there? */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}

const NEARBY = ['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'];

/** Does a plain address belong to a network that the internet does not reach? Narrower than "not public": nobody far away has one. */
export function isNearby(address: string): boolean {
  return ipaddr.isValid(address) && NEARBY.includes(ipaddr.parse(address).range());
}

/** Might this host (without brackets, or a dot at the end) be on the open internet, for all that its name tells? */
export function looksPublic(host: string): boolean {
  if (isIPv4(host) || isIPv6(host)) return isPublicAddress(host);
  return host !== 'localhost' && !host.endsWith('.localhost');
}
