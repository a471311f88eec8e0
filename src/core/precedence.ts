import { authoredName, graphTaken, takerOf } from '../component/provenance.js';
import { isOfThisNode, LOCAL, type Source, type SourceTrust, sameSource } from '../component/source.js';
import { normalUrl } from '../lib/can-parse-url.js';
import { compareText } from '../lib/compare-text.js';

/**
 * The order of statements about one component (design, section 5), the one that is served first; how far the
 * operator answers for it, and words for people: "… come before …", or "… comes before …" where they begin
 * with "what".
 */
export const STATEMENT_CLASSES = [
  { name: 'configured-pod', trust: 'configured', words: 'configured pods' },
  { name: 'own', trust: 'own', words: 'what was posted to the node' },
  { name: 'configured-peer', trust: 'configured', words: 'what configured peers say for themselves' },
  { name: 'learned-pod', trust: 'learned', words: 'learned pods' },
  { name: 'passed-on', trust: 'learned', words: 'what configured peers pass on of other pods' },
  { name: 'learned-peer', trust: 'learned', words: 'learned peers' },
  { name: 'sample', trust: 'own', words: 'samples' },
] as const satisfies readonly { name: string; trust: SourceTrust; words: string }[];
export type StatementClass = (typeof STATEMENT_CLASSES)[number]['name'];

/** Who says something at the node that a mirror reads, and its place among the sources of its class there. */
export interface Authority extends Source {
  readonly class: StatementClass;
  readonly place: number;
}

export function sameAuthority(one: Authority | undefined, other: Authority | undefined): boolean {
  if (!one || !other) return one === other;
  return sameSource(one, other) && one.class === other.class && one.place === other.place;
}

export interface Statement {
  readonly source: Source;
  readonly document: string;
  /** Only of what a mirror has from the node that it reads. */
  readonly authority?: Authority | undefined;
}

/** Who says it, as readers are told, and where it stands among other statements about the same component. */
export interface Standing {
  readonly source: Source;
  /** URL of the document, or name of the graph, that says it. */
  readonly document: string;
  readonly trust: SourceTrust;
  readonly class: StatementClass;
  readonly rank: number;
}

export type Precedence = ReturnType<typeof precedenceOf>;

export interface ConfiguredSources {
  readonly pods: readonly string[];
  readonly peers: readonly string[];
}

/** More than there are sources in a configuration. */
const PLACES = 1_000_000;
/** More than there are nodes that one mirror reads. */
const UPSTREAMS = 1_000;

/**
 * To the letter: what is disguised as the pod's may be a stranger's. A document that leaves the pod by `/../`
 * is not within it.
 */
function isWithin(pod: string, document: string): boolean {
  if (pod === document) return true;
  if (!pod.endsWith('/') || !document.startsWith(pod)) return false;
  return normalUrl(document)?.startsWith(normalUrl(pod) ?? pod) ?? false;
}

const ORDER = STATEMENT_CLASSES.map(({ name }) => name);

function trustOf(name: StatementClass): SourceTrust {
  return STATEMENT_CLASSES[ORDER.indexOf(name)]?.trust ?? 'learned';
}

function rankOf(name: StatementClass, place: number, upstream = 0): number {
  const before = ORDER.indexOf(name) * UPSTREAMS + Math.min(upstream, UPSTREAMS - 1);
  return before * PLACES + Math.min(place, PLACES - 1);
}

/** How a mirror shows what a node that it reads has; `upstream` is the place of that node. */
function mirrored(
  document: string,
  { kind, url, class: name, place }: Authority,
  upstream: number,
): Standing {
  const trust = trustOf(name);
  return {
    source: { kind, url },
    class: name,
    rank: rankOf(name, place, upstream),
    // The second of two sources that have a graph in common is told apart by its key, which has a space.
    document: (takerOf(document)?.includes(' ') ? graphTaken(document) : undefined) ?? document,
    // Nobody has posted anything to a mirror: its operator has named the node to which it was posted.
    trust: trust === 'own' ? 'configured' : trust,
  };
}

export function precedenceOf({ pods, peers }: ConfiguredSources) {
  // A URL that is written twice counts where it stands first.
  const placesOf = (urls: readonly string[]) =>
    new Map([...urls.entries()].reverse().map(([place, url]) => [url, place]));
  const places = { pod: placesOf(pods), peer: placesOf(peers) };
  const placeOf = ({ kind, url }: Source) =>
    kind === 'pod' || kind === 'peer' ? places[kind].get(url) : undefined;
  // By length, so that a document is not compared with each of very many pods.
  const named = new Set(pods);
  const lengths = [...new Set(pods.map(({ length }) => length))];
  const isOfNamedPod = (document: string) =>
    lengths.some((length) => {
      const beginning = document.slice(0, length);
      return named.has(beginning) && isWithin(beginning, document);
    });
  const classOf = ({ source, document }: Statement): StatementClass => {
    if (source.kind === 'local') return 'own';
    if (source.kind === 'sample') return 'sample';
    const isNamed = placeOf(source) !== undefined;
    if (source.kind === 'pod') return isNamed ? 'configured-pod' : 'learned-pod';
    if (!isNamed) return 'learned-peer';
    // To name a peer is to trust what was posted there, and what it passes on of pods that are named, too.
    const written = authoredName(document);
    const isTrusted = written === LOCAL.url || isOfNamedPod(written);
    return isTrusted ? 'configured-peer' : 'passed-on';
  };
  const standing = (statement: Statement): Standing => {
    const { source, document, authority } = statement;
    const place = placeOf(source) ?? 0;
    if (authority) return mirrored(document, authority, place);
    const name = classOf(statement);
    return { source, document, class: name, trust: trustOf(name), rank: rankOf(name, place) };
  };
  const rank = (source: Source) => rankOf(classOf({ source, document: LOCAL.url }), placeOf(source) ?? 0);
  return {
    standing,
    /** The rank of what a source says for itself; it does not depend on which other sources there are. */
    rank,
    /** Never below zero; `rank` of the source and this together order statements as their standings do. */
    rankWithin: (statement: Statement) =>
      standing(statement).rank - (statement.authority ? 0 : rank(statement.source)),
    /** What a mirror remembers of whom a statement is, where this is the order of the node that it reads. */
    authorityOf(statement: Statement): Authority {
      const { kind, url } = statement.source;
      return { kind, url, class: classOf(statement), place: placeOf(statement.source) ?? 0 };
    },
    isConfigured: (source: Source) => isOfThisNode(source) || placeOf(source) !== undefined,
  };
}

/** Below zero when the first is served rather than the second; ties of rank by URL. */
export function compareStandings(one: Standing, other: Standing): number {
  return (
    one.rank - other.rank ||
    compareText(one.source.url, other.source.url) ||
    compareText(one.source.kind, other.source.kind) ||
    compareText(one.document, other.document)
  );
}
