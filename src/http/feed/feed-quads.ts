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
import { cursorOf, cursorText } from '../../core/cursor.js';
import { REMOVALS_REMEMBERED } from '../../core/feed-window.js';
import { shortHash } from '../../lib/short-hash.js';

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

export function feedNaming({ naming, revision }: State): FeedNaming {
  return { ...naming, epoch: revision.epoch };
}

/** The address of the feed: the root of the event stream. */
export function feedAddress({ baseUrl }: Naming): string {
  return `${baseUrl}/feed`;
}

/** One of the activities of Activity Streams 2.0. */
export function typeOf({ metadata, isUpdate }: StatementChange): 'Create' | 'Update' | 'Delete' {
  if (!metadata) return 'Delete';
  return isUpdate ? 'Update' : 'Create';
}

const streamIri = (naming: Naming) => namedNode(`${feedAddress(naming)}#stream`);
const memberBase = (naming: FeedNaming) => `${feedAddress(naming)}#${naming.epoch}-`;

/** What all versions of a statement have in common: one document of one source on one component. */
function statementIri(naming: Naming, { source, document, uri }: StatementChange) {
  const named = `${sourceKey(source)}\n${document}\n${uri}`;
  return namedNode(`${feedAddress(naming)}#s-${shortHash(named)}`);
}

/** Writes a page of the event stream. */
export function feedWriter(type: RdfType, naming: FeedNaming) {
  const prefixes = {
    ...{ semcom: naming.vocabulary.namespace, xsd: XSD, as: AS, dct: DCT, tree: TREE, ldes: LDES },
    // Before the shorter one that it begins with.
    change: memberBase(naming),
    feed: `${feedAddress(naming)}#`,
  };
  const writer = createQuadWriter(type, naming.vocabulary, prefixes);
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
      const about = [
        ...pageQuads(naming, address, state),
        ...relations.flatMap((relation, i) => relationQuads(naming, address, relation, `r${i}`)),
        ...(isRoot ? streamQuads(naming) : []),
      ];
      return text + writer.write(about) + writer.end();
    },
  };
}

const about = (subject: Quad['subject']) => (predicate: string, object: Quad_Object) =>
  quad(subject, namedNode(predicate), object);
const integer = (value: number) => literal(String(value), namedNode(XSD_INTEGER));
const time = (ms: number) => literal(new Date(ms).toISOString(), namedNode(XSD_DATE_TIME));

/**
 * A change as a member of the stream: what it is in the default graph, what is said in the graph of the member's name. It is another
 * member in another history, even where the position is the same.
 */
function memberQuads(naming: FeedNaming, change: StatementChange): Quad[] {
  const { position, at, source, document, rank = 0, uri, metadata, pin } = change;
  const { feed, attribution } = naming.vocabulary;
  const member = namedNode(`${memberBase(naming)}${position}-${at.toString(36)}`);
  const say = about(member);
  return [
    about(streamIri(naming))(`${TREE}member`, member),
    say(RDF_TYPE, namedNode(AS + typeOf(change))),
    say(DCT_IS_VERSION_OF, statementIri(naming, change)),
    say(`${AS}published`, time(at)),
    say(`${AS}object`, namedNode(uri)),
    say(DCT_SOURCE, namedNode(document)),
    say(feed.source, namedNode(source.url)),
    say(feed.kind, literal(source.kind)),
    say(feed.position, integer(position)),
    ...(rank === 0 ? [] : [say(feed.rank, integer(rank))]),
    ...pinQuads(member, pin, attribution),
    ...(metadata ? metadataToQuads(metadata, naming.vocabulary, uri, member) : []),
  ];
}

/** What a page is to its readers, and which state it was made in. */
function pageQuads(naming: FeedNaming, address: string, state: State): Quad[] {
  const say = about(namedNode(address));
  return [
    say(RDF_TYPE, namedNode(`${TREE}Node`)),
    say(naming.vocabulary.feed.cursor, literal(cursorText(cursorOf(state)))),
  ];
}

/** What the stream is, for the page that clients begin with: in what order, in which versions, and for how long. */
function streamQuads(naming: FeedNaming): Quad[] {
  const root = namedNode(feedAddress(naming));
  const retention = namedNode(`${root.value}#retention`);
  const lasting = literal(`P${Math.round(REMOVALS_REMEMBERED / DAY)}D`, namedNode(XSD_DURATION));
  const [stream, kept] = [about(streamIri(naming)), about(retention)];
  return [
    stream(RDF_TYPE, namedNode(`${LDES}EventStream`)),
    stream(`${TREE}view`, root),
    stream(`${LDES}timestampPath`, namedNode(`${AS}published`)),
    stream(`${LDES}sequencePath`, namedNode(naming.vocabulary.feed.position)),
    stream(`${LDES}versionOfPath`, namedNode(DCT_IS_VERSION_OF)),
    ...['Create', 'Update', 'Delete'].map((type) =>
      stream(`${LDES}version${type}Object`, namedNode(AS + type)),
    ),
    about(root)(`${LDES}retentionPolicy`, retention),
    kept(RDF_TYPE, namedNode(`${LDES}RetentionPolicy`)),
    kept(`${LDES}versionAmount`, integer(1)),
    kept(`${LDES}versionDeleteDuration`, lasting),
  ];
}

function relationQuads(
  { vocabulary }: FeedNaming,
  page: string,
  { behind, from, to, node }: Relation,
  label: string,
): Quad[] {
  const published = `${AS}published`;
  const bounds = [
    ['GreaterThanRelation', vocabulary.feed.position, behind, integer],
    ['GreaterThanOrEqualToRelation', published, from, time],
    ['LessThanOrEqualToRelation', published, to, time],
  ] as const;
  return bounds.flatMap(([type, path, value, written]) => {
    if (value === undefined) return [];
    const relation = blankNode(label + type);
    const say = about(relation);
    return [
      about(namedNode(page))(`${TREE}relation`, relation),
      say(RDF_TYPE, namedNode(TREE + type)),
      say(`${TREE}path`, namedNode(path)),
      say(`${TREE}value`, written(value)),
      say(`${TREE}node`, namedNode(node)),
    ];
  });
}
