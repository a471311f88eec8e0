import { normalUrl } from '../lib/can-parse-url.js';
import { compareText } from '../lib/compare-text.js';
import { lowerBound } from '../lib/lower-bound.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** Finds the pod, among some, that speaks for a document. */
export type FindPod = (document: string) => string | undefined;

/** How the URLs of a pod's documents begin, and the innermost of the other pods around it. */
interface Root {
  readonly pod: string;
  readonly beginning: string;
  readonly around: Root | undefined;
}

/**
 * A pod speaks for its own URL and for everything below it; of pods within one another, the innermost. In the
 * order of texts, that one is the nearest before the URL of a document, or is around the nearest: so an answer
 * takes hardly longer for many pods, and the pods take no more memory than their names.
 */
export function findPodAmong(pods: Iterable<string>): FindPod {
  const named = new Map<string, string>();
  for (const pod of pods) named.set(`${withoutTrailingSlashes(plainUrl(pod) ?? pod)}/`, pod);
  const roots: Root[] = [];
  for (const [beginning, pod] of [...named].sort(([one], [other]) => compareText(one, other))) {
    let around = roots.at(-1);
    while (around && !beginning.startsWith(around.beginning)) around = around.around;
    roots.push({ pod, beginning, around });
  }
  return (document) => {
    const url = roots.length === 0 ? undefined : plainUrl(document);
    if (url === undefined) return undefined;
    const text = `${url}/`;
    let root = roots[lowerBound(roots, ({ beginning }) => beginning > text) - 1];
    const shared = root ? sharedLength(root.beginning, text) : 0;
    while (root && root.beginning.length > shared) root = root.around;
    return root?.pod;
  };
}

/** How many characters two texts have in common at their beginning. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/**
 * One spelling of a URL for all that its server may take for the same: `%61` is `a` everywhere (RFC 3986,
 * section 6.2.2), `%2F` is a slash for some servers, and a user name changes nothing. So a document in
 * disguise counts as its pod's.
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
