import { type Link, parseLinks } from '../lib/http/headers/link-header.js';
import {
  type Ask,
  ask,
  askForSuccess,
  type Fetch,
  giveUp,
  mediaTypeOf,
  pageFetch,
  textOf,
} from './fetching.js';
import {
  CONFORMS_TO,
  conformsTo,
  documentOf,
  predicatesInGraph,
  shapesInGraph,
  telling,
} from './graph-shapes.js';
import { HostError } from './host-error.js';
import { webUrl } from './page-url.js';
import type { Quad } from './quad.js';
import { ACCEPT_RDF, isRdf, parseRdf } from './rdf.js';

/** Relations of links that name shapes. */
const CONFORMANCE: readonly string[] = ['conformsto', CONFORMS_TO];
const NAMING: readonly string[] = ['type', ...CONFORMANCE];

export interface ShapesOptions {
  /** The page's own when absent. A private resource needs the one of a Solid session. */
  readonly fetch?: Fetch;
}

/** For one request, in ms, and bytes that a description may have. */
const [TIMEOUT_MS, MAX_BYTES] = [15_000, 5_000_000];

/**
 * The shapes of a resource, the telling ones first: the classes of what it is about (the resource itself if its
 * URL has a fragment, else the `foaf:primaryTopic` of the document, else its only subject), what it and the
 * document claim to conform to (`dct:conformsTo`), and what the server says in `Link` headers (`type`, `conformsTo`).
 *
 * @param resource a URL; a relative one is resolved against the page
 * @throws HostError when the resource cannot be read; one that says nothing has no shapes
 */
export async function shapesOf(resource: string, options: ShapesOptions = {}): Promise<string[]> {
  return (await kindOf(resource, options)).shapes;
}

/** What is known of a resource. */
export interface ResourceKind {
  /** See `shapesOf`. */
  readonly shapes: string[];
  /** Those of `shapes` that it says that it conforms to: no classes. */
  readonly conformsTo: readonly string[];
  /** The properties of what it is about; none where it is not RDF. */
  readonly predicates: readonly string[];
  /** In lower case, without parameters; empty when the server does not say. */
  readonly mediaType: string;
  /** Its URL, and what it says; absent where it is not RDF. */
  readonly url: string;
  readonly quads?: readonly Quad[];
}

/** The shapes of a resource, and what it is at any rate. @throws HostError when it cannot be read */
export async function kindOf(resource: string, { fetch = pageFetch }: ShapesOptions): Promise<ResourceKind> {
  const url = webUrl(resource);
  if (url === undefined) throw new HostError('request', `${resource} is no http or https URL`);
  const request = { fetch, timeoutMs: TIMEOUT_MS };
  const document = documentOf(url);
  const headers = { accept: `${ACCEPT_RDF},*/*;q=0.1` };
  const first = await askForSuccess(document, { ...request, headers });
  const type = mediaTypeOf(first);
  const quads = isRdf(type)
    ? await parseRdf(await textOf(first, MAX_BYTES), type, document)
    : await giveUp(first);
  const answer = quads?.length === 0 ? await unconverted(document, first, request) : first;
  const links = linksOf(answer, document);
  const mediaType = mediaTypeOf(answer);
  const named = targets(links, NAMING);
  const claimed = targets(links, CONFORMANCE);
  if (!quads || !isRdf(mediaType))
    return { url, mediaType, shapes: telling(named), conformsTo: claimed, predicates: [] };
  return {
    url,
    mediaType,
    shapes: telling([...shapesInGraph(quads, url), ...named]),
    conformsTo: [...conformsTo(quads, url), ...claimed],
    predicates: predicatesInGraph(quads, url),
    quads,
  };
}

/** Pod servers make RDF of pictures and pages, in which nothing is said: how they answer who takes anything tells what it is. */
async function unconverted(
  url: string,
  converted: Response,
  request: Pick<Ask, 'fetch' | 'timeoutMs'>,
): Promise<Response> {
  const answer = await ask(url, { ...request, method: 'HEAD', headers: { accept: '*/*' } });
  return answer.ok ? answer : converted;
}

/** The links of an answer, with absolute targets. */
function linksOf({ headers }: Response, base: string): Link[] {
  return parseLinks(headers.get('link')).flatMap(({ target, relations }) =>
    URL.canParse(target, base) ? [{ target: new URL(target, base).href, relations }] : [],
  );
}

function targets(links: readonly Link[], relations: readonly string[]): string[] {
  const says = (link: Link) => relations.some((one) => link.relations.includes(one));
  return links.filter(says).map(({ target }) => target);
}
