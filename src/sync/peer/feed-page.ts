import * as z from 'zod';
import { type Metadata, metadataSchema } from '../../component/metadata.js';
import { graphKind } from '../../component/provenance.js';
import { LOCAL, sourceKey } from '../../component/source.js';
import { DIGEST_VERSION, payloadHash } from '../../component/statement-digest.js';
import { LIMITS } from '../../component/values.js';
import { type Cursor, cursorText, parseCursor } from '../../core/cursor.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
import { parsed, unreadable, wrongIn } from '../failures.js';
import { readInPieces } from '../pieces.js';
import { lengthOf, type Statements } from './listing-task.js';
import type { FeedSummary, PeerPolling } from './peer-memo.js';
import type { PeerBody } from './peer-request.js';

/** A page of a peer's `/feed`. */
export interface FeedPage extends Omit<PageText, 'cursor'> {
  /** Names the state of the peer that the page belongs to. */
  readonly cursor: Cursor;
  /** What the peer says of its lists of addresses in short: see `listsDigest`. */
  readonly lists?: string | undefined;
}

/** What its text says. It keeps the rules that a single page can be held to. */
interface PageText {
  readonly cursor: string;
  /** Moves with the peer's lists of addresses. */
  readonly network: number;
  /** Sources of the peer: those that have changed, or all. */
  readonly summaries: readonly FeedSummary[];
  readonly changes: readonly FeedChange[];
}

/** What a document of one of the peer's sources says of a component now. */
interface FeedChange extends Statements {
  readonly position: number;
  readonly of: string;
}

/** Characters of the URL of a source, or of the name of a graph, at most. */
const LONGEST_NAME = 2048;

const integer = z.int().min(0);
// Not every name of an earlier version is an IRI; what has one that is none is refused, and all else is read.
const name = z.string().min(1).max(LONGEST_NAME).refine(isLine, 'must be a line of text');
const source = z.object({ kind: z.enum(['local', 'pod', 'peer']), url: name });
const { author, tag, shapes } = metadataSchema.shape;
// Fields of later versions are left out; whether anything is missed then, the hash tells.
const component = z.object({
  ...metadataSchema.shape,
  author: author.default([]),
  tag: tag.default([]),
  shapes: shapes.default([]),
});
const summary = z.object({
  ...source.shape,
  rank: integer,
  count: integer,
  digest: z.string().regex(/^[0-9a-f]{32}$/),
});
const common = { position: integer.min(1), source, graph: name };
const change = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.enum(['Create', 'Update']),
    uri: z.string(),
    hash: z.string(),
    component: z.unknown(),
  }),
  z.object({ ...common, type: z.literal('Delete'), uri: z.string().min(1).max(LIMITS.uri) }),
]);
/** The part of a page that is not repeated. Changes and summaries are looked at one by one. */
const pageSchema = z.object({
  cursor: z.string(),
  network: integer,
  digestVersion: integer.default(1),
  sources: z.array(z.unknown()),
  changes: z.array(z.unknown()),
});

/** Members of JSON that a change has at most: texts in three lists, and its fields. */
const BOUNDS = { depth: 10, members: 1_500_000 };

/** Reads a page of a peer's feed. */
export const feedTask: Task<{ readonly text: string }, Partial<PageText>> = {
  module: 'sync/peer/feed-page.js',
  name: 'feedTask',
  short: 20_000,
  *run({ text }) {
    const page = pageSchema.safeParse(parseBoundedJson(text, BOUNDS));
    if (!page.success) throw new MalformedInput('it is JSON, and no change feed');
    const { cursor, network, digestVersion, sources, changes } = page.data;
    // Its digests could not be compared, so that the peer is read by its listing.
    if (digestVersion !== DIGEST_VERSION)
      throw new MalformedInput(
        `its digests are of version ${digestVersion}, not of version ${DIGEST_VERSION}`,
      );
    yield { cursor, network };
    const summaries = eachRead('source', sources, readSummary);
    for (const portion of portions(summaries, ({ of }) => of.length)) yield { summaries: portion };
    const read = eachRead('change', changes, readChange);
    for (const portion of portions(read, lengthOf)) yield { changes: portion };
  },
};

