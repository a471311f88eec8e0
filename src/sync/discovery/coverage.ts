import { sameUrl } from '../../config/url.js';

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
    for (const name of segmentsOf(pod)) {
      const segment = at.next.get(name) ?? { next: new Map() };
      at.next.set(name, segment);
      at = segment;
    }
    at.pod = pod;
  }
  return (document) => {
    if (root.next.size === 0 || !URL.canParse(document)) return undefined;
    let pod: string | undefined;
    let at: Segment | undefined = root;
    for (const name of segmentsOf(document)) {
      at = at?.next.get(name);
      if (!at) break;
      pod = at.pod ?? pod;
    }
    return pod;
  };
}

/** Slashes at the end mean nothing. */
function segmentsOf(url: string): string[] {
  const segments = sameUrl(url).split('/');
  while (segments.at(-1) === '') segments.pop();
  return segments;
}
