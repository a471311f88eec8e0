import { type Link, parseLinks } from '../lib/http/headers/link-header.js';
import { ask, askForSuccess, type Fetch, giveUp, mediaTypeOf, pageFetch, textOf } from './fetching.js';
import type { Quad } from './quad.js';
import { ACCEPT_RDF, isRdf, parseRdf } from './rdf.js';

export interface ShapesOptions {
  /** The page's own when absent. A private resource needs the one of a Solid session. */
  readonly fetch?: Fetch;
  /** 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Bytes that a description may have; 5,000,000 when absent. */
  readonly maxBytes?: number;
}

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const PRIMARY_TOPIC = [
  'http://xmlns.com/foaf/0.1/primaryTopic',
  'https://schema.org/mainEntity',
  'http://schema.org/mainEntity',
];
const CONFORMS_TO = 'http://purl.org/dc/terms/conformsTo';
/** Types that say how a document is kept, not what it is about: every resource of a pod has the first one. */
const SAY_NOTHING = [
  'http://www.w3.org/ns/ldp#Resource',
  'http://xmlns.com/foaf/0.1/PersonalProfileDocument',
];

/**
 * The shapes of a resource, the telling ones first: the classes of what it is about (the resource itself if its
 * URL has a fragment, else the `foaf:primaryTopic` of the document, else its only subject), what it and the
 * document claim to conform to (`dct:conformsTo`), and what the server says in `Link` headers (`type`,
 * `conformsTo`, and the document that describes one that is not RDF, `describedby`).
 *
 * @throws HostError when the resource cannot be read; one that is read and says nothing has no shapes
 */
export async function shapesOf(resource: string, options: ShapesOptions = {}): Promise<string[]> {
  const { fetch = pageFetch, timeoutMs = 15_000, maxBytes = 5_000_000 } = options;
  const document = resource.replace(/#.*$/s, '');
  const headers = { accept: `${ACCEPT_RDF}, */*;q=0.1` };
  const answer = await askForSuccess(document, { fetch, timeoutMs, headers });
  const links = linksOf(answer, document);
  if (isRdf(mediaTypeOf(answer))) {
    const quads = parseRdf(await textOf(answer, maxBytes), mediaTypeOf(answer), document);
    return unique([...shapesInGraph(quads, resource), ...shapesInLinks(links)]);
  }
  await giveUp(answer);
  const described = await description(links, { fetch, timeoutMs, maxBytes });
  return unique([...shapesAbout(described, resource), ...shapesInLinks(links)]);
}

/** The same for a graph that has been read already. */
function shapesInGraph(quads: readonly Quad[], resource: string): string[] {
  const document = resource.replace(/#.*$/s, '');
  const topics = resource === document ? topicsOf(quads, document) : [resource];
  const about = topics.flatMap((topic) => shapesAbout(quads, topic));
  return unique([...about, ...valuesOf(quads, document, CONFORMS_TO)]);
}

function topicsOf(quads: readonly Quad[], document: string): string[] {
  const named = PRIMARY_TOPIC.flatMap((term) => valuesOf(quads, document, term));
  if (named.length > 0) return named;
  if (telling(valuesOf(quads, document, RDF_TYPE)).length > 0) return [document];
  const typed = unique(
    quads.filter(({ predicate }) => predicate.value === RDF_TYPE).map(({ subject }) => subject.value),
  );
  const mentioned = new Set(
    quads.filter(({ subject, object }) => subject.value !== object.value).map(({ object }) => object.value),
  );
  const roots = typed.filter((subject) => !mentioned.has(subject));
  return roots.length > 0 ? roots : typed;
}

function shapesAbout(quads: readonly Quad[], subject: string): string[] {
  return telling([...valuesOf(quads, subject, RDF_TYPE), ...valuesOf(quads, subject, CONFORMS_TO)]);
}

/** The links of an answer, with absolute targets. */
function linksOf({ headers }: Response, base: string): Link[] {
  return parseLinks(headers.get('link')).flatMap(({ target, relations }) =>
    URL.canParse(target, base) ? [{ target: new URL(target, base).href, relations }] : [],
  );
}

function shapesInLinks(links: readonly Link[]): string[] {
  const says = ({ relations }: Link) =>
    ['type', 'conformsto', CONFORMS_TO].some((one) => relations.includes(one));
  return telling(links.filter(says).map(({ target }) => target));
}

/** What describes a resource that cannot describe itself; nothing when there is none to be had. */
async function description(
  links: readonly Link[],
  { maxBytes, ...request }: { fetch: Fetch; timeoutMs: number; maxBytes: number },
): Promise<Quad[]> {
  const link = links.find(({ relations }) => relations.includes('describedby'));
  if (!link) return [];
  const answer = await ask(link.target, { ...request, headers: { accept: ACCEPT_RDF } });
  if (answer.ok && isRdf(mediaTypeOf(answer))) {
    return parseRdf(await textOf(answer, maxBytes), mediaTypeOf(answer), link.target);
  }
  await giveUp(answer);
  return [];
}

function valuesOf(quads: readonly Quad[], subject: string, predicate: string): string[] {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .filter(({ object }) => object.termType === 'NamedNode')
    .map(({ object }) => object.value);
}

function telling(shapes: readonly string[]): string[] {
  return shapes.filter((shape) => !SAY_NOTHING.includes(shape));
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
