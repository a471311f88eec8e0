import { createHash } from 'node:crypto';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { State, StatementChange } from '../../catalog/catalog.js';
import type { Naming } from '../../component/naming.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import { sourceKey } from '../../component/source.js';
import {
  AS,
  DCT,
  DCT_IS_VERSION_OF,
  DCT_SOURCE,
  LDES,
  RDF_TYPE,
  TREE,
  XSD,
  XSD_DATE_TIME,
  XSD_DURATION,
  XSD_INTEGER,
} from '../../component/vocabulary.js';
import { pinQuads } from '../../component/writing/attribution.js';
import { metadataToQuads } from '../../component/writing/metadata-quads.js';
import { REMOVALS_REMEMBERED } from '../../core/feed-window.js';
import { cursorIn, typeOf } from './feed-json.js';

const { namedNode, literal, quad, blankNode } = DataFactory;

const DAY = 24 * 60 * 60 * 1000;

/** The representations of changes in RDF. */
export const RDF_TYPES = ['application/trig', 'application/n-quads'] as const;
export type RdfType = (typeof RDF_TYPES)[number];

/** What the IRIs in the feed depend on. */
export interface FeedNaming extends Naming {
  /** `Revision.epoch`: positions of another one are other changes. */
  readonly epoch: string;
}

/** A page that one page leads to. */
export interface Relation {
  readonly node: string;
  /** What the changes behind it have in common: positions greater than this, or times that are not before or after these. */
  readonly behind?: number;
  readonly from?: number;
  readonly to?: number | undefined;
}

/** The address of the feed: the root of the event stream. */
export function feedAddress({ baseUrl }: Naming): string {
  return `${baseUrl}/feed`;
}

const streamIri = (naming: Naming) => namedNode(`${feedAddress(naming)}#stream`);

/** The member for a change. It is another one in another history, even where the position is the same. */
const memberIri = (naming: FeedNaming, { position, at }: StatementChange) =>
  namedNode(`${memberBase(naming)}${position}-${at.toString(36)}`);

function memberBase(naming: FeedNaming): string {
  return `${feedAddress(naming)}#${naming.epoch}-`;
}

/** What all versions of a statement have in common: one document of one source on one component. */
function statementIri(naming: Naming, { source, document, uri }: StatementChange) {
  const key = createHash('sha256')
    .update(`${sourceKey(source)}\n${document}\n${uri}`)
    .digest('base64url');
  return namedNode(`${feedAddress(naming)}#s-${key.slice(0, 22)}`);
}

/** Writes a page of the event stream. */
export function feedWriter(type: RdfType, naming: FeedNaming) {
  const writer = createQuadWriter(type, naming.vocabulary, feedPrefixes(naming));
  let text = '';
  return {
    /** Adds a change. @returns how many bytes it takes */
    member(change: StatementChange): number {
      const written = writer.write(memberQuads(naming, change));
      text += written;
      return Buffer.byteLength(written);
    },
    /** The whole text, with what the page is: where it lies and leads to, and in the root, what the stream is. */
    end(address: string, state: State, relations: readonly Relation[], isRoot = false): string {
      const about = pageQuads(naming, address, state, relations);
      if (isRoot) about.push(...streamQuads(naming));
      return text + writer.write(about) + writer.end();
    },
  };
}

/** The namespaces that TriG shortens, by name. */
function feedPrefixes(naming: FeedNaming): Record<string, string> {
  return {
    semcom: naming.vocabulary.namespace,
    xsd: XSD,
    as: AS,
    dct: DCT,
    tree: TREE,
    ldes: LDES,
    // Before the shorter one that it begins with.
    change: memberBase(naming),
    feed: `${feedAddress(naming)}#`,
  };
}

