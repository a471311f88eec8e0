import * as z from 'zod';
import { type Metadata, metadataSchema } from '../../component/metadata.js';
import { graphKind } from '../../component/provenance.js';
import { LOCAL, sourceKey } from '../../component/source.js';
import { DIGEST_VERSION, payloadHash } from '../../component/statement-digest.js';
import { type Cursor, cursorText, parseCursor } from '../../core/cursor.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
import { wrongIn } from '../failures.js';
import type { FeedSummary } from './peer-memo.js';
import { lengthOf, NO_IRI, type Statements } from './statements.js';

/** A page of a peer's `/feed`. */
export interface FeedPage {
  /** Names the state of the peer that the page belongs to. */
  readonly cursor: Cursor;
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

/** A page as it was sent, and the state that was read before it: positions rise, and all cursors have one epoch. */
interface FeedBody {
  readonly text: string;
  readonly mediaType: string;
  readonly epoch: string | undefined;
  readonly position: number;
}

const integer = z.int().min(0);
// Not every name of an earlier version is an IRI; what has one that is none is refused, and all else is read.
const name = z.string().regex(/^[^\r\n\p{Cs}]{1,2048}$/u, 'must be a line of text');
const source = z.object({ kind: z.enum(['local', 'pod', 'peer']), url: name });
const { author, tag, shapes } = metadataSchema.shape;
// Fields of later versions are left out; whether anything is missed then, the hash tells.
const component = z.object({
  ...metadataSchema.shape,
  author: author.default([]),
  tag: tag.default([]),
  shapes: shapes.default([]),
});
const summary = z
  .object({ ...source.shape, rank: integer, count: integer, digest: z.string().regex(/^[0-9a-f]{32}$/) })
  .transform(({ kind, url, ...said }): FeedSummary => ({ of: sourceKey({ kind, url }), ...said }));
const change = z.object({
  position: integer.min(1),
  type: z.enum(['Create', 'Update', 'Delete']),
  source,
  graph: name,
  uri: z.string(),
  hash: z.string().optional(),
  component: z.unknown().optional(),
});
type Change = z.infer<typeof change>;
const pageSchema = z.object({
  cursor: z.string(),
  network: integer,
  digestVersion: integer.default(1),
  sources: z.array(summary),
  changes: z.array(change),
});

/** Reads a page of a peer's feed, and holds it to the rules for a single page. */
export const feedTask: Task<FeedBody, Partial<FeedPage>> = {
  module: 'sync/peer/feed-page.js',
  name: 'feedTask',
  short: 20_000,
  *run({ text, mediaType, epoch, position }) {
    if (!/[/+]json$/.test(mediaType))
      throw new MalformedInput(`it is ${mediaType || 'of no media type'}, not JSON`);
    const page = checked(pageSchema, parseBoundedJson(text));
    const { network, digestVersion, sources, changes } = page;
    // Its digests could not be compared, so that the peer is read by its listing.
    if (digestVersion !== DIGEST_VERSION)
      throw new MalformedInput(
        `its digests are of version ${digestVersion}, not of version ${DIGEST_VERSION}`,
      );
    const cursor = parseCursor(page.cursor);
    if (!cursor) throw new MalformedInput('it names no state');
    if (epoch !== undefined && cursor.epoch !== epoch)
      throw new MalformedInput('it names a state of another life');
    yield { cursor, network };
    for (const summaries of portions(sources, ({ of }) => of.length)) yield { summaries };
    const read = readChanges(changes, position, cursor);
    for (const portion of portions(read, lengthOf)) yield { changes: portion };
  },
};

/** @throws MalformedInput, also for positions that do not rise, or that the cursor of their page does not cover */
function* readChanges(changes: readonly Change[], before: number, cursor: Cursor): Generator<FeedChange> {
  let last = before;
  for (const one of changes) {
    if (one.position <= last) throw new MalformedInput(`position ${one.position} comes after ${last}`);
    last = one.position;
    yield { position: last, of: sourceKey(one.source), ...statementsOf(one) };
  }
  if (last > cursor.position)
    throw new MalformedInput(`its cursor ${cursorText(cursor)} does not cover position ${last}`);
}

/**
 * What a change says. That, or where it says it, may be wrong by itself: then that is refused alone.
 * @throws MalformedInput that says what is wrong with the page
 */
function statementsOf({ type, source, graph, uri, hash, ...said }: Change): Statements {
  const foreign = [source.url, graph].find((one) => !isAbsoluteIri(one));
  if (foreign !== undefined) return { graph: percentEncoded(graph), refused: `${NO_IRI}: ${foreign}` };
  const fault = faultOf(source, graph);
  if (fault) throw new MalformedInput(fault);
  if (type === 'Delete') return { graph, removed: uri };
  let metadata: Metadata;
  try {
    metadata = checked(component, said.component) as Metadata;
  } catch (error) {
    const faults = [{ pointer: '', detail: wrongIn(error) }];
    return { graph, removed: uri, invalid: [{ subject: uri, faults }] };
  }
  if (metadata.uri !== uri)
    throw new MalformedInput(`it describes ${metadata.uri} and says that it is about ${uri}`);
  if (payloadHash(metadata) !== hash)
    throw new MalformedInput(`what it says of ${uri} is wrong: its hash is not that of the component`);
  return { graph, components: [metadata] };
}

/** Of what the node itself says there is one document, and documents of pods are on the web. */
function faultOf({ kind, url }: z.infer<typeof source>, graph: string): string | undefined {
  if (kind === 'local' && (url !== LOCAL.url || graph !== LOCAL.url))
    return `the node itself does not speak in ${graph}`;
  return kind === 'pod' && graphKind(graph) !== 'document' ? `a pod has no document ${graph}` : undefined;
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MalformedInput(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}
