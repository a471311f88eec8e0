import { domainToASCII } from 'node:url';
import { grouped } from '../lib/grouped.js';

export interface HostRule {
  /**
   * A host name or an address, where `*` stands for anything, and perhaps a port: `*.example.org`,
   * `node.example:8443`, `[2001:db8::1]`.
   */
  readonly pattern: string;
  /** Why, in the operator's words. */
  readonly note?: string;
}

/** Why addresses of a host are refused. */
export interface HostRefusal {
  readonly reason: 'denied' | 'not-allowed';
  /** What stands beside the rule that denies it. */
  readonly note?: string;
}

type HostList = readonly HostRule[];

/** Rules that are kept beside the configuration. */
export interface HostLists {
  readonly deny: HostList;
  /** Absent where there is no such list; then all is allowed that `discovery.allow` allows. */
  readonly allow?: HostList | undefined;
  /** The lists that could not be read yet: until then, `deny` names everything, and `allow` nothing. */
  readonly unread?: readonly ('deny' | 'allow')[];
}

/** Judges the host of a URL by lists: what one of `deny` names is denied, whatever `allow` says; without `allow`, all else is allowed. */
export function hostJudge(
  deny: readonly HostList[],
  allow: readonly HostList[] | undefined,
): (url: URL) => HostRefusal | undefined {
  const denying = hostRules(...deny);
  const allowing = allow && hostRules(...allow);
  return (url) => {
    const denied = denying(url);
    if (denied) return { reason: 'denied', note: denied.note };
    return allowing && !allowing(url) ? { reason: 'not-allowed' } : undefined;
  };
}

/** Characters of a name of a host, at most (RFC 1035, section 2.3.4); of what is longer, only the end counts. */
const LONGEST_HOST = 253;

/** A rule that can be compared with a host. */
interface HostTest {
  readonly rule: HostRule;
  /** Its place in the list. */
  readonly index: number;
  /** What stands between its stars. */
  readonly parts: readonly string[];
  readonly port: string | undefined;
}

/** Lists of thousands of rules are asked about whenever what may be learned changes. */
const compiled = new WeakMap<HostList, (url: URL) => HostRule | undefined>();

/** Finds the first rule, in the lists one after the other, whose pattern the host of a URL matches. */
export function hostRules(...lists: readonly HostList[]): (url: URL) => HostRule | undefined {
  const finders = lists.map((rules) => compiled.get(rules) ?? finderOf(rules));
  return (url) => {
    for (const find of finders) {
      const rule = find(url);
      if (rule) return rule;
    }
    return undefined;
  };
}

/**
 * Of many rules only those are compared that have the beginning or the end of the host in their pattern; one comparison
 * takes time in proportion to the lengths of both.
 */
function finderOf(rules: HostList): (url: URL) => HostRule | undefined {
  const tests = grouped(rules.map(hostTest), ({ parts }) => keyOf(parts));
  const find = (url: URL) => {
    const host = hostOf(url).slice(-LONGEST_HOST);
    let first: HostTest | undefined;
    for (const key of keysOf(host)) {
      for (const test of tests.get(key) ?? []) {
        if (first && first.index < test.index) break;
        if (matches(test, host, url)) first = test;
      }
    }
    return first?.rule;
  };
  compiled.set(rules, find);
  return find;
}

/** The host as all its spellings compare: no brackets, and no dot at the end, which means nothing (RFC 1034, 3.1). */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

const PATTERN = /^(?:\[(?<literal>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/;

function hostTest(rule: HostRule, index: number): HostTest {
  const { literal, name, port } = PATTERN.exec(rule.pattern)?.groups ?? { name: rule.pattern };
  const wanted = (literal ?? (domainToASCII(name ?? '') || name) ?? '').toLowerCase().replace(/\.$/, '');
  return { rule, index, parts: wanted.split('*'), port };
}

/** Under what a pattern is found: its name, or what it has from the first dot behind its stars on, or up to the last before. */
function keyOf(parts: readonly string[]): string {
  const [head = '', tail] = [parts[0], parts.at(-1) ?? ''];
  if (parts.length === 1) return head;
  if (tail.includes('.')) return `*${tail.slice(tail.indexOf('.'))}`;
  return `${head.slice(0, head.lastIndexOf('.') + 1)}*`;
}

/** Under what the patterns that a host may match are found. */
function* keysOf(host: string): Generator<string> {
  yield host;
  yield '*';
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    yield `*${host.slice(dot)}`;
    yield `${host.slice(0, dot + 1)}*`;
  }
}

function matches({ parts, port }: HostTest, host: string, url: URL): boolean {
  return (port === undefined || port === portOf(url)) && isLike(parts, host);
}

/** Each part is taken where it comes first: no later place could leave more room for the others. */
function isLike(parts: readonly string[], host: string): boolean {
  const [head = '', tail] = [parts[0], parts.at(-1) ?? ''];
  if (parts.length === 1) return host === head;
  const end = host.length - tail.length;
  if (end < head.length || !host.startsWith(head) || !host.endsWith(tail)) return false;
  let at = head.length;
  for (const part of parts.slice(1, -1)) {
    const found = host.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
