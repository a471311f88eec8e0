/**
 * What a virtual network gives out for the internet: a rule of its own, so that a fault in that of the nodes shows. Everything
 * else is private, be it loopback, a name of the link or a neighbour's network.
 */
const PUBLIC = /^4[5-7]\.1\.\d{1,3}\.\d{1,3}$/;

export function isPublic(address: string): boolean {
  return PUBLIC.test(address);
}
