import type { Quad } from '@rdfjs/types';
import {
  DCT_MODIFIED,
  IANA_MEDIA_TYPE,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
} from '../../component/vocabulary.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { compareText } from '../../lib/compare-text.js';
import { MalformedInput } from '../../lib/faults.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { percentEncoded } from '../../lib/iri.js';

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

/** Does a `Link` header with the relation `type` call a resource a container? LDP 1.0, section 5.2.1.4. */
export function linksToContainerType(link: string | null): boolean {
  return parseLinks(link).some(
    ({ target, relations }) => CONTAINER_TYPES.has(target) && relations.includes('type'),
  );
}

/** Members that are gathered, as a multiple of those that are read: a longer listing is refused, not cut. */
const GATHERED = 10;
/** Refused members that are named, and types of a member that are kept. */
const NAMED = 10;

/** Gathers what a body says of a container, from quads that come one by one, in any order. */
export class ContainerReader {
  readonly #url: string;
  readonly #maxMembers: number;
  readonly #isSelf: (iri: string) => boolean;
  readonly #contained = new Set<string>();
  readonly #described = new Map<string, Description>();
  readonly #foreign: string[] = [];
  #isContainer = false;

  /** @param maxMembers documents, and containers, that are read at most; the listing names one more of each */
  constructor(url: string, maxMembers: number) {
    this.#url = url;
    this.#maxMembers = maxMembers;
    this.#isSelf = sameResourceAs(url);
  }

  /** Does it say that it is a container (LDP 1.0, section 5.2.1)? */
  get isContainer(): boolean {
    return this.#isContainer;
  }

  /** @throws MalformedInput when there are too many members */
  add({ subject, predicate, object }: Quad): void {
    if (predicate.value === LDP_CONTAINS) this.#contain(subject.value, object.value);
    else if (predicate.value === RDF_TYPE) this.#type(subject.value, object.value);
    else if (predicate.value === DCT_MODIFIED) {
      const description = this.#descriptionOf(subject.value);
      // Two times contradict each other; the later one is the safer.
      if (object.value.length <= LONGEST_TIME && object.value > (description.modified ?? ''))
        description.modified = object.value;
    }
  }

  /** The listing (LDP 1.0, section 5.2.1), when all quads have come. Every member is listed once, in the order of URLs. */
  read(): Listing {
    const documents = new Map<string, Member>();
    const containers = new Map<string, Member>();
    const others = new Map<string, Member>();
    const refused = [...this.#foreign];
    const urlOf = memberUrls(this.#url);
    for (const iri of this.#contained) {
      const member = urlOf(iri);
      if (member === undefined) {
        if (refused.length < NAMED) refused.push(iri);
        continue;
      }
      const { types, modified } = this.#described.get(iri) ?? NOTHING_SAID;
      const kind = isContainerMember(member, types) ? containers : isRdf(types) ? documents : others;
      // Listed again, with a fragment for instance, it may be described under its first name only.
      if (modified !== undefined || !kind.has(member)) {
        kind.set(member, { url: member, modified });
      }
    }
    return {
      documents: firstOf(documents, this.#maxMembers + 1),
      containers: firstOf(containers, this.#maxMembers + 1),
      others: firstOf(others, NAMED),
      refused,
    };
  }

  #contain(container: string, member: string): void {
    if (!this.#isSelf(container)) {
      if (this.#foreign.length < NAMED) this.#foreign.push(member);
      return;
    }
    this.#contained.add(member);
    if (this.#contained.size <= GATHERED * this.#maxMembers) return;
    throw new MalformedInput(`it lists more than ${GATHERED * this.#maxMembers} members`);
  }

  #type(subject: string, type: string): void {
    const { types } = this.#descriptionOf(subject);
    if (types.length < NAMED) types.push(type);
    if (!this.#isContainer && CONTAINER_TYPES.has(type)) this.#isContainer = this.#isSelf(subject);
  }

  #descriptionOf(subject: string): Description {
    const description = this.#described.get(subject) ?? { types: [] };
    this.#described.set(subject, description);
    return description;
  }
}

/** In the order of URLs, so that a bound cuts off the same ones each time, whatever order the server lists them in. */
function firstOf(members: ReadonlyMap<string, Member>, most: number): Member[] {
  return [...members.values()].sort((one, other) => compareText(one.url, other.url)).slice(0, most);
}

/** Is a URL below a container, and not the container itself? One with encoded dots or slashes is not. */
export function isBelow(url: string, container: string): boolean {
  return canParseUrl(url) && belowContainer(container)(new URL(url));
}

function belowContainer(container: string): (member: URL) => boolean {
  const { origin, pathname } = new URL(container);
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return (member) =>
    member.origin === origin &&
    member.username === '' &&
    member.password === '' &&
    member.pathname.startsWith(folder) &&
    member.pathname.length > folder.length &&
    !CLIMBS.test(member.pathname);
}

/** A segment `.` or `..` in a disguise that URL parsing leaves as it is and servers may see through. */
const CLIMBS = /(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i;

/** Tells the URL of each member of a container that may be one. */
function memberUrls(container: string): (iri: string) => string | undefined {
  const below = belowContainer(container);
  return (iri) => {
    if (!canParseUrl(iri)) return undefined;
    const url = new URL(iri);
    if (!below(url)) return undefined;
    url.hash = '';
    // Under this name its statements are stored and passed on.
    return percentEncoded(url.href);
  };
}

interface Description {
  readonly types: string[];
  modified?: string;
}

/** Characters of a time in a listing; what is longer is none, and would be kept for each document. */
const LONGEST_TIME = 64;

const NOTHING_SAID: Description = { types: [] };

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
function sameResourceAs(url: string): (iri: string) => boolean {
  const own = bare(url);
  let last = { iri: url, is: true };
  // Most often it is the one that was asked about before.
  return (iri) => {
    if (iri !== last.iri) last = { iri, is: iri === url || (canParseUrl(iri) && bare(iri) === own) };
    return last.is;
  };
}

function bare(url: string): string {
  return new URL(url).href.replace(/#.*$/, '').replace(/\/$/, '');
}
