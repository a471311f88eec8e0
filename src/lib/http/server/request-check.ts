import type { RequestListener } from 'node:http';
import { canParseUrl, parsedUrl } from '../../can-parse-url.js';
import { CORS_HEADERS } from '../headers/cors.js';
import { problemAnswer } from '../json-answer.js';
import { Problem } from '../problem.js';
import { type Reply, replyOf } from '../response/answer.js';
import { sendReply } from '../response/sending.js';

/**
 * Characters of a request target (path and query), at most. A URI of 2,048 characters fits in when it is encoded
 * twice; Node's parser takes 16 KiB for the target and all headers together.
 */
const MAX_TARGET = 12_288;

/**
 * Why a server does not answer requests to this host name, for the client; undefined where it does. The name is in lower case,
 * without port, and IPv6 addresses are in brackets.
 */
export type HostRule = (hostname: string) => string | undefined;

export interface RequestCheck {
  /** Undefined: it answers to all. */
  readonly hostRule?: HostRule | undefined;
  /** The path of the server's public URL, where no proxy takes it away. Without a slash at the end. */
  readonly basePath?: string;
  /** Told the status of each request that is refused. */
  readonly onRefused?: ((status: number) => void) | undefined;
}

/**
 * Refuses malformed requests before they reach the router: targets that are too long (414) or no targets (400), a
 * `Host` that is missing, repeated or malformed (400; RFC 9112, section 3.2), and hosts that this node does not answer
 * for (421; RFC 9110, section 15.5.20).
 */
export function checkRequests(
  next: RequestListener,
  { hostRule = () => undefined, basePath = '', onRefused }: RequestCheck = {},
): RequestListener {
  // Nearly all requests name the same host, so the last valid one is not parsed again.
  let valid: string | undefined;
  return (incoming, outgoing) => {
    const hosts = hostsIn(incoming.rawHeaders);
    const isValid = hosts.length === 1 && hosts[0] === valid;
    const problem =
      problemWithTarget(incoming.url ?? '') ?? (isValid ? undefined : problemWithHosts(hosts, hostRule));
    if (problem) {
      onRefused?.(problem.status);
      return sendReply(replyTo(problem), outgoing);
    }
    valid = hosts[0];
    if (basePath !== '') incoming.url = withoutBasePath(incoming.url ?? '', basePath);
    next(incoming, outgoing);
  };
}

/** What is sent of a problem before the route is known; pages of any origin may read it. */
export function replyTo(problem: Problem): Reply {
  return replyOf(problemAnswer(problem), CORS_HEADERS, { finished: () => undefined });
}

function problemWithTarget(url: string): Problem | undefined {
  if (url.length > MAX_TARGET)
    return new Problem(414, `The path and the query together may have at most ${MAX_TARGET} characters`);
  const isReadable = url.startsWith('/') || (/^https?:\/\//.test(url) && canParseUrl(url));
  if (!isReadable) return new Problem(400, 'The request target is neither a path nor an http URL');
  // Some programs take a backslash for a slash and others do not, so the path would be ambiguous.
  if (url.includes('\\') && url.split('?', 1)[0]?.includes('\\'))
    return new Problem(400, 'The path has a backslash; write %5C');
  return undefined;
}

function withoutBasePath(url: string, basePath: string): string {
  const start = url.startsWith('/') ? 0 : url.search(/(?<=^https?:\/\/[^/]*)\//);
  const end = start + basePath.length;
  if (start < 0 || !url.startsWith(basePath, start) || !/^[/?]?$/.test(url.charAt(end))) return url;
  return `${url.slice(0, start)}${url.charAt(end) === '/' ? '' : '/'}${url.slice(end)}`;
}

function problemWithHosts([host, ...others]: readonly string[], hostRule: HostRule): Problem | undefined {
  if (host === undefined) return new Problem(400, 'The request has no Host header');
  if (others.length > 0) return new Problem(400, 'The request has more than one Host header');
  const hostname = hostnameOf(host);
  if (hostname === undefined)
    return new Problem(400, 'The Host header is not a host name, with or without a port');
  const why = hostRule(hostname);
  return why === undefined
    ? undefined
    : new Problem(421, `This node does not answer for ${hostname}: ${why}`);
}

/** Not by `headers`, which has only the first. */
function hostsIn(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts;
}

/** The host name in a `Host` header; undefined for what is none, and for unusual spellings of an address like `0x7f.1`. */
function hostnameOf(host: string): string | undefined {
  const [, name] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.exec(host) ?? [];
  const hostname = name === undefined ? undefined : parsedUrl(`http://${host}`)?.hostname;
  return name?.startsWith('[') || hostname === name?.toLowerCase() ? hostname : undefined;
}
