import { sameBaseUrl } from '../config/url.js';
import { normalUrl } from '../lib/can-parse-url.js';

/** Finds the pod that speaks for a document, among the pods that this node reads itself. */
export type Coverage = (document: string) => string | undefined;

/** One segment of the URLs of pods: the pod that ends there, and the segments that follow. */
interface Segment {
  pod?: string;
  readonly next: Map<string, Segment>;
}

/**
 * A pod speaks for its own URL and for everything below it. Each answer costs no more than the document's URL is
 * long, however many pods there are: the URL is followed segment by segment, as far as a pod's leads.
 */
export function coverageOf(pods: Iterable<string>): Coverage {
  const root: Segment = { next: new Map() };
  for (const pod of pods) {
    let at = root;
    for (const name of segmentsOf(sameBaseUrl(pod))) {
      const segment = at.next.get(name) ?? { next: new Map() };
      at.next.set(name, segment);
      at = segment;
    }
    at.pod = pod;
  }
  return (document) => {
    const url = root.next.size === 0 ? undefined : normalUrl(document);
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

/** The parts of a URL between its slashes, one by one: most URLs differ from those of all pods in the first few. */
function* segmentsOf(url: string): Generator<string> {
  for (let start = 0; start <= url.length; ) {
    const slash = url.indexOf('/', start);
    const end = slash < 0 ? url.length : slash;
    yield url.slice(start, end);
    start = end + 1;
  }
}
