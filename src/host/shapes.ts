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
import { type LoadContext, loadContextFromWeb } from './json-ld-context.js';
import { webUrl } from './page-url.js';
import type { Quad } from './quad.js';
import { ACCEPT_RDF, isRdf, parseRdf } from './rdf.js';

/** The class of everything (RDF Schema, section 2.1), that of whatever is no RDF (LDP, section 4.4), and those of media types, as pods name them. */
const RDFS_RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const NO_RDF = 'http://www.w3.org/ns/ldp#NonRDFSource';
const MEDIA_TYPES = 'http://www.w3.org/ns/iana/media-types/';

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

interface Request {
  readonly ask: { readonly fetch: Fetch; readonly timeoutMs: number };
  readonly maxBytes: number;
  readonly loadContext: LoadContext;
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
  const { fetch = pageFetch, timeoutMs = 15_000, maxBytes = 5_000_000 } = options;
  const { loadContext = loadContextFromWeb } = options;
  const request: Request = { ask: { fetch, timeoutMs }, maxBytes, loadContext };
  const document = documentOf(url);
  const headers = { accept: `${ACCEPT_RDF},*/*;q=0.1` };
  const first = await askForSuccess(document, { ...request.ask, headers });
  const said = isRdf(mediaTypeOf(first)) ? await quadsOf(first, document, request) : undefined;
  const answer = said?.length === 0 ? await unconverted(document, first, request) : first;
  const links = linksOf(answer, document);
  const mediaType = mediaTypeOf(answer);
  if (said && isRdf(mediaType)) {
    return {
      shapes: inOrder([...shapesInGraph(said, url), ...shapesInLinks(links)]),
      conformsTo: [...conformsTo(said, url), ...shapesInLinks(links, CONFORMANCE)],
      predicates: predicatesInGraph(said, url),
      general: [RDFS_RESOURCE],
      mediaType,
      url,
      quads: said,
    };
  }
  if (!said) await giveUp(answer);
  const { quads, missing } = await description(links, request);
  const shapes = inOrder([...shapesAbout(quads, url), ...shapesInLinks(links)]);
  const general = mediaType ? [`${MEDIA_TYPES}${mediaType}#Resource`, NO_RDF] : [NO_RDF];
  const kind = {
    shapes,
    conformsTo: shapesInLinks(links, CONFORMANCE),
    predicates: [],
    general,
    mediaType,
    url,
  };
  if (shapes.length > 0 || missing === undefined) return kind;
  const what = `${url} is ${mediaType || 'of no type'}, which names no classes, and ${missing}`;
  return { ...kind, fault: new HostError('type', what) };
}

/** Pod servers make RDF of pictures and pages, in which nothing is said: how they answer who takes anything tells what it is. */
async function unconverted(url: string, converted: Response, { ask: how }: Request): Promise<Response> {
  const answer = await ask(url, { ...how, method: 'HEAD', headers: { accept: '*/*' } });
  return answer.ok ? answer : converted;
}

/** The links of an answer, with absolute targets. */
function linksOf({ headers }: Response, base: string): Link[] {
  return parseLinks(headers.get('link')).flatMap(({ target, relations }) =>
    URL.canParse(target, base) ? [{ target: new URL(target, base).href, relations }] : [],
  );
}

const CONFORMANCE: readonly string[] = ['conformsto', CONFORMS_TO];

function shapesInLinks(
  links: readonly Link[],
  wanted = ['type', ...CONFORMANCE] as readonly string[],
): string[] {
  const says = ({ relations }: Link) => wanted.some((one) => relations.includes(one));
  return links.filter(says).map(({ target }) => target);
}

/** What describes a resource that cannot describe itself, or what is missing for that. */
async function description(
  links: readonly Link[],
  request: Request,
): Promise<{ quads: Quad[]; missing?: string }> {
  const link = links.find(({ relations }) => relations.includes('describedby'));
  if (!link) {
    const relations = 'Link with rel="describedby", "type" or "conformsTo"';
    return { quads: [], missing: `its server sends no ${relations}` };
  }
  const answer = await ask(link.target, { ...request.ask, headers: { accept: ACCEPT_RDF } });
  if (answer.ok && isRdf(mediaTypeOf(answer))) return { quads: await quadsOf(answer, link.target, request) };
  await giveUp(answer);
  const found = answer.ok ? `is ${mediaTypeOf(answer) || 'of no type'}` : `answered with ${answer.status}`;
  return { quads: [], missing: `${link.target}, which should describe it, ${found}` };
}

async function quadsOf(answer: Response, base: string, { maxBytes, loadContext }: Request): Promise<Quad[]> {
  return parseRdf(await textOf(answer, maxBytes), mediaTypeOf(answer), base, loadContext);
}
