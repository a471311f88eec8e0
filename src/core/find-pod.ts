import { normalUrl } from '../lib/can-parse-url.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** Finds the pod, among some, that speaks for a document. */
export type FindPod = (document: string) => string | undefined;

/** A beginning of URLs up to a slash: the pod that ends there, and by the next segment, what follows. */
interface Beginning {
  pod?: string;
  readonly next: Map<string, Beginning>;
}

/**
 * A pod speaks for its own URL and for everything below it; of pods within one another, the innermost. The
 * URL is followed segment by segment: an answer takes no longer for many pods, nor for many slashes.
 */
export function findPodAmong(pods: Iterable<string>): FindPod {
  const all: Beginning = { next: new Map() };
  for (const pod of pods) {
    let at = all;
    for (const segment of segmentsOf(withoutTrailingSlashes(plainUrl(pod) ?? pod))) {
      const next = at.next.get(segment) ?? { next: new Map() };
      at.next.set(segment, next);
      at = next;
    }
    at.pod = pod;
  }
  return (document) => {
    const url = all.next.size === 0 ? undefined : plainUrl(document);
    let innermost: string | undefined;
    let at: Beginning | undefined = all;
    for (const segment of segmentsOf(url ?? '')) {
      at = at.next.get(segment);
      if (!at) break;
      innermost = at.pod ?? innermost;
    }
    return innermost;
  };
}

/** One by one: most URLs part from those of all pods in the first few. */
function* segmentsOf(url: string): Generator<string> {
  for (let start = 0; start <= url.length; ) {
    const slash = url.indexOf('/', start);
    const end = slash < 0 ? url.length : slash;
    yield url.slice(start, end);
    start = end + 1;
  }
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
