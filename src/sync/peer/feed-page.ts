import * as z from 'zod';
import { type Metadata, metadataSchema } from '../../component/metadata.js';
import { sourceKey } from '../../component/source.js';
import { DIGEST_VERSION } from '../../component/statement-digest.js';
import { type Cursor, parseCursor } from '../../core/cursor.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { wrongIn } from '../failures.js';
import { LONGEST_NAME, NO_IRI, type Statements } from './listing-task.js';
import type { FeedSummary } from './peer-memo.js';

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

const integer = z.int().min(0);
// Not every name of an earlier version is an IRI; what has one that is none is refused, and all else is read.
const name = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[^\r\n\p{Cs}]+$/u, 'must be a line of text');
const source = z.object({ kind: z.enum(['local', 'pod', 'peer']), url: name });
const { author, tag, shapes } = metadataSchema.shape;
// Fields of later versions are left out; whether anything is missed then, the digests tell.
const metadata = z.object({
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
  component: z.unknown().optional(),
});
const pageSchema = z.object({
  cursor: z.string(),
  network: integer,
  digestVersion: integer.default(1),
  sources: z.array(summary),
  changes: z.array(change),
});

/** Reads a page of a peer's feed. Whether what it says is what the peer has, its digests tell. */
export const feedTask: Task<{ readonly text: string; readonly mediaType: string }, FeedPage> = {
  module: 'sync/peer/feed-page.js',
  name: 'feedTask',
  short: 20_000,
  run({ text, mediaType }) {
    if (!/[/+]json$/.test(mediaType))
      throw new MalformedInput(`it is ${mediaType || 'of no media type'}, not JSON`);
    const { network, digestVersion, sources, changes, ...page } = checked(pageSchema, parseBoundedJson(text));
    // Its digests could not be compared, so that the peer is read by its listing.
    if (digestVersion !== DIGEST_VERSION)
      throw new MalformedInput(
        `its digests are of version ${digestVersion}, not of version ${DIGEST_VERSION}`,
      );
    const cursor = parseCursor(page.cursor);
    if (!cursor) throw new MalformedInput('it names no state');
    return { cursor, network, summaries: sources, changes: changes.map(asRead) };
  },
};

/** What a change says. That, or where it says it, may be wrong by itself: then that is refused alone. */
function asRead({ position, type, source, graph, uri, component }: z.infer<typeof change>): FeedChange {
  const placed = { position, of: sourceKey(source), graph };
  const foreign = [source.url, graph].find((one) => !isAbsoluteIri(one));
  if (foreign !== undefined)
    return { ...placed, graph: percentEncoded(graph), refused: `${NO_IRI}: ${foreign}` };
  if (type === 'Delete') return { ...placed, removed: uri };
  try {
    return { ...placed, components: [checked(metadata, component) as Metadata] };
  } catch (error) {
    const faults = [{ pointer: '', detail: wrongIn(error) }];
    return { ...placed, removed: uri, invalid: [{ subject: uri, faults }] };
  }
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new MalformedInput(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}