/** Reads parts of a page; what is wrong with one of them names it. */
function* eachRead<T>(what: string, parts: readonly unknown[], read: (part: unknown) => T): Generator<T> {
  for (const [i, part] of parts.entries()) {
    try {
      yield read(part);
    } catch (cause) {
      throw new MalformedInput(`${what} ${i + 1} on the page is wrong: ${explain(cause)}`);
    }
  }
}

function readSummary(value: unknown): FeedSummary {
  const { kind, url, ...said } = checked(summary, value);
  return { of: sourceKey({ kind, url }), ...said };
}

/**
 * Reads a change. What it says of a component, or where it says that, may be wrong by itself: then that is refused alone.
 * @throws MalformedInput that says what is wrong with the page
 */
function readChange(value: unknown): FeedChange {
  const read = checked(change, value);
  const { position, source, graph, uri } = read;
  const placed = { position, of: sourceKey(source), graph };
  const foreign = [source.url, graph].find((one) => !isAbsoluteIri(one));
  if (foreign !== undefined) {
    const refused = `its name is no IRI (RFC 3987), so that nothing of it is taken: ${foreign}`;
    return { ...placed, graph: percentEncoded(graph), refused };
  }
  const fault = faultOf(source, graph);
  if (fault) throw new MalformedInput(fault);
  if (read.type === 'Delete') return { ...placed, removed: uri };
  let metadata: Metadata;
  try {
    metadata = checked(component, read.component) as Metadata;
  } catch (error) {
    const faults = [{ pointer: '', detail: wrongIn(error) }];
    return { ...placed, removed: uri, invalid: [{ subject: uri, faults }] };
  }
  if (metadata.uri !== uri)
    throw new MalformedInput(`it describes ${metadata.uri} and says that it is about ${uri}`);
  if (payloadHash(metadata) !== read.hash) throw new MalformedInput('its hash is not that of the component');
  return { ...placed, components: [metadata] };
}

/** Of what the node itself says there is one document, and documents of pods are on the web. */
function faultOf({ kind, url }: z.infer<typeof source>, graph: string): string | undefined {
  if (kind === 'local' && (url !== LOCAL.url || graph !== LOCAL.url))
    return `the node itself does not speak in ${graph}`;
  return kind === 'pod' && graphKind(graph) !== 'document' ? `a pod has no document ${graph}` : undefined;
}

function isLine(text: string): boolean {
  return text.isWellFormed() && !/[\r\n]/.test(text);
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MalformedInput(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}

/**
 * Reads a page. Positions rise from page to page, and all cursors have the same epoch.
 * @param before the epoch of the page before, or of the state that was read last, and the last position there
 * @throws Unreadable
 */
export async function readFeedPage(
  { mediaType, text, lists }: PeerBody,
  { parsing, signal }: PeerPolling,
  before: { readonly epoch: string | undefined; readonly position: number },
): Promise<FeedPage> {
  if (!/[/+]json$/.test(mediaType)) throw unreadable(`it is ${mediaType || 'of no media type'}, not JSON`);
  const empty: PageText = { cursor: '', network: 0, summaries: [], changes: [] };
  const page = await parsed(readInPieces(feedTask, { text }, empty, parsing), signal);
  const cursor = parseCursor(page.cursor);
  if (!cursor) throw unreadable('it names no state');
  let last = before.position;
  for (const { position } of page.changes) {
    if (position <= last) throw unreadable(`position ${position} comes after ${last}`);
    last = position;
  }
  if (last > cursor.position)
    throw unreadable(`its cursor ${cursorText(cursor)} does not cover position ${last}`);
  if ((before.epoch ?? cursor.epoch) !== cursor.epoch) throw unreadable('it names a state of another life');
  return { ...page, cursor, lists };
}
