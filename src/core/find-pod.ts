import { normalUrl } from '../lib/can-parse-url.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** Finds the pod, among some, that speaks for a document. */
export type FindPod = (document: string) => string | undefined;

/** One segment of the URLs of pods: the pod that ends there, and the segments that follow. */
interface Segment {
  pod?: string;
  readonly next: Map<string, Segment>;
}

/**
 * A pod speaks for its own URL and for everything below it. Each answer costs no more than the document's URL is
 * long, however many pods there are: the URL is followed segment by segment, as far as a pod's leads.
 */
export function findPodAmong(pods: Iterable<string>): FindPod {
  const root: Segment = { next: new Map() };
  for (const pod of pods) {
    let at = root;
    for (const name of segmentsOf(withoutTrailingSlashes(plainUrl(pod) ?? pod))) {
      const segment = at.next.get(name) ?? { next: new Map() };
      at.next.set(name, segment);
      at = segment;
    }
    at.pod = pod;
  }
  return (document) => {
    const url = root.next.size === 0 ? undefined : plainUrl(document);
    if (url === undefined) return undefined;
    let pod: string | undefined;
    let at: Segment | undefined = root;
    for (const name of segmentsOf(url)) {
      at = at?.next.get(name);
      if (!at) break;
      pod = at.pod ?? pod;
    }
    return pod;
  };
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

/** The parts of a URL between its slashes, one by one: most URLs differ from those of all pods in the first few. */
function* segmentsOf(url: string): Generator<string> {
  for (let start = 0; start <= url.length; ) {
    const slash = url.indexOf('/', start);
    const end = slash < 0 ? url.length : slash;
    yield url.slice(start, end);
    start = end + 1;
  }
}
