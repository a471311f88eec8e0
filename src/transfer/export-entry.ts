import * as z from 'zod';
import { type Metadata, metadataSchema } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import { type Authority, STATEMENT_CLASSES } from '../core/precedence.js';
import type { DocumentRecord } from '../registry/document-record.js';
import type { SourceRecord } from '../registry/source-record.js';

/** Of the format of export files. It is raised by a change that older releases would misread. */
export const EXPORT_VERSION = 2;
export const EXPORT_FORMAT = 'component-registry-export';

/** The first line of an export: what the file is, and where it comes from. */
export interface ExportHeader {
  readonly type: 'header';
  readonly format: typeof EXPORT_FORMAT;
  readonly version: number;
  /** Version of the software that wrote it. */
  readonly software: string;
  /** ms since the Unix epoch. */
  readonly exportedAt: number;
  /** Of the node: its base URL, the namespace in which documents were read, and the cursor of its feed. */
  readonly baseUrl: string;
  readonly vocabulary: string;
  readonly cursor: string;
  /** Are the records of the connection service in it, which hold secrets? */
  readonly connections: boolean;
}

/** One thing that a node holds: a line of an export. docs/operators.md describes them. */
export type ExportEntry =
  | { readonly type: 'pin'; readonly pin: StoredPin }
  | StatementEntry
  | {
      readonly type: 'document';
      readonly source: Source;
      readonly url: string;
      readonly record: DocumentRecord;
    }
  | { readonly type: 'source'; readonly source: Source; readonly record: SourceRecord }
  | ({ readonly type: 'network' } & NetworkLists)
  | { readonly type: 'record'; readonly table: string; readonly key: string; readonly value: unknown }
  | { readonly type: 'quads'; readonly graph: string; readonly quads: readonly (readonly string[])[] }
  | { readonly type: 'key'; readonly secret: string };

/** What one document says of one component, in the order in which this came to be said. */
export interface StatementEntry {
  readonly type: 'statement';
  /** When the registry first stored it in this form, ms since the Unix epoch. */
  readonly at: number;
  readonly source: Source;
  readonly document: string;
  /** See `DocumentRecord`. */
  readonly of?: string | undefined;
  readonly authority?: Authority | undefined;
  readonly component: Metadata;
}

/** The digest of a part of the content: of what one source says, say. */
export interface DigestLine {
  readonly type: 'digest';
  readonly part: string;
  readonly count: number;
  readonly digest: string;
}

/** The last line. */
export interface ExportEnd {
  readonly type: 'end';
  readonly lines: number;
  /** Of the bytes of the lines before this one, in hexadecimal. */
  readonly sha256: string;
}

export type ExportLine = ExportHeader | ExportEntry | DigestLine | ExportEnd;

/** ms since the Unix epoch, of a moment that a date can hold (ECMAScript, section 21.4.1.1). */
const moment = z.number().min(0, 'is before 1970').max(8.64e15, 'is no moment that a date can hold');

const source = z.object({ kind: z.enum(['local', 'pod', 'peer', 'sample']), url: z.string().min(1) });
const address = z.object({ url: z.string(), hops: z.int(), via: z.array(z.string()) });
// What is remembered of sources is given back to the code that remembered it: only its outline is looked at.
const sourceRecord = z.looseObject({ failures: z.int().min(0) });
const authority = z.object({
  ...source.shape,
  class: z.enum(STATEMENT_CLASSES.map(({ name }) => name)),
  place: z.int().min(0),
});
const documentRecord = z.looseObject({ of: z.string().optional(), authority: authority.optional() });

/** A line that begins with the header of another version is told apart by `version` alone. */
export const headerSchema = z.looseObject({
  type: z.literal('header'),
  format: z.literal(EXPORT_FORMAT),
  version: z.int(),
});

const wholeHeaderSchema = headerSchema.extend({
  software: z.string(),
  exportedAt: moment,
  baseUrl: z.string(),
  vocabulary: z.string(),
  cursor: z.string(),
  connections: z.boolean(),
});

const pin = z.object({
  uri: z.string().min(1),
  version: z.string().optional(),
  source,
  document: z.string().min(1),
  first: z.string().optional(),
  last: z.string().min(1),
  size: z.number().optional(),
  files: z
    .array(
      z.object({
        uri: z.string(),
        integrity: z.string(),
        changed: z.string().optional(),
        etag: z.string().optional(),
        lastModified: z.string().optional(),
      }),
    )
    .optional(),
  unpinned: z.array(z.string()).optional(),
  since: moment,
  changedAt: moment.optional(),
  checked: moment,
  etag: z.string().optional(),
  lastModified: z.string().optional(),
});

const lineSchema = z.discriminatedUnion('type', [
  wholeHeaderSchema,
  z.object({ type: z.literal('pin'), pin }),
  z.object({
    type: z.literal('statement'),
    at: moment,
    source,
    document: z.string().min(1),
    of: z.string().optional(),
    authority: authority.optional(),
    component: metadataSchema,
  }),
  z.object({ type: z.literal('document'), source, url: z.string().min(1), record: documentRecord }),
  z.object({ type: z.literal('source'), source, record: sourceRecord }),
  z.object({ type: z.literal('network'), peers: z.array(address), storage: z.array(address) }),
  z.object({ type: z.literal('record'), table: z.string(), key: z.string(), value: z.unknown() }),
  z.object({ type: z.literal('quads'), graph: z.string(), quads: z.array(z.array(z.string())) }),
  z.object({ type: z.literal('key'), secret: z.string() }),
  z.object({ type: z.literal('digest'), part: z.string(), count: z.int(), digest: z.string() }),
  z.object({ type: z.literal('end'), lines: z.int(), sha256: z.string() }),
]);

/** @throws Error that says what is wrong with the line */
export function readLine(value: unknown): ExportLine {
  const read = lineSchema.safeParse(value);
  if (read.success) return read.data as ExportLine;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim());
}
