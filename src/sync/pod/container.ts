import type { Quad } from '@rdfjs/types';
import {
  DCT_MODIFIED,
  IANA_MEDIA_TYPE,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
} from '../../component/vocabulary.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { compareText } from '../../lib/compare-text.js';
import { MalformedInput } from '../../lib/faults.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { percentEncoded } from '../../lib/iri.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';

/** One entry of a container's listing. */
export interface Member {
  /** Absolute, normalised, without a fragment. */
  readonly url: string;
  /** `dct:modified`, as written. */
  readonly modified?: string | undefined;
  readonly isContainer?: boolean;
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

/** Members that are gathered, as a multiple of those that are read: a longer listing is refused, not cut. */
const GATHERED = 10;
/** Characters of a time in a listing; what is longer is none, and would be kept for each document. */
const LONGEST_TIME = 64;

/** Does a `Link` header with the relation `type` call a resource a container? LDP 1.0, section 5.2.1.4. */
export function linksToContainerType(link: string | null): boolean {
  return parseLinks(link).some(
    ({ target, relations }) => CONTAINER_TYPES.has(target) && relations.includes('type'),
  );
}

/** Gathers what a body says of a container, from quads that come one by one, in any order. */
export class ContainerReader {
  readonly #contained = new Set<string>();
  readonly #containers = new Set<string>();
  readonly #modified = new Map<string, string>();
  /** Of what has media types: is one of them RDF? */
  readonly #isRdf = new Map<string, boolean>();
  /** A member of this or another container that is not below this one. */
  #stranger: string | undefined;
  /** Does it say that it is a container (LDP 1.0, section 5.2.1)? */
  isContainer = false;

  /** @param maxMembers documents, and containers, that are read at most */
  constructor(
    readonly url: string,
    readonly maxMembers: number,
  ) {}

  /** @throws MalformedInput when there are too many members */
  add({ subject: { value: subject }, predicate, object: { value: object } }: Quad): void {
    if (predicate.value === LDP_CONTAINS) this.#contain(subject, object);
    else if (predicate.value === RDF_TYPE) this.#type(subject, object);
    else if (predicate.value === DCT_MODIFIED && object.length <= LONGEST_TIME) {
      // Two times contradict each other; the later one is the safer.
      if (object > (this.#modified.get(subject) ?? '')) this.#modified.set(subject, object);
    }
  }

  /**
   * The members that it may speak for (LDP 1.0, section 5.2.1): each once, in the order of URLs, so that a
   * bound cuts off the same ones each time. Images and the like are left out.
   * @throws MalformedInput when it names only strangers: its server does not know its own public address, and
   * an empty container in its place would remove everything
   */
  read(): Member[] {
    const members = new Map<string, Member>();
    let hasMembers = false;
    for (const iri of this.#contained) {
      if (!isBelow(iri, this.url)) {
        this.#stranger ??= iri;
        continue;
      }
      hasMembers = true;
      const parsed = new URL(iri);
      parsed.hash = '';
      // Under this name its statements are stored and passed on.
      const url = percentEncoded(parsed.href);
      const modified = this.#modified.get(iri);
      const isContainer = this.#containers.has(iri) || parsed.pathname.endsWith('/');
      // Listed again, with a fragment for instance, it may be described under its first name only.
      const isToldBest = modified !== undefined || !members.has(url);
      if ((isContainer || this.#isRdf.get(iri) !== false) && isToldBest)
        members.set(url, { url, modified, isContainer });
    }
    if (this.#stranger !== undefined && !hasMembers)
      throw new MalformedInput(
        `it lists only what is not below it (${this.#stranger}, …): does the server know its own public URL?`,
      );
    return [...members.values()].sort((one, other) => compareText(one.url, other.url));
  }

  #contain(container: string, member: string): void {
    if (this.#isSelf(container)) this.#contained.add(member);
    else this.#stranger ??= member;
    if (this.#contained.size > GATHERED * this.maxMembers)
      throw new MalformedInput(`it lists more than ${GATHERED * this.maxMembers} members`);
  }

  /** Solid servers type members with their media type, as `<…/media-types/text/turtle#Resource>`. */
  #type(subject: string, type: string): void {
    if (CONTAINER_TYPES.has(type)) {
      this.#containers.add(subject);
      this.isContainer ||= this.#isSelf(subject);
    }
    if (!type.startsWith(IANA_MEDIA_TYPE)) return;
    const mediaType = type.slice(IANA_MEDIA_TYPE.length).replace(/#Resource$/, '');
    this.#isRdf.set(subject, this.#isRdf.get(subject) === true || RDF_MEDIA_TYPES.test(mediaType));
  }

  /** Servers differ in whether a container names itself with its final slash. */
  #isSelf(iri: string): boolean {
    return iri === this.url || withoutTrailingSlashes(iri) === withoutTrailingSlashes(this.url);
  }
}

/** Is a URL below a container, and not the container itself? One with encoded dots or slashes is not. */
export function isBelow(url: string, container: string): boolean {
  const { origin, pathname } = new URL(container);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  const member = parsedUrl(url);
  return (
    member?.origin === origin &&
    member.username === '' &&
    member.password === '' &&
    member.pathname.startsWith(folder) &&
    member.pathname.length > folder.length &&
    !CLIMBS.test(member.pathname)
  );
}

/** A segment `.` or `..` in a disguise that URL parsing leaves as it is and servers may see through. */
const CLIMBS = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i;
