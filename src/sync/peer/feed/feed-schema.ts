import * as z from 'zod';
import { type Metadata, metadataSchema } from '../../../component/metadata.js';
import { graphKind } from '../../../component/provenance.js';
import { LOCAL, sourceKey } from '../../../component/source.js';
import { payloadHash } from '../../../component/statement-digest.js';
import { isAbsoluteIri, LIMITS } from '../../../component/values.js';
import { parseCursor } from '../../../core/cursor.js';
import { joinedDigest } from '../../../core/statement-hash.js';
import type { FeedChange, FeedSummary } from '../feed-page.js';

/** Characters of the URL of a source, or of the name of a graph, at most. */
const LONGEST_NAME = 2048;

const integer = z.int().min(0);
const name = z.string().min(1).max(LONGEST_NAME).refine(isName, 'must be an absolute IRI');
const source = z.object({ kind: z.enum(['local', 'pod', 'peer']), url: name });
const { author, tag, shapes } = metadataSchema.shape;
// Fields of later versions are left out; whether anything is missed then, the hash tells.
const component = z.object({
  ...metadataSchema.shape,
  author: author.default([]),
  tag: tag.default([]),
  shapes: shapes.default([]),
});

const digest = z.string().regex(/^[0-9a-f]{32}$/);
const summary = z.object({
  ...source.shape,
  rank: integer,
  count: integer,
  digest,
  /** Nodes of earlier versions have none. */
  capabilities: digest.optional(),
});

const common = { position: integer.min(1), source, graph: name };
const change = z.discriminatedUnion('type', [
  z.object({ ...common, type: z.enum(['Create', 'Update']), uri: z.string(), hash: z.string(), component }),
  z.object({ ...common, type: z.literal('Delete'), uri: z.string().min(1).max(LIMITS.uri) }),
]);

/** The part of a page that is not repeated. `changes` and summaries are looked at one by one. */
export const pageSchema = z.object({
  cursor: z.string().refine((text) => parseCursor(text) !== undefined, 'is no cursor'),
  network: integer.optional(),
  digest: digest.optional(),
  source: z.unknown().optional(),
  sources: z.array(z.unknown()).optional(),
  changes: z.array(z.unknown()).optional(),
  next: z.string().optional(),
});

/** @throws Error that says what is wrong */
export function readSummary(value: unknown): FeedSummary {
  const { kind, url, rank, count, digest, capabilities } = checked(summary, value);
  return { of: sourceKey({ kind, url }), rank, count, digest: joinedDigest({ digest, capabilities }) };
}

/** @throws Error that says what is wrong */
export function readChange(value: unknown): FeedChange {
  const read = checked(change, value);
  const { position, graph, uri } = read;
  const fault = faultOf(read.source, graph);
  if (fault) throw new Error(fault);
  const common = { position, of: sourceKey(read.source), graph, uri };
  if (read.type === 'Delete') return common;
  const metadata = read.component as Metadata;
  if (metadata.uri !== uri) throw new Error(`it describes ${metadata.uri} and says that it is about ${uri}`);
  if (payloadHash(metadata) !== read.hash) throw new Error('its hash is not that of the component');
  return { ...common, metadata };
}

/** Of what the node itself says there is one document, and documents of pods are on the web. */
function faultOf({ kind, url }: z.infer<typeof source>, graph: string): string | undefined {
  if (kind === 'local') {
    return url === LOCAL.url && graph === LOCAL.url
      ? undefined
      : `the node itself does not speak in ${graph}`;
  }
  return kind === 'pod' && graphKind(graph) !== 'document' ? `a pod has no document ${graph}` : undefined;
}

function isName(text: string): boolean {
  return text.isWellFormed() && isAbsoluteIri(text);
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}