/** A change as a member of the stream: what it is in the default graph, what is said in the graph of the member's name. */
function memberQuads(naming: FeedNaming, change: StatementChange): Quad[] {
  const { position, at, source, document, rank = 0, uri, metadata, pin } = change;
  const { feed } = naming.vocabulary;
  const member = memberIri(naming, change);
  const say = (predicate: string, object: Quad_Object) => quad(member, namedNode(predicate), object);
  return [
    quad(streamIri(naming), namedNode(`${TREE}member`), member),
    say(RDF_TYPE, namedNode(AS + typeOf(change))),
    say(DCT_IS_VERSION_OF, statementIri(naming, change)),
    say(`${AS}published`, time(at)),
    say(`${AS}object`, namedNode(uri)),
    say(DCT_SOURCE, namedNode(document)),
    say(feed.source, namedNode(source.url)),
    say(feed.kind, literal(source.kind)),
    say(feed.position, integer(position)),
    ...(rank === 0 ? [] : [say(feed.rank, integer(rank))]),
    ...pinQuads(member, pin, naming.vocabulary.attribution),
    ...(metadata ? metadataToQuads(metadata, naming.vocabulary, uri, member) : []),
  ];
}

/** What a page is to its readers: where it leads, and which state it was made in. */
function pageQuads(
  naming: FeedNaming,
  address: string,
  state: State,
  relations: readonly Relation[],
): Quad[] {
  const page = namedNode(address);
  return [
    quad(page, namedNode(RDF_TYPE), namedNode(`${TREE}Node`)),
    quad(page, namedNode(naming.vocabulary.feed.cursor), literal(cursorIn(state))),
    ...relations.flatMap((relation, i) => relationQuads(naming, page, relation, `r${i}`)),
  ];
}

/** What the stream is, for the page that clients begin with: in what order, in which versions, and for how long. */
function streamQuads(naming: FeedNaming): Quad[] {
  const root = namedNode(feedAddress(naming));
  const stream = streamIri(naming);
  const retention = namedNode(`${root.value}#retention`);
  const days = Math.round(REMOVALS_REMEMBERED / DAY);
  const ldes = (name: string, object: Quad_Object) => quad(stream, namedNode(LDES + name), object);
  const keeps = (name: string, object: Quad_Object) => quad(retention, namedNode(LDES + name), object);
  return [
    quad(stream, namedNode(RDF_TYPE), namedNode(`${LDES}EventStream`)),
    quad(stream, namedNode(`${TREE}view`), root),
    ldes('timestampPath', namedNode(`${AS}published`)),
    ldes('sequencePath', namedNode(naming.vocabulary.feed.position)),
    ldes('versionOfPath', namedNode(DCT_IS_VERSION_OF)),
    ...(['Create', 'Update', 'Delete'] as const).map((type) =>
      ldes(`version${type}Object`, namedNode(AS + type)),
    ),
    quad(root, namedNode(`${LDES}retentionPolicy`), retention),
    quad(retention, namedNode(RDF_TYPE), namedNode(`${LDES}RetentionPolicy`)),
    keeps('versionAmount', integer(1)),
    keeps('versionDeleteDuration', literal(`P${days}D`, namedNode(XSD_DURATION))),
  ];
}

function relationQuads(
  naming: FeedNaming,
  page: Quad['subject'],
  { behind, from, to, node }: Relation,
  label: string,
): Quad[] {
  const bound = (type: string, path: string, value: Quad_Object): Quad[] => {
    const relation = blankNode(`${label}${type}`);
    return [
      quad(page, namedNode(`${TREE}relation`), relation),
      quad(relation, namedNode(RDF_TYPE), namedNode(TREE + type)),
      quad(relation, namedNode(`${TREE}path`), namedNode(path)),
      quad(relation, namedNode(`${TREE}value`), value),
      quad(relation, namedNode(`${TREE}node`), namedNode(node)),
    ];
  };
  const { position } = naming.vocabulary.feed;
  const published = `${AS}published`;
  return [
    ...(behind === undefined ? [] : bound('GreaterThanRelation', position, integer(behind))),
    ...(from === undefined ? [] : bound('GreaterThanOrEqualToRelation', published, time(from))),
    ...(to === undefined ? [] : bound('LessThanOrEqualToRelation', published, time(to))),
  ];
}

function integer(value: number) {
  return literal(String(value), namedNode(XSD_INTEGER));
}

function time(ms: number) {
  return literal(new Date(ms).toISOString(), namedNode(XSD_DATE_TIME));
}
