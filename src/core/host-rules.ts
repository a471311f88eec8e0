import { domainToASCII } from 'node:url';

/**
 * Judges the host of a URL: `deny` wins, and an `allow` that names anything excludes the rest. A pattern is a
 * host name or an address, where `*` stands for anything, and perhaps a port: `*.example.org`,
 * `node.example:8443`, `[2001:db8::1]`.
 */
export function hostJudge(deny: readonly string[], allow: readonly string[]) {
  const [denied, allowed] = [deny.map(hostTest), allow.map(hostTest)];
  return (url: URL): 'denied' | 'not-allowed' | undefined => {
    const host = hostOf(url);
    const isIn = (tests: readonly HostTest[]) => tests.some((matches) => matches(host, url));
    if (isIn(denied)) return 'denied';
    return allow.length === 0 || isIn(allowed) ? undefined : 'not-allowed';
  };
}

/** The host as all its spellings compare: no brackets, no dot at the end, which means nothing (RFC 1034, 3.1). */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

const PATTERN = /^(?:\[(?<literal>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/;

type HostTest = ReturnType<typeof hostTest>;

function hostTest(pattern: string) {
  const { literal, name, port } = PATTERN.exec(pattern)?.groups ?? { name: pattern };
  const wanted = (literal ?? (domainToASCII(name ?? '') || name) ?? '').toLowerCase().replace(/\.$/, '');
  const parts = wanted.split('*');
  return (host: string, url: URL) => (port === undefined || port === portOf(url)) && isLike(parts, host);
}

/**
 * Is it the host that a pattern means, of which these are the parts between its stars? Each part is taken where it comes
 * first: no later place could leave more room for the others.
 */
function isLike(parts: readonly string[], host: string): boolean {
  const [head = '', ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined) return host === head;
  if (!host.startsWith(head) || !host.endsWith(tail)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = host.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + tail.length <= host.length;
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
