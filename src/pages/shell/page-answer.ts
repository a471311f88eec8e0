import type { Config } from '../../config.js';
import { rootPath } from '../../http/paths.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import type { Answer, Handler } from '../../lib/http/resource.js';
import type { Body } from '../../lib/http/response/body.js';
import type { ShippedSet } from '../../shipped-set.js';
import { isWebAddress } from './fragments.js';
import type { NodeView } from './page.js';

/** What every page needs. */
export interface PageParts {
  readonly node: () => NodeView;
}

export interface NodeViewParts {
  readonly config: Pick<Config, 'baseUrl'>;
  readonly version: string;
  /** Absent where there can be none. */
  readonly shipped?: readonly ShippedSet[] | undefined;
}

export function nodeView({ config: { baseUrl }, version, shipped }: NodeViewParts): NodeView {
  const samples = shipped?.find(({ name }) => name === 'demo')?.components ?? [];
  const sampleData = [...new Set(samples.flatMap(({ example }) => example ?? []))];
  return { baseUrl, root: rootPath(baseUrl), version, sampleData };
}

interface PageOptions {
  readonly status?: number;
  /** Where else the scripts of the page may send requests, beside their own node: sources of a policy. */
  readonly connect?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page as an answer. Its policy allows it to run and load the node's own files only. Metadata is escaped anyway; should an
 * escape ever be missing, a script in metadata still does not run.
 */
export function pageAnswer(body: Body, { status = 200, connect = [], headers }: PageOptions = {}): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        `connect-src ${["'self'", ...connect].join(' ')}`,
        "img-src 'self' data:",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      // Has browsers give the page a process apart from that of its sandboxed frames, so that none that hangs holds it up.
      'origin-agent-cluster': '?1',
      vary: 'Accept',
      'cache-control': 'no-cache',
      ...headers,
    },
    body,
  };
}

/** Answers with a page that there is in HTML alone. @throws Problem 406 when the client takes none */
export function inHtml(handler: Handler): Handler {
  return (c) => {
    chooseRepresentation(c.req.header('accept'), ['text/html']);
    return handler(c);
  };
}

/** What a visitor has entered as the URL of data: `url` is empty for nothing, and for what is none. */
export function enteredAddress(text: string): { readonly url: string; readonly mistyped?: string } {
  const written = text.trim();
  return written === '' || isWebAddress(written) ? { url: written } : { url: '', mistyped: written };
}

/** The URL in a parameter, `''` when there is none. @throws Problem 422 when it is no absolute http or https URL */
export function readWebAddress(parameters: URLSearchParams, name: string): string {
  const url = parameters.get(name)?.trim() ?? '';
  if (url === '' || isWebAddress(url)) return url;
  throw new Problem(422, `${name} must be an absolute http or https URL`);
}

/**
 * The origin of a URL as a source in a policy. Host names may have characters with a meaning in policies (`http://*`,
 * `http://a;b`); such an origin is replaced by a name that cannot exist.
 */
export function sourceOf(url: string): string {
  const { origin } = new URL(url);
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/i.test(origin) ? origin : 'https://refused.invalid';
}
