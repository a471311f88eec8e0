import { domainToASCII } from 'node:url';

export interface HostRule {
  /**
   * A host name or an address, where `*` stands for anything, and perhaps a port: `*.example.org`,
   * `node.example:8443`, `[2001:db8::1]`.
   */
  readonly pattern: string;
  /** Why, in the operator's words. */
  readonly note?: string;
}

/** Finds the first rule whose pattern the host of a URL matches. */
export function hostRules(rules: readonly HostRule[]): (url: URL) => HostRule | undefined {
  const tests = rules.map((rule) => ({ rule, test: hostTest(rule.pattern) }));
  return (url) => tests.find(({ test }) => test(url))?.rule;
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
