import type { Quad } from '@rdfjs/types';
import {
  DCT_MODIFIED,
  IANA_MEDIA_TYPE,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
} from '../../component/vocabulary.js';

/** One entry of a container's listing. */
export interface Member {
  /** Absolute, normalised, without a fragment. */
  readonly url: string;
  /** `dct:modified`, as written. */
  readonly modified?: string;
}

/** What a container says it holds, as far as it may say so. */
export interface Listing {
  readonly documents: readonly Member[];
  readonly containers: readonly Member[];
  /** Members that are images, scripts and the like, by the media type that the listing gives. */
  readonly others: readonly Member[];
  /** What it lists and may not, because it is not below the container itself. */
  readonly refused: readonly string[];
}

const CONTAINER_TYPES = new Set([
  LDP_CONTAINER,
  LDP_BASIC_CONTAINER,
  'http://www.w3.org/ns/ldp#DirectContainer',
  'http://www.w3.org/ns/ldp#IndirectContainer',
]);

/** Stored as one of these, a document can be had as Turtle or JSON-LD: pod servers convert between them. */
const RDF_MEDIA_TYPES =
  /^(text\/(turtle|n3)|application\/(n-triples|n-quads|trig|ld\+json|rdf\+xml)|internal\/quads)$/;

/** Might a body belong to a container? Most do not so much as name the vocabulary, and need not be looked through. */
export function maybeContainer({ container, text }: { container: boolean; text: string }): boolean {
  return container || text.includes('ldp');
}

/** Does a resource say in its body that it is a container? LDP 1.0, section 5.2.1. */
export function isContainer(quads: readonly Quad[], url: string): boolean {
  return quads.some(
    ({ subject, predicate, object }) =>
      predicate.value === RDF_TYPE && CONTAINER_TYPES.has(object.value) && sameResource(subject.value, url),
  );
}

/** The same, said in a `Link` header with the relation `type` (LDP 1.0, section 5.2.1.4). */
export function linksToContainerType(link: string | null): boolean {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (CONTAINER_TYPES.has(target) && /;\s*rel\s*=\s*"?([^";]* )?type[ ";]?/i.test(`${parameters};`))
      return true;
  }
  return false;
}

/** Reads the listing of the container at `url` (LDP 1.0, section 5.2.1). Every member is listed once. */
export function readListing(quads: readonly Quad[], url: string): Listing {
  const documents = new Map<string, Member>();
  const containers = new Map<string, Member>();
  const others = new Map<string, Member>();
  const refused: string[] = [];
  const described = descriptions(quads);
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== LDP_CONTAINS) continue;
    const member = sameResource(subject.value, url) ? memberUrl(object.value, url) : undefined;
    if (member === undefined) {
      refused.push(object.value);
      continue;
    }
    const { types, modified } = described.get(object.value) ?? NOTHING_SAID;
    const kind = isContainerMember(member, types) ? containers : isRdf(types) ? documents : others;
    // Listed again, with a fragment for instance, it may be described under its first name only.
    if (modified !== undefined || !kind.has(member)) {
      kind.set(member, { url: member, ...(modified === undefined ? {} : { modified }) });
    }
  }
  return {
    documents: [...documents.values()],
    containers: [...containers.values()],
    others: [...others.values()],
    refused,
  };
}

/** Is a URL below a container, and not the container itself? Tricks with encoded dots and slashes are not. */
export function isBelow(url: string, container: string): boolean {
  if (!URL.canParse(url)) return false;
  const member = new URL(url);
  const { origin, pathname } = new URL(container);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return (
    member.origin === origin &&
    member.username === '' &&
    member.password === '' &&
    member.pathname.startsWith(folder) &&
    member.pathname.length > folder.length &&
    !CLIMBS.test(member.pathname)
  );
}

/** A segment `.` or `..` in a disguise that URL parsing leaves as it is and servers may see through. */
const CLIMBS = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i;

function memberUrl(iri: string, container: string): string | undefined {
  if (!isBelow(iri, container)) return undefined;
  const url = new URL(iri);
  url.hash = '';
  return url.href;
}

interface Description {
  readonly types: string[];
  modified?: string;
}

/** Characters of a time in a listing; what is longer is none, and would be kept for each document. */
const LONGEST_TIME = 64;

const NOTHING_SAID: Description = { types: [] };

/** What the listing says about each subject, found in one pass: a container may have thousands of members. */
function descriptions(quads: readonly Quad[]): Map<string, Description> {
  const described = new Map<string, Description>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== RDF_TYPE && predicate.value !== DCT_MODIFIED) continue;
    const description = described.get(subject.value) ?? { types: [] };
    described.set(subject.value, description);
    if (predicate.value === RDF_TYPE) description.types.push(object.value);
    // Two times contradict each other; the later one is the safer.
    else if (object.value.length <= LONGEST_TIME && object.value > (description.modified ?? ''))
      description.modified = object.value;
  }
  return described;
}

function isContainerMember(url: string, types: readonly string[]): boolean {
  return new URL(url).pathname.endsWith('/') || types.some((type) => CONTAINER_TYPES.has(type));
}

/** Solid servers type members with their media type, as `<…/media-types/text/turtle#Resource>`. */
function isRdf(types: readonly string[]): boolean {
  const mediaTypes = types
    .filter((type) => type.startsWith(IANA_MEDIA_TYPE))
    .map((type) => type.slice(IANA_MEDIA_TYPE.length).replace(/#Resource$/, ''));
  return mediaTypes.length === 0 || mediaTypes.some((type) => RDF_MEDIA_TYPES.test(type));
}

/** Servers differ in whether a container names itself with its final slash. */
function sameResource(iri: string, url: string): boolean {
  if (iri === url) return true;
  if (!URL.canParse(iri)) return false;
  const bare = (text: string) => new URL(text).href.replace(/#.*$/, '').replace(/\/$/, '');
  return bare(iri) === bare(url);
}
