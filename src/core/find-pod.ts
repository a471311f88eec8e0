import { normalUrl } from '../lib/can-parse-url.js';
import { grouped } from '../lib/grouped.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** Finds the pod, among some, that speaks for a document. */
export type FindPod = (document: string) => string | undefined;

/** A pod speaks for its own URL and for everything below it; of pods within one another, the innermost. */
export function findPodAmong(pods: Iterable<string>): FindPod {
  const roots = [...pods].map((pod) => ({ pod, root: withoutTrailingSlashes(plainUrl(pod) ?? pod) }));
  const byHost = grouped(
    roots.sort((one, other) => other.root.length - one.root.length),
    ({ root }) => hostIn(root),
  );
  return (document) => {
    const url = byHost.size === 0 ? undefined : plainUrl(document);
    const isIn = (root: string) => url?.startsWith(root) && ['/', undefined].includes(url[root.length]);
    return url && byHost.get(hostIn(url))?.find(({ root }) => isIn(root))?.pod;
  };
}

/** A URL as far as its first slash behind the host. */
function hostIn(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end < 0 ? url : url.slice(0, end);
}

/**
 * One spelling of a URL for all that its server may take for the same: `%61` is `a` everywhere (RFC 3986, section 6.2.2),
 * `%2F` is a slash for some servers, and a user name changes nothing. So a document in disguise counts as its pod's.
 */
function plainUrl(text: string): string | undefined {
  const url = normalUrl(text);
  if (url === undefined || !/[%@]/.test(url)) return url;
  const plain = new URL(url);
  Object.assign(plain, { username: '', password: '' });
  // Set again, what was decoded is parsed once more: it may be `..`.
  plain.pathname = plain.pathname.replace(/%[0-9a-f]{2}/gi, (code) =>
    code === '%25' || code >= '%8'
      ? code.toUpperCase()
      : String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return plain.href;
}
