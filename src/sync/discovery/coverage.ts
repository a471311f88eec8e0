import { sameUrl } from '../../config/url.js';

/** Finds the pod that speaks for a document, among the pods that this node reads itself. */
export type Coverage = (document: string) => string | undefined;

/** A pod speaks for its own URL and for everything below it. */
export function coverageOf(pods: Iterable<string>): Coverage {
  const byName = new Map([...pods].map((url) => [bare(url), url]));
  return (document) => {
    if (byName.size === 0 || !URL.canParse(document)) return undefined;
    for (let name: string | undefined = bare(document); name !== undefined; name = parent(name)) {
      const pod = byName.get(name);
      if (pod !== undefined) return pod;
    }
    return undefined;
  };
}

function bare(url: string): string {
  return sameUrl(url).replace(/\/+$/, '');
}

function parent(name: string): string | undefined {
  const slash = name.lastIndexOf('/');
  return slash > name.indexOf('//') + 1 ? name.slice(0, slash) : undefined;
}
