import { type Link, parseLinks } from '../lib/http/headers/link-header.js';
import { ask, askForSuccess, type Fetch, giveUp, mediaTypeOf, pageFetch, textOf } from './fetching.js';
import {
  CONFORMS_TO,
  conformsTo,
  documentOf,
  inOrder,
  predicatesInGraph,
  shapesAbout,
  shapesInGraph,
} from './graph-shapes.js';
import { HostError } from './host-error.js';
import type { LoadContext } from './json-ld-context.js';
import { webUrl } from './page-url.js';
import type { Quad } from './quad.js';
import { ACCEPT_RDF, isRdf, parseRdf } from './rdf.js';

/** The class of everything (RDF Schema, section 2.1), that of whatever is no RDF (LDP, section 4.4), and those of media types, as pods name them. */
const RDFS_RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const NO_RDF = 'http://www.w3.org/ns/ldp#NonRDFSource';
const MEDIA_TYPES = 'http://www.w3.org/ns/iana/media-types/';

/** Relations of links that name shapes. */
const CONFORMANCE: readonly string[] = ['conformsto', CONFORMS_TO];
const NAMING: readonly string[] = ['type', ...CONFORMANCE];

export interface ShapesOptions {
  /** The page's own when absent. A private resource needs the one of a Solid session. */
  readonly fetch?: Fetch;
  /** 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Bytes that a description may have; 5,000,000 when absent. */
  readonly maxBytes?: number;
  /** Loads the contexts that JSON-LD names by URL. The page's fetch without credentials when absent. */
  readonly loadContext?: LoadContext;
}

/**
 * The shapes of a resource, the telling ones first: the classes of what it is about (the resource itself if its
 * URL has a fragment, else the `foaf:primaryTopic` of the document, else its only subject), what it and the
 * document claim to conform to (`dct:conformsTo`), what the server says in `Link` headers (`type`,
 * `conformsTo`, and the document that describes one that is not RDF, `describedby`), and last that a document is
 * somebody's profile (`foaf:PersonalProfileDocument`).
 *
 * @param resource a URL; a relative one is resolved against the page
 * @throws HostError when the resource cannot be read, `type` when it is not RDF and nothing describes it; one that is
 * read and says nothing has no shapes
 */
export async function shapesOf(resource: string, options: ShapesOptions = {}): Promise<string[]> {
  const { shapes, fault } = await kindOf(resource, options);
  if (fault) throw fault;
  return shapes;
}

/** What is known of a resource. */
export interface ResourceKind {
  /** See `shapesOf`. */
  readonly shapes: string[];
  /** Classes that everything in such a format has: they tell of those components that show anything. */
  readonly general: string[];
  /** Those of `shapes` that it says that it conforms to: no classes. */
  readonly conformsTo: readonly string[];
  /** The properties of what it is about; none where it is not RDF. */
  readonly predicates: readonly string[];
  /** In lower case, without parameters; empty when the server does not say. */
  readonly mediaType: string;
  /** Its URL, and what it says; absent where it is not RDF. */
  readonly url: string;
  readonly quads?: readonly Quad[];
  /** Why there are no shapes, where that is not the resource's own word. */
  readonly fault?: HostError;
}

/** The shapes of a resource, and what it is at any rate. @throws HostError when it cannot be read */
export async function kindOf(resource: string, options: ShapesOptions): Promise<ResourceKind> {
  const url = webUrl(resource);
  if (url === undefined) throw new HostError('request', `${resource} is no http or https URL`);
  const { fetch = pageFetch, timeoutMs = 15_000, maxBytes = 5_000_000, loadContext } = options;
  const request = { fetch, timeoutMs };
  const quadsOf = async (answer: Response, base: string) =>
    parseRdf(await textOf(answer, maxBytes), mediaTypeOf(answer), base, loadContext);

  const document = documentOf(url);
  const headers = { accept: `${ACCEPT_RDF},*/*;q=0.1` };
  const first = await askForSuccess(document, { ...request, headers });
  const said = isRdf(mediaTypeOf(first)) ? await quadsOf(first, document) : undefined;
  const answer = said?.length === 0 ? await unconverted(document, first, request) : first;
  const links = linksOf(answer, document);
  const mediaType = mediaTypeOf(answer);
  const named = { url, mediaType, conformsTo: targets(links, CONFORMANCE), predicates: [] };
  if (said && isRdf(mediaType)) {
    return {
      ...named,
      shapes: inOrder([...shapesInGraph(said, url), ...targets(links, NAMING)]),
      conformsTo: [...conformsTo(said, url), ...named.conformsTo],
      predicates: predicatesInGraph(said, url),
      general: [RDFS_RESOURCE],
      quads: said,
    };
  }
  if (!said) await giveUp(answer);
  const { quads, missing } = await description(links, { ...request, quadsOf });
  const shapes = inOrder([...shapesAbout(quads, url), ...targets(links, NAMING)]);
  const general = mediaType ? [`${MEDIA_TYPES}${mediaType}#Resource`, NO_RDF] : [NO_RDF];
  const what = `${url} is ${mediaType || 'of no type'}, which names no classes, and ${missing}`;
  const isUnclear = shapes.length === 0 && missing !== undefined;
  return { ...named, shapes, general, fault: isUnclear ? new HostError('type', what) : undefined };
}

interface Request {
  readonly fetch: Fetch;
  readonly timeoutMs: number;
}

/** Pod servers make RDF of pictures and pages, in which nothing is said: how they answer who takes anything tells what it is. */
async function unconverted(url: string, converted: Response, request: Request): Promise<Response> {
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

/** What describes a resource that cannot describe itself, or what is missing for that. */
async function description(
  links: readonly Link[],
  {
    quadsOf,
    ...request
  }: Request & { readonly quadsOf: (answer: Response, base: string) => Promise<Quad[]> },
): Promise<{ quads: Quad[]; missing?: string }> {
  const [target] = targets(links, ['describedby']);
  if (target === undefined) {
    const relations = 'Link with rel="describedby", "type" or "conformsTo"';
    return { quads: [], missing: `its server sends no ${relations}` };
  }
  const answer = await ask(target, { ...request, headers: { accept: ACCEPT_RDF } });
  if (answer.ok && isRdf(mediaTypeOf(answer))) return { quads: await quadsOf(answer, target) };
  await giveUp(answer);
  const found = answer.ok ? `is ${mediaTypeOf(answer) || 'of no type'}` : `answered with ${answer.status}`;
  return { quads: [], missing: `${target}, which should describe it, ${found}` };
}
