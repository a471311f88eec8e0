import { ask, askForSuccess, type Fetch, giveUp, mediaTypeOf, textOf } from '../../../host/fetching.js';
import type { Quad } from '../../../host/quad.js';
import { ACCEPT_RDF, parseRdf } from '../../../host/rdf.js';
import { parseLinks } from '../../../lib/http/headers/link-header.js';

export const TIMEOUT_MS = 15_000;
/** Bytes of a profile, a type index or a set of rules. */
const MAX_BYTES = 1_000_000;

/** What one document says. */
export class Graph {
  readonly quads: readonly Quad[];

  constructor(quads: readonly Quad[]) {
    this.quads = quads;
  }

  /** The values that a node has for a property. */
  objects(subject: string, predicate: string): string[] {
    return this.quads.flatMap((quad) =>
      quad.subject.value === subject && quad.predicate.value === predicate ? [quad.object.value] : [],
    );
  }

  /** The nodes that have a property with this value. */
  subjects(predicate: string, object: string): string[] {
    return this.quads.flatMap((quad) =>
      quad.predicate.value === predicate && quad.object.value === object ? [quad.subject.value] : [],
    );
  }
}

/** Reads an RDF document. @throws HostError */
export async function readGraph(url: string, fetch: Fetch): Promise<Graph> {
  const request = {
    fetch,
    timeoutMs: TIMEOUT_MS,
    cache: 'no-cache',
    headers: { accept: ACCEPT_RDF },
  } as const;
  const answer = await askForSuccess(url, request);
  return new Graph(await parseRdf(await textOf(answer, MAX_BYTES), mediaTypeOf(answer), answer.url || url));
}

/** What the server of a resource says of it in `Link` headers. @throws HostError when it cannot be asked */
export async function linksOf(url: string, fetch: Fetch) {
  const answer = await ask(url, { fetch, timeoutMs: TIMEOUT_MS, method: 'HEAD' });
  await giveUp(answer);
  return parseLinks(answer.headers.get('link'));
}
