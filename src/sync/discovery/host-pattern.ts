import { domainToASCII } from 'node:url';

/**
 * A test for the hosts of URLs. A pattern is a host name or an address, where `*` stands for anything, and may
 * name a port: `*.example.org`, `node.example:8443`, `[2001:db8::1]`.
 */
export function hostMatcher(patterns: readonly string[]): (url: URL) => boolean {
  const tests = patterns.map(hostTest);
  return (url) => tests.some((test) => test(url));
}

/** The host as all its spellings compare: no brackets, and no dot at the end, which means nothing (RFC 1034, 3.1). */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

const PATTERN = /^(?:\[(?<literal>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/;

function hostTest(pattern: string): (url: URL) => boolean {
  const { literal, name, port } = PATTERN.exec(pattern)?.groups ?? { name: pattern };
  const wanted = (literal ?? (domainToASCII(name ?? '') || name) ?? '').toLowerCase().replace(/\.$/, '');
  const host = new RegExp(`^${wanted.split('*').map(escaped).join('.*')}$`);
  return (url) => host.test(hostOf(url)) && (port === undefined || port === portOf(url));
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
