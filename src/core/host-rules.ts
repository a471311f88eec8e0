import { domainToASCII } from 'node:url';

/** Why addresses of a host are refused. */
export interface HostRefusal {
  readonly reason: 'denied' | 'not-allowed';
}

/**
 * Judges the host of a URL by lists of patterns: what `deny` names is denied, whatever `allow` says; where `allow` names
 * anything, all that it does not name is refused. A pattern is a host name or an address, where one `*` stands for anything,
 * and perhaps a port: `*.example.org`, `node.example:8443`, `[2001:db8::1]`.
 */
export function hostJudge(
  deny: readonly string[],
  allow: readonly string[],
): (url: URL) => HostRefusal | undefined {
  const [isDenied, isAllowed] = [hostRules(deny), hostRules(allow)];
  return (url) => {
    if (isDenied(url)) return { reason: 'denied' };
    return allow.length === 0 || isAllowed(url) ? undefined : { reason: 'not-allowed' };
  };
}

/** The host as all its spellings compare: no brackets, and no dot at the end, which means nothing (RFC 1034, 3.1). */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

const PATTERN = /^(?:\[(?<literal>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/;

/** Tells whether the host of a URL matches one of the patterns. */
export function hostRules(patterns: readonly string[]): (url: URL) => boolean {
  const tests = patterns.map(hostTest);
  return (url) => tests.some((isMatch) => isMatch(url));
}

function hostTest(pattern: string): (url: URL) => boolean {
  const { literal, name, port } = PATTERN.exec(pattern)?.groups ?? { name: pattern };
  const wanted = (literal ?? (domainToASCII(name ?? '') || name) ?? '').toLowerCase().replace(/\.$/, '');
  const [head = '', tail] = wanted.split('*');
  const isLike = (host: string) =>
    tail === undefined
      ? host === head
      : host.length >= head.length + tail.length && host.startsWith(head) && host.endsWith(tail);
  return (url) => (port === undefined || port === portOf(url)) && isLike(hostOf(url));
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
